import { isoUtc } from "../tools/iso-time.js";
import { VERSION } from "../wire/version.js";
import { type Result, runChecks } from "./check.js";
import { checksOf } from "./checks/index.js";
import type { Patient } from "./patient.js";
import { lineOf, summaryLine, summaryOf } from "./report.js";

/** Looks at everything, and says each thing as soon as it is known. Resolves with whether nothing has to be mended. */
export async function examine(patient: Patient, say: (line: string) => void): Promise<boolean> {
  const checks = checksOf(patient);
  const width = Math.max(...checks.map(({ name }) => name.length));
  const results: Result[] = [];
  for await (const result of runChecks(checks)) {
    results.push(result);
    say(lineOf(result, width));
  }
  const summary = summaryOf(results);
  say(summaryLine(summary));
  return summary.failure === 0;
}

/** All of it for a program: stable names, one object. */
export async function report(patient: Patient) {
  const checks: Result[] = [];
  for await (const result of runChecks(checksOf(patient))) checks.push(result);
  const { state, file, clock } = patient;
  return {
    version: VERSION,
    checked_at: isoUtc(clock.now()),
    config: file,
    state,
    summary: summaryOf(checks),
    checks,
  };
}
