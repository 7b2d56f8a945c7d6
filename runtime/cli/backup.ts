import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { troubleIn } from "../../drivers/system-error.js";
import { backUp } from "../backup/back-up.js";
import { hostName } from "../backup/backup-folder.js";
import { type Manifest, verifyBackup } from "../backup/contents.js";
import { restore as putBack, type RestoreReport } from "../backup/restore.js";
import { CONFIG_FILE, configFile, defaultBackups, type LeftOut, PACKAGED, type Places } from "../places.js";
import type { HouseTime } from "../wire/house-time.js";
import { counted, megabytes, quoted } from "../wire/phrases.js";
import { CommandError, wrongUse } from "./failure.js";
import { print } from "./print.js";
import { houseTimeFor, placesInUse, refuseMissing } from "./state.js";

interface BackupArgs extends Places {
  readonly to?: string;
  readonly keep: number;
  readonly photos?: boolean;
  readonly list?: string;
  readonly verify?: string;
}

export async function backup(args: BackupArgs): Promise<void> {
  const { list, verify } = args;
  if (list !== undefined && verify !== undefined) throw wrongUse("give only one of --list and --verify");
  if (list !== undefined) return say(listOf(await read(list), await houseTimeFor(args)));
  if (verify !== undefined) return say(summaryOf(await read(verify), await houseTimeFor(args)));
  await make(args);
}

async function make(args: BackupArgs): Promise<void> {
  const { state, to, keep, photos = false } = args;
  refuseMissing(args);
  const folder = resolve(to ?? defaultBackups(state));
  if (to !== undefined && !existsSync(folder)) throw notThere(folder);
  const config = resolve(configFile(placesInUse(args)));
  const places = { state, config, to: folder };
  const made = backUp({ ...places, host: hostName(), keep, photos, clock: new SystemClock() });
  const { file, bytes, manifest, removed } = await inWords(made, "no backup was made", folder);
  say([
    file,
    ...summaryOf(manifest, await houseTimeFor(args)),
    `read back and complete, ${megabytes(bytes)} MB`,
    ...manifest.left_out.map(
      (name) => `left out, since it is not a plain file or its name is not valid in a backup: ${name}`,
    ),
    ...(manifest.members.some(({ name }) => name === CONFIG_FILE)
      ? []
      : [
          `no configuration is in it: there is no ${config}. If the runtime is started with --config, give it here too`,
        ]),
    ...removed.map((old) => `removed, more than --keep ${keep}: ${old}`),
    "It contains the tokens: keep it where only you can read it.",
  ]);
}

/** Made silently, it would be on the card where a stick is not plugged in. */
const notThere = (folder: string): CommandError =>
  wrongUse(
    `there is no folder ${folder}, so no backup was made: if it is on a stick or a share, plug in or mount that; if it is to be new: mkdir -p ${quoted(folder)}`,
  );

const read = (file: string): Promise<Manifest> =>
  inWords(verifyBackup(resolve(file)), "the backup cannot be read", resolve(file));

/** True at any time: what was decided is completed by the next start. */
const NOT_RESTORED = "the restore did not end";

interface RestoreArgs extends Places {
  readonly leaveOut?: readonly LeftOut[];
}

export async function restore(file: string, { leaveOut = [], ...places }: RestoreArgs): Promise<void> {
  if (!existsSync(file))
    throw wrongUse(
      `nothing was changed: there is no file ${resolve(file)}. Unless --to named another folder, backups are in ${defaultBackups(places.state)}`,
    );
  const { state } = places;
  const options = {
    file: resolve(file),
    state,
    config: resolve(configFile(places)),
    clock: new SystemClock(),
    leaveOut,
  };
  const report = await inWords(putBack(options), NOT_RESTORED, state);
  say(reportOf(report, state, await houseTimeFor(places)));
}

function reportOf(report: RestoreReport, state: string, time: HouseTime): string[] {
  const { manifest, aside, kept, lost, stayed, configAside } = report;
  return [
    `${state} is as it was at ${time.minute(manifest.made_at)} ${time.zone} on ${manifest.host}; the state from before is in ${aside}`,
    ...(configAside === undefined ? [] : [`the configuration was replaced; the old one is ${configAside}`]),
    ...(kept.length === 0
      ? []
      : [`not replaced, since it is the same device: ${[...kept, ...stayed].join(", ")}`]),
    ...lost.map((log) => CONSEQUENCES[log] ?? log),
    `Check your plants, then start the runtime ${startWords(state)}.`,
  ];
}

/** What the next start does about a ledger whose last part is missing. */
const CONSEQUENCES: Readonly<Record<string, string>> = {
  water:
    "The water since the backup is unknown: a day's water counts as poured, for 24 hours from the next start.",
  light: "The light since then is unknown: the light rests first.",
  pause: 'Whether agents were paused since then is unknown: they are, until "tendril unpause".',
  taint: "What agents have read since then is unknown: for a day they ask before they act.",
  calls: "The calls since then are unknown: no care cycle goes on.",
  control: 'Holds and faults since then are unknown: everything is on hold until "tendril resume".',
};

function startWords(state: string): string {
  if (state === PACKAGED.state) return 'with "sudo systemctl start tendril"';
  return 'with "tendril serve" (or "tendril serve --bench" for simulated hardware)';
}

function listOf(manifest: Manifest, time: HouseTime): string[] {
  const files = manifest.members.map(({ name, bytes }) => `${String(bytes).padStart(12)}  ${name}`);
  return [...files, ...summaryOf(manifest, time)];
}

/** Of what its owner can count. The others are in --list, as files. */
const KNOWN = ["readings", "thoughts", "messages", "chats", "tasks", "lists", "memories"];

function summaryOf({ made_at, host, tendril, records, members }: Manifest, time: HouseTime): string[] {
  const counts = KNOWN.flatMap((name) => (records[name] ? [`${name} ${records[name]}`] : []));
  const has = counts.length === 0 ? "" : `; records: ${counts.join(", ")}`;
  return [
    `${host} at ${time.minute(made_at)} ${time.zone}, Tendril ${tendril}: ${counted(members.length, "file")}${has}`,
  ];
}

/** Shows an error of the system without its stack: what came of it, where, and what to do next. */
async function inWords<T>(work: Promise<T>, what: string, place: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const trouble = troubleIn(error, place);
    throw trouble === undefined ? error : new CommandError(`${what}: ${trouble}`);
  }
}

const say = (lines: readonly string[]): void => print(lines.join("\n"));
