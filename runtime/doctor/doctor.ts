import { isoUtc } from "../tools/iso-time.js";
import { VERSION } from "../wire/program.js";
import { type Check, lineOf, type Result, runChecks, summaryLine, summaryOf } from "./check.js";
import { accessChecks } from "./checks/access.js";
import { boardChecks, diskChecks } from "./checks/board.js";
import { bridgeChecks, homeChecks } from "./checks/bridge.js";
import { deviceChecks, relayChecks } from "./checks/devices.js";
import { networkChecks } from "./checks/network.js";
import { programChecks, serviceChecks } from "./checks/service.js";
import { stateChecks } from "./checks/state.js";
import type { Installation } from "./installation.js";

/** Runs all checks and prints each result at once. Resolves with true if there was no failure. */
export async function examine(installation: Installation, say: (line: string) => void): Promise<boolean> {
  const checks = checksOf(installation);
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

/** All results as one object with stable names, for programs. */
export async function report(installation: Installation) {
  const checks: Result[] = [];
  for await (const result of runChecks(checksOf(installation))) checks.push(result);
  const { state, file, clock } = installation;
  return {
    version: VERSION,
    checked_at: isoUtc(clock.now()),
    config: file,
    state,
    summary: summaryOf(checks),
    checks,
  };
}

/** All checks, in the order of the output. A new group is a file in checks/ and a line here. */
const GROUPS: readonly ((installation: Installation) => Check[])[] = [
  programChecks,
  stateChecks,
  boardChecks,
  accessChecks,
  relayChecks,
  deviceChecks,
  diskChecks,
  networkChecks,
  serviceChecks,
  bridgeChecks,
  homeChecks,
];

export const checksOf = (installation: Installation): readonly Check[] =>
  GROUPS.flatMap((group) => group(installation));
