import { stat } from "node:fs/promises";
import { join } from "node:path";
import { hours } from "../../../drivers/units.js";
import { type Check, type Finding, failure, ok, skipped, warning } from "../check.js";
import type { Patient } from "../patient.js";

export const serviceChecks = (patient: Patient): Check[] => [
  { name: "service", run: () => service(patient) },
  { name: "backups", run: () => backups(patient) },
];

const PROPERTIES = [
  "LoadState",
  "UnitFileState",
  "ActiveState",
  "ActiveEnterTimestamp",
  "NRestarts",
  "Result",
];

async function service({ run }: Patient): Promise<Finding> {
  const { said, status } = await run("systemctl", [
    "show",
    "tendril.service",
    `--property=${PROPERTIES.join(",")}`,
  ]);
  const is = new Map(said.split("\n").map((line) => line.split(/=(.*)/s, 2) as [string, string]));
  if (status !== 0 || is.get("LoadState") !== "loaded")
    return skipped("tendril.service is not installed here");
  return unitFinding(is);
}

function unitFinding(is: ReadonlyMap<string, string>): Finding {
  const state = is.get("ActiveState");
  if (state === "failed") {
    const mend =
      "journalctl -u tendril -p err; then sudo systemctl reset-failed tendril && sudo systemctl start tendril";
    return failure(`tendril.service was given up (${is.get("Result")})`, mend);
  }
  if (is.get("UnitFileState") !== "enabled")
    return warning("tendril.service does not start with the Pi", "sudo systemctl enable --now tendril");
  if (state !== "active") return warning(`tendril.service is ${state}`, "sudo systemctl start tendril");
  const restarts = Number(is.get("NRestarts") ?? 0);
  const since = `tendril.service is active since ${is.get("ActiveEnterTimestamp")}`;
  if (restarts === 0) return ok(since);
  return warning(`${since}, after ${restarts} restarts`, "journalctl -u tendril -p err says why");
}

const BACKUPS = "/var/backups/tendril";
/** A choice: a week and a day of grace. */
const OLD = hours(8 * 24);

async function backups({ machine, clock }: Patient): Promise<Finding> {
  if (!machine.has(BACKUPS)) return skipped(`there is no ${BACKUPS}`);
  const names = machine.names(BACKUPS);
  const times = await Promise.all(names.map((name) => stat(machine.path(join(BACKUPS, name)))));
  const newest = Math.max(...times.map(({ mtimeMs }) => mtimeMs));
  if (names.length === 0) return warning(`${BACKUPS} is empty`, "sudo tendril backup");
  const days = ((clock.now() - newest) / hours(24)).toFixed(1);
  const found = `the newest of ${names.length} is ${days} days old`;
  return clock.now() - newest > OLD ? warning(found, "sudo tendril backup") : ok(found);
}
