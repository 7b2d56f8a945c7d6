import { z } from "zod";

/** The body of every refusal: `{"error": {…}}` as JSON, in an HTTP answer or in the text of a tool's result. */
export const refusalBody = z.object({
  code: z.string(),
  message: z.string(),
  /** Whether the same call may succeed later. A runtime always says so; an answer without it may come from anybody. */
  retryable: z.boolean().default(false),
  /** Whole seconds until it may succeed. */
  retry_after_s: z.number().optional(),
  /** The true figures behind the refusal. */
  details: z.record(z.string(), z.unknown()).optional(),
});

export type RefusalBody = Readonly<z.output<typeof refusalBody>>;

const refusal = z.object({ error: refusalBody });

/** The refusal in a text; undefined if there is none. */
export const refusalIn = (text: string): RefusalBody | undefined =>
  refusal.safeParse(parseJson(text)).data?.error;

const LONGEST_EXCERPT = 300;

/** A foreign text for a terminal: short, on one line, and without signs that control the terminal or turn the line around. */
export function harmlessExcerpt(text: string, longest = LONGEST_EXCERPT): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return cut.replaceAll(/(?:(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}])+/gu, " ");
}

/** The JSON value; undefined for a text that is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON with sorted keys: the same text for the same value, whatever the order of its keys. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  ) ?? "";

/** Whether a value that was parsed from JSON has fields. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
