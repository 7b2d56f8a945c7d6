import { stat } from "node:fs/promises";
import type { RunProgram } from "../../../drivers/pi/inspect/machine.js";
import { hours, type Millis, minutes } from "../../../drivers/units.js";
import { backupsIn } from "../../backup/backup-folder.js";
import { defaultBackups, PACKAGED } from "../../places.js";
import { counted } from "../../wire/phrases.js";
import { type Check, type Finding, failure, failureOf, ok, skipped, warning } from "../check.js";
import type { Installation } from "../installation.js";

const RUNTIME = "tendril";

export const serviceChecks = (installation: Installation): Check[] => [
  { name: "service", run: () => service(installation, RUNTIME) },
  { name: "agent service", run: () => service(installation, "tendril-agent") },
  { name: "bridge service", run: () => service(installation, "tendril-bridge") },
  { name: "backups", run: () => backups(installation) },
  { name: "backup timer", run: () => timer(installation) },
];

const PROPERTIES = ["UnitFileState", "ActiveState", "ActiveEnterTimestamp", "NRestarts", "Result"];

async function service({ run }: Installation, name: string): Promise<Finding> {
  const is = await unit(run, `${name}.service`, PROPERTIES);
  if (!is) return skipped(`${name}.service is not installed here`);
  const isOff = is.get("UnitFileState") !== "enabled" && is.get("ActiveState") === "inactive";
  // nobody needs a bridge without a reason, and an agent may run on another computer
  return isOff && name !== RUNTIME ? skipped(`${name}.service is switched off`) : unitFinding(is, name);
}

function unitFinding(is: ReadonlyMap<string, string>, name: string): Finding {
  const state = is.get("ActiveState");
  const restarts = Number(is.get("NRestarts") ?? 0);
  // only the runtime's log has levels
  const why = `journalctl -u ${name} ${name === RUNTIME ? "-p err" : "-n 50"}`;
  if (state === "failed") {
    const mend = `${why}; then sudo systemctl reset-failed ${name} && sudo systemctl start ${name}`;
    return failure(`${name}.service has failed (${is.get("Result")})`, mend);
  }
  // systemd waits before the next start
  if (state === "activating" && restarts > 0)
    return failure(`${name}.service ends again and again: ${restarts} restarts`, `${why} shows why`);
  if (is.get("UnitFileState") !== "enabled")
    return warning(`${name}.service does not start with the Pi`, `sudo systemctl enable --now ${name}`);
  if (state !== "active") return warning(`${name}.service is ${state}`, `sudo systemctl start ${name}`);
  const since = `${name}.service is active since ${is.get("ActiveEnterTimestamp")}`;
  if (restarts === 0) return ok(since);
  return warning(`${since}, after ${counted(restarts, "restart")}`, `${why} shows why`);
}

/** The properties of a systemd unit; undefined without such a unit, or without systemd. */
async function unit(
  run: RunProgram,
  name: string,
  properties: readonly string[],
): Promise<ReadonlyMap<string, string> | undefined> {
  const wanted = ["LoadState", ...properties].join(",");
  const { said, status } = await run("systemctl", ["show", name, `--property=${wanted}`]);
  const is = new Map(said.split("\n").map((line) => line.split(/=(.*)/s, 2) as [string, string]));
  return status === 0 && is.get("LoadState") === "loaded" ? is : undefined;
}

/** Choices: one night may be missed; by hand once a week, plus a day. */
const OLD: Readonly<Record<"nightly" | "by hand", Millis>> = {
  nightly: hours(2 * 24),
  "by hand": hours(8 * 24),
};

/** A choice: clocks of two machines differ by less. */
const AHEAD = hours(1);

async function backups(installation: Installation): Promise<Finding> {
  const { state, clock } = installation;
  const folder = folderOf(installation);
  const found = await backupsIn(folder).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error)
    return warning(`${folder} cannot be read (${found.code})`, "sudo tendril doctor");
  const mend = `${state === PACKAGED.state ? "sudo " : ""}tendril backup${folder === usual(installation) ? "" : ` --to ${folder}`}`;
  const isNightly = await runsNightly(installation);
  const [newest] = found;
  if (!newest)
    return isNightly ? warning(`none in ${folder}`, mend) : skipped(`none in ${folder}: ${mend} makes one`);
  const age = clock.now() - newest.at;
  if (age < -AHEAD)
    return warning(
      `${newest.file} is of a time to come, so the age of the others says nothing`,
      "set the clock; if it is right, move that file away",
    );
  const said = `the newest of ${found.length} in ${folder} is ${ageInWords(age)} old`;
  if (age > OLD[isNightly ? "nightly" : "by hand"]) return warning(said, mend);
  return ok(`${said}${(await isSameDisk(folder, state)) ? ONE_DISK : ""}`);
}

