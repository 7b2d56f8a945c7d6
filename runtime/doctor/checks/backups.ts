import { stat } from "node:fs/promises";
import { hours, type Millis } from "../../../drivers/units.js";
import { backupsIn } from "../../backup/backup-folder.js";
import { defaultBackups, PACKAGED } from "../../places.js";
import { type Check, type Finding, ok, skipped, warning } from "../check.js";
import type { Patient } from "../patient.js";
import { unit } from "./unit.js";

export const backupChecks = (patient: Patient): Check[] => [
  { name: "backups", run: () => backups(patient) },
  { name: "backup timer", run: () => timer(patient) },
];

/** Choices: a night may be missed; who makes them by hand does so once a week, with a day of grace. */
const OLD: Readonly<Record<"nightly" | "by hand", Millis>> = {
  nightly: hours(2 * 24),
  "by hand": hours(8 * 24),
};

async function backups(patient: Patient): Promise<Finding> {
  const { state, clock } = patient;
  const folder = folderOf(patient);
  const found = await backupsIn(folder).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error)
    return warning(`${folder} cannot be read (${found.code})`, "sudo tendril doctor");
  const mend = `${state === PACKAGED.state ? "sudo " : ""}tendril backup${folder === usual(patient) ? "" : ` --to ${folder}`}`;
  const isNightly = await runsNightly(patient);
  const [newest] = found;
  if (!newest)
    return isNightly ? warning(`none in ${folder}`, mend) : skipped(`none in ${folder}: ${mend} makes one`);
  const age = clock.now() - newest.at;
  const said = `the newest of ${found.length} in ${folder} is ${(age / hours(24)).toFixed(1)} days old`;
  if (age > OLD[isNightly ? "nightly" : "by hand"]) return warning(said, mend);
  return ok(`${said}${(await isSameDisk(folder, state)) ? ONE_DISK : ""}`);
}

const ONE_DISK = ", on the disk that it backs up: fetch it, or use a stick (docs/backup.md)";

const usual = ({ machine, state }: Patient): string =>
  state === PACKAGED.state ? machine.path(PACKAGED.backups) : defaultBackups(state);

/** Where the timer puts them, if its own options name another place (systemd/tendril-backup.service). */
function folderOf(patient: Patient): string {
  const { machine, state } = patient;
  const options = state === PACKAGED.state ? machine.text("/etc/tendril/backup.env") : undefined;
  const [, to] = /^BACKUP_OPTIONS=.*--to[ =]([^\s"']+)/m.exec(options ?? "") ?? [];
  return to === undefined ? usual(patient) : machine.path(to);
}

async function isSameDisk(folder: string, state: string): Promise<boolean> {
  const [one, other] = await Promise.all([folder, state].map((each) => stat(each).catch(() => undefined)));
  return one !== undefined && one.dev === other?.dev;
}

const TIMER = "tendril-backup.timer";
const ENABLE = `sudo systemctl enable --now ${TIMER}`;

/** The timer is the package's, and so of no other state folder. */
const timerOf = async ({ state, run }: Patient) =>
  state === PACKAGED.state ? unit(run, TIMER, ["UnitFileState", "ActiveState"]) : undefined;

const runsNightly = async (patient: Patient): Promise<boolean> =>
  (await timerOf(patient))?.get("ActiveState") === "active";

async function timer(patient: Patient): Promise<Finding> {
  const is = await timerOf(patient);
  if (!is) return skipped(`${TIMER} is not installed for this state folder`);
  if (is.get("UnitFileState") !== "enabled") return warning("no backup is made at night", ENABLE);
  if (is.get("ActiveState") !== "active") return warning(`${TIMER} is ${is.get("ActiveState")}`, ENABLE);
  const last = await unit(patient.run, "tendril-backup.service", ["Result"]);
  const result = last?.get("Result") ?? "success";
  if (result === "success") return ok("every night");
  return warning(`the last backup failed (${result})`, "journalctl -u tendril-backup -p err says why");
}
