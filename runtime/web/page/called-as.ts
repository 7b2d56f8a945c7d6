import type { Words } from "./words.js";

/** What the page has in place of a command, by the command's name. */
const BUTTONS: Readonly<Record<string, (words: Words) => string>> = {
  clear: ({ clear, now }) => `“${clear}” (${now})`,
  doctor: ({ doctor, house }) => `“${doctor.title}” (${house})`,
  off: ({ off }) => `“${off}”`,
  resume: ({ resumeAll, house }) => `“${resumeAll}” (${house})`,
  status: ({ now }) => `“${now}”`,
};
/** "tendril clear basil" is about one plant, whose card has the button; in a clone it is "./tendril clear basil". */
const IN_TEXT = /`?(?<![\w./-])(?:[\w./-]*\/)?tendril (clear(?: [\w-]+)?|doctor|off|resume|status)\b`?/g;

/** A text of the runtime's, for a terminal, as it is true on the page. */
export const onPage = (text: string, words: Words, called: string | undefined): string =>
  calledAs(
    text.replace(IN_TEXT, (found, command: string) => BUTTONS[command.split(" ")[0] ?? ""]?.(words) ?? found),
    called,
  );

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
