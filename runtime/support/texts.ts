/** Keys under which people and models write what they like. */
const TEXTS = new Set(
  "reason reasoning words content text message description observation hypothesis uncertainties arguments title".split(
    " ",
  ),
);

/** A copy in which what a person or an agent has written is replaced by its length; what the runtime says stays. */
export function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (value === null || typeof value !== "object") return value;
  const byRuntime = isTheRuntimes(value);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      TEXTS.has(key) && !byRuntime ? lengthOf(inner) : withoutTexts(inner),
    ]),
  );
}

/** A fault is always the runtime's own finding. */
const isTheRuntimes = (value: object): boolean =>
  ("by" in value && value.by === "runtime") || ("code" in value && typeof value.code === "string");

function lengthOf(value: unknown): unknown {
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text === "" ? "" : `[${text.length} characters]`;
}

/** A line of journalctl's that an agent has written about what it thinks and says: its own are indented under a heading. */
export const isStory = (line: string): boolean => /^\S+ \S+ \S+: {3}/.test(line);