/** "12 minutes", "5 hours", "3 days". */
function ageInWords(age: number): string {
  if (age < hours(1)) return counted(Math.max(1, Math.round(age / minutes(1))), "minute");
  return age < hours(48)
    ? counted(Math.round(age / hours(1)), "hour")
    : counted(Math.round(age / hours(24)), "day");
}

const ONE_DISK = ", on the same disk as the state: copy it elsewhere, or use a USB stick (docs/backup.md)";

const usual = ({ machine, state }: Installation): string =>
  state === PACKAGED.state ? machine.path(PACKAGED.backups) : defaultBackups(state);

/** The folder of the backups, also if the timer's options name another one (systemd/tendril-backup.service). */
function folderOf(installation: Installation): string {
  const { machine, state } = installation;
  const options = state === PACKAGED.state ? machine.text("/etc/tendril/backup.env") : undefined;
  const [, to] = /^BACKUP_OPTIONS=.*--to[ =]([^\s"']+)/m.exec(options ?? "") ?? [];
  return to === undefined ? usual(installation) : machine.path(to);
}

async function isSameDisk(folder: string, state: string): Promise<boolean> {
  const [one, other] = await Promise.all([folder, state].map((each) => stat(each).catch(() => undefined)));
  return one !== undefined && one.dev === other?.dev;
}

const TIMER = "tendril-backup.timer";
const ENABLE = `sudo systemctl enable --now ${TIMER}`;

/** The timer exists only for the package's state folder. */
const timerOf = async ({ state, run }: Installation) =>
  state === PACKAGED.state ? unit(run, TIMER, ["UnitFileState", "ActiveState"]) : undefined;

const runsNightly = async (installation: Installation): Promise<boolean> =>
  (await timerOf(installation))?.get("ActiveState") === "active";

async function timer(installation: Installation): Promise<Finding> {
  const is = await timerOf(installation);
  if (!is) return skipped(`${TIMER} is not installed for this state folder`);
  if (is.get("UnitFileState") !== "enabled") return warning("no backup is made at night", ENABLE);
  if (is.get("ActiveState") !== "active") return warning(`${TIMER} is ${is.get("ActiveState")}`, ENABLE);
  const last = await unit(installation.run, "tendril-backup.service", ["Result"]);
  const result = last?.get("Result") ?? "success";
  if (result === "success") return ok("every night");
  return warning(`the last backup failed (${result})`, "journalctl -u tendril-backup -p err shows why");
}

/** package.json, "engines". */
const NODE = { least: [20, 17], below: 27 } as const;

export const programChecks = (installation: Installation): Check[] => [
  { name: "node", run: () => nodeVersion(process.versions.node) },
  { name: "native parts", run: () => nativeParts(installation) },
];

export function nodeVersion(version: string) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isOld = major < NODE.least[0] || (major === NODE.least[0] && minor < NODE.least[1]);
  if (!isOld && major < NODE.below) return ok(`version ${version}`);
  return failure(`version ${version}`, `install Node ${NODE.least.join(".")} to ${NODE.below - 1}`);
}

type Part = readonly [name: string, load: () => Promise<unknown>];

async function nativeParts(installation: Installation) {
  const parts = partsOf(installation);
  for (const [name, load] of parts) {
    try {
      await load();
    } catch (error) {
      const { found } = failureOf(error);
      return failure(`${name} does not load: ${found}`, `npm rebuild ${name}, or install the package again`);
    }
  }
  return ok(parts.map(([name]) => name).join(", "));
}

function partsOf({ config }: Installation): Part[] {
  const isPi = config?.board === "pi";
  const isPlain = config?.plants.some(({ pump, light }) =>
    [pump.output, light?.output].some((output) => output?.i_accept_software_cutoff),
  );
  const needsPins = isPi && (isPlain || config.inputs.length > 0);
  return [
    ["sqlite3", loadSqlite],
    ...(isPi ? [["i2c-bus", loadI2c] as const] : []),
    ...(needsPins
      ? [["onoff", async () => (await import("../../../drivers/pins/sysfs-lines.js")).loadOnoff()] as const]
      : []),
    ...(config?.interlock.via === "serial" ? [["serialport", loadSerial] as const] : []),
  ];
}

async function loadSqlite(): Promise<void> {
  const { Database } = await import("../../store/database.js");
  await (await Database.open({ file: ":memory:", setup: [] })).close();
}

/** Opens no device before the first transfer. */
const loadI2c = async () => (await import("../../../drivers/buses/linux-i2c.js")).openWithPackage(1);

const loadSerial = async () =>
  (await import("../../../drivers/devices/interlock/serial-line.js")).loadSerialPort();
