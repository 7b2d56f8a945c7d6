import type { Result, Verdict } from "./check.js";

const SIGNS: Readonly<Record<Verdict, string>> = { ok: "✓", warning: "!", failure: "✗", skipped: "–" };
/** One line a check, its name in `width` columns, and beneath what is wrong, what mends it. */
export function lineOf({ name, verdict, found, mend }: Result, width = name.length): string {
  const line = `${SIGNS[verdict]} ${name.padEnd(width)}  ${found}`;
  return mend === undefined ? line : `${line}\n${indented(`→ ${mend}`, width + 4)}`;
}

const indented = (text: string, by: number): string =>
  text
    .split("\n")
    .map((line) => " ".repeat(by) + line)
    .join("\n");

export type Summary = Readonly<Record<Verdict, number>>;

export const summaryOf = (results: readonly Result[]): Summary => ({
  ok: count(results, "ok"),
  warning: count(results, "warning"),
  failure: count(results, "failure"),
  skipped: count(results, "skipped"),
});

const count = (results: readonly Result[], verdict: Verdict): number =>
  results.filter((each) => each.verdict === verdict).length;

export const summaryLine = ({ ok, warning, failure, skipped }: Summary): string =>
  `\n${ok} well, ${warning} to look at, ${failure} to mend, ${skipped} not looked at`;
