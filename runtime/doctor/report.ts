import type { Result, Verdict } from "./check.js";

const SIGNS: Readonly<Record<Verdict, string>> = { ok: "✓", warning: "!", failure: "✗", skipped: "–" };
/** A choice: the longest of the fixed names. */
const WIDTH = 16;

/** One line a check, and beneath what is wrong, what mends it. */
export function lineOf({ name, verdict, found, mend }: Result): string {
  const line = `${SIGNS[verdict]} ${name.padEnd(WIDTH)} ${found}`;
  return mend === undefined ? line : `${line}\n${indented(`→ ${mend}`)}`;
}

const indented = (text: string): string =>
  text
    .split("\n")
    .map((line) => `${" ".repeat(WIDTH + 3)}${line}`)
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
