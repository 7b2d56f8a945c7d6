import { chown, lstat, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { makeFolder, syncFolder } from "../../drivers/durable-file.js";
import type { Clock } from "../../drivers/ports.js";
import { isAlive } from "../../drivers/system-error.js";
import { CommandError } from "../cli/failure.js";
import { invalidArgument, TendrilError } from "../errors.js";
import { CONFIG_FILE, RESTORE_MARK } from "../places.js";
import { DATABASE_FILE } from "../store/open-database.js";
import { exists } from "../store/state-folder.js";
import { isoUtc } from "../tools/iso-time.js";
import { VERSION } from "../wire/program.js";
import { ArchiveWriter, type Written } from "./archive.js";
import { assertFreeSpace, backupName, isJournal, MANIFEST, prune } from "./backup-folder.js";
import {
  contentsOf,
  copyDatabase,
  databaseSize,
  FORMAT,
  type Manifest,
  openSource,
  type Snapshot,
  sizeOfAll,
  verifyBackup,
} from "./contents.js";

export interface BackupOptions {
  readonly state: string;
  /** The configuration file; left out if it does not exist. */
  readonly config: string;
  /** The folder for backups; made, readable only for its owner, if it does not exist. */
  readonly to: string;
  readonly host: string;
  /** How many of this machine's backups to keep, at least 1. */
  readonly keep: number;
  readonly photos: boolean;
  readonly clock: Clock;
  readonly onStep?: ((step: string) => void) | undefined;
}

export interface BackupReport {
  readonly file: string;
  readonly bytes: number;
  readonly manifest: Manifest;
  /** Older backups that were removed. */
  readonly removed: readonly string[];
}

const STAGE = (host: string): string => `.tendril-backup-${host}-${process.pid}-`;
const STAGED = /^\.tendril-backup-(.+)-(\d+)-\w{6}$/;
/** A choice: this many never happen by chance. */
const MAX_BACKUPS_PER_SECOND = 100;

/**
 * Writes all durable data of a runtime, which may be running, to one file that can be restored. The file is written to the
 * disk and read back before it gets its name. An error leaves nothing behind. Throws NO_ROOM before anything is written,
 * RESTORE_UNFINISHED, STORE_FAILED, or the system's error.
 */
export async function backUp(options: BackupOptions): Promise<BackupReport> {
  const { state, to, host, onStep = () => undefined } = options;
  if (!(await exists(state))) throw invalidArgument(`there is no state folder ${state}`);
  if (await exists(join(state, RESTORE_MARK)))
    throw new TendrilError("RESTORE_UNFINISHED", `a restore into ${state} was interrupted`);
  if (!(await hasState(state)))
    throw new CommandError(`there is nothing to back up: no runtime has run on ${state} yet`);
  await makeFolder(to, 0o700);
  await removeLeftovers(to, host);
  onStep("measured");
  await assertFreeSpace(to, await bytesNeeded(options));
  const stage = await mkdtemp(join(to, STAGE(host)));
  return make(options, stage, onStep).finally(() => rm(stage, { recursive: true, force: true }));
}

async function make(
  options: BackupOptions,
  stage: string,
  onStep: (step: string) => void,
): Promise<BackupReport> {
  const { to, host, keep, clock } = options;
  const made = join(stage, "new.tar.gz");
  const at = isoUtc(clock.now());
  const before = await identity(options.state);
  const bytes = await write(options, stage, made, at, onStep);
  if ((await identity(options.state)) !== before)
    throw new TendrilError("STORE_FAILED", `${options.state} was replaced while it was read`);
  onStep("written");
  const manifest = await verifyBackup(made);
  await ownAs(made, to);
  onStep("verified");
  const file = await nameIt(made, to, host, at);
  onStep("named");
  return { file, bytes, manifest, removed: await prune(to, host, keep, file) };
}

/** Every start makes a journal. A damaged one is worth a backup too. */
async function hasState(state: string): Promise<boolean> {
  const { names } = await contentsOf(state, false);
  return names.length > 0 || (await exists(join(state, DATABASE_FILE)));
}

/** An upper limit: without compression, and the database twice, for its copy. */
async function bytesNeeded({ state, photos, config }: BackupOptions): Promise<number> {
  const { names } = await contentsOf(state, photos);
  return (
    2 * (await databaseSize(state)) +
    (await sizeOfAll(state, names)) +
    (await sizeOfAll(dirname(config), [basename(config)]))
  );
}

async function write(
  options: BackupOptions,
  stage: string,
  made: string,
  at: string,
  onStep: (step: string) => void,
): Promise<number> {
  const { state, config, photos } = options;
  const writer = await ArchiveWriter.create(made, new Date(at));
  try {
    const copy = join(stage, DATABASE_FILE);
    const snapshot = await copyDatabase(state, copy);
    onStep("copied");
    const members = new Members(writer);
    const { names, leftOut } = await contentsOf(state, photos);
    for (const name of names) await members.add(join(state, name), name);
    onStep("journals");
    await members.add(config, CONFIG_FILE);
    if (snapshot) await members.add(copy, DATABASE_FILE);
    await rm(copy, { force: true });
    const origin = { made_at: at, host: options.host, left_out: [...leftOut] };
    const manifest = { ...members.manifest(snapshot), ...origin };
    await members.addText(MANIFEST, `${JSON.stringify(manifest, undefined, 1)}\n`);
  } catch (error) {
    await writer.abandon();
    throw error;
  }
  return writer.finish();
}

/** Adds files to an archive, and counts them for the manifest. */
class Members {
  private readonly written: Written[] = [];
  private readonly records: Record<string, number> = {};

  constructor(private readonly writer: ArchiveWriter) {}

  /** Leaves out a file that no longer exists. */
  async add(path: string, name: string): Promise<void> {
    const source = await openSource(path, name);
    if (!source) return;
    const adding = this.writer.add({ name, bytes: source.bytes }, source.content());
    this.written.push(await adding.finally(() => source.close()));
    const lines = source.lines();
    if (isJournal(name) && lines !== undefined) this.records[basename(name, ".jsonl")] = lines;
  }

  async addText(name: string, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    await this.writer.add({ name, bytes: bytes.length }, [bytes]);
  }

  manifest(snapshot: Snapshot | undefined): Omit<Manifest, "made_at" | "host" | "left_out"> {
    const counted = snapshot ? { readings: snapshot.readings, photos: snapshot.photos } : {};
    return {
      format: FORMAT,
      tendril: VERSION,
      database_version: snapshot?.version ?? null,
      records: { ...this.records, ...counted },
      members: this.written,
    };
  }
}

/** Identifies the journal folder, which a restore replaces. */
const identity = (state: string): Promise<number | undefined> =>
  stat(join(state, "journal")).then(
    ({ ino }) => ino,
    () => undefined,
  );

/** A backup made by root gets the folder's owner, who can then delete it. */
async function ownAs(file: string, folder: string): Promise<void> {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  await chown(file, uid, gid);
}

/** Renames the backup; never overwrites an existing one. */
async function nameIt(made: string, to: string, host: string, at: string): Promise<string> {
  for (let nth = 1; nth <= MAX_BACKUPS_PER_SECOND; nth += 1) {
    const file = join(to, backupName(host, at, nth));
    if (await exists(file)) continue;
    await rename(made, file);
    await syncFolder(to);
    return file;
  }
  throw new TendrilError("STORE_FAILED", `${to} has ${MAX_BACKUPS_PER_SECOND} backups of ${at} already`);
}

/** Removes what a killed backup of this machine has left. */
async function removeLeftovers(to: string, host: string): Promise<void> {
  for (const name of await readdir(to)) {
    const [, from, pid] = STAGED.exec(name) ?? [];
    const folder = join(to, name);
    if (from !== host || isAlive(Number(pid)) || !(await lstat(folder)).isDirectory()) continue;
    await rm(folder, { recursive: true, force: true });
  }
}
