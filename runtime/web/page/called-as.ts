/** A command in a text, but neither a file nor another program. */
const COMMAND = /(?<![\w./-])tendril (?=[a-z])/g;

/** The words with commands as a person types them on the runtime's machine: "./tendril doctor" in a clone. */
export function calledAs<T>(words: T, called = "tendril"): T {
  if (called === "tendril") return words;
  if (typeof words === "string") return words.replace(COMMAND, () => `${called} `) as T;
  if (typeof words === "function")
    return ((...given: unknown[]) => calledAs(words(...given) as unknown, called)) as T;
  if (Array.isArray(words)) return words.map((each) => calledAs(each, called)) as T;
  if (typeof words !== "object" || words === null) return words;
  return Object.fromEntries(Object.entries(words).map(([key, each]) => [key, calledAs(each, called)])) as T;
}
