import { isoUtc } from "../tools/iso-time.js";
import { HouseTime, timesIn } from "../wire/house-time.js";
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

/** Runs all checks, and says each result at once. Resolves with all of them as one object with stable names, for programs. */
export async function examine(installation: Installation, say: (line: string) => void) {
  const all = checksOf(installation);
  const width = Math.max(...all.map(({ name }) => name.length));
  const time = new HouseTime(installation.config?.zone);
  const checks: Result[] = [];
  for await (const result of runChecks(all)) {
    checks.push(result);
    say(timesIn(lineOf(result, width), time));
  }
  const { state, file, clock } = installation;
  const summary = summaryOf(checks);
  say(summaryLine(summary));
  return { version: VERSION, checked_at: isoUtc(clock.now()), config: file, state, summary, checks };
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
