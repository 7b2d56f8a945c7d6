import { DRIVER_ERRORS, DriverError } from "../../drivers/errors.js";
import { messageOf } from "../../drivers/system-error.js";
import { TendrilError } from "../errors.js";
import type { DoctorFinding } from "../wire/owner-page.js";
import { counted } from "../wire/phrases.js";

export type Result = Readonly<DoctorFinding>;
export type Finding = Omit<Result, "name">;
type Verdict = Finding["verdict"];

/** A check. It changes nothing. If it rejects, that is a failure. */
export interface Check {
  readonly name: string;
  run(): Promise<Finding> | Finding;
}

export const ok = (found: string): Finding => ({ verdict: "ok", found });
export const skipped = (found: string): Finding => ({ verdict: "skipped", found });
export const warning = (found: string, mend: string): Finding => ({ verdict: "warning", found, mend });
export const failure = (found: string, mend: string): Finding => ({ verdict: "failure", found, mend });

/** One check after the other, since several use the same bus or camera. */
export async function* runChecks(checks: readonly Check[]): AsyncGenerator<Result> {
  for (const check of checks) yield { name: check.name, ...(await attempt(check)) };
}

async function attempt(check: Check): Promise<Finding> {
  try {
    return await check.run();
  } catch (error) {
    return failureOf(error);
  }
}

export function failureOf(error: unknown): Finding {
  if (error instanceof DriverError)
    return failure(`${error.what} (${error.code})`, DRIVER_ERRORS[error.code].fix);
  if (error instanceof TendrilError) return failure(`${error.what} (${error.code})`, error.kind.fix);
  return failure(messageOf(error), "this check itself failed: report it with this line");
}

const SIGNS: Readonly<Record<Verdict, string>> = { ok: "✓", warning: "!", failure: "✗", skipped: "–" };
/** One line per check, its name in `width` columns; below it what fixes a problem. */
export function lineOf({ name, verdict, found, mend }: Result, width = name.length): string {
  const line = `${SIGNS[verdict]} ${name.padEnd(width)}  ${found}`;
  return mend === undefined ? line : `${line}\n${indented(`→ ${mend}`, width + 4)}`;
}

const indented = (text: string, by: number): string =>
  text
    .split("\n")
    .map((line) => " ".repeat(by) + line)
    .join("\n");

type Summary = Readonly<Record<Verdict, number>>;

export const summaryOf = (results: readonly Result[]): Summary => ({
  ok: count(results, "ok"),
  warning: count(results, "warning"),
  failure: count(results, "failure"),
  skipped: count(results, "skipped"),
});

const count = (results: readonly Result[], verdict: Verdict): number =>
  results.filter((each) => each.verdict === verdict).length;

export const summaryLine = ({ ok, warning, failure, skipped }: Summary): string =>
  `\n${ok} ok, ${counted(warning, "warning")}, ${counted(failure, "failure")}, ${skipped} skipped`;
