import { type FileHandle, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { openPlain } from "../../drivers/durable-file.js";
import { OFF_FILE } from "../../drivers/guard/off-list.js";
import { SharedTurns } from "../../drivers/mutex.js";
import type { Clock } from "../../drivers/ports.js";
import { troubleIn } from "../../drivers/system-error.js";
import { minutes } from "../../drivers/units.js";
import { notFound, TendrilError, tooMany } from "../errors.js";
import type { Log } from "../log.js";
import { runCommand } from "../own-program.js";
import {
  AGENT_FOLDER,
  CALENDARS,
  defaultBackups,
  RESTORE_MARK,
  RUNTIME_FILE,
  SESSIONS_FILE,
  TOKEN_USES_FILE,
} from "../places.js";
import { freeBytes } from "../store/free-space.js";
import { DATABASE_FILE } from "../store/open-database.js";
import { namesIn } from "../store/state-folder.js";
import { LOCK_FILE } from "../store/state-lock.js";
import type { BackupStore } from "../tools/host.js";
import { isoUtc, parseIso } from "../tools/iso-time.js";
import type { BackupView } from "../wire/owner-page.js";
import { megabytes } from "../wire/phrases.js";

/** The last member of a backup: a file without it is incomplete. */
export const MANIFEST = "manifest.json";
/** Prefix of the folder in the state folder with the state from before a restore. */
export const ASIDE = "before-restore-";
export const PHOTOS = "photos";

/** A segment of a path: not hidden, no "..". Linux's file systems allow 255 bytes. */
const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/;
/** A segment within a folder: names of pictures are times, with colons. */
const INNER_SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._:-]{0,199}$/;
/** Deepest path: a folder such as tls/ may have subfolders. */
const DEEPEST = 3;

/**
 * Entries of a running process or of this machine only, and what is made of other files or fetched again: neither backed up nor
 * restored. Above all the list of relays, which names files that a service writes to.
 */
const NOT_KEPT = new Set([
  ...[RUNTIME_FILE, OFF_FILE, LOCK_FILE, RESTORE_MARK, CALENDARS, SESSIONS_FILE, TOKEN_USES_FILE],
  ...[AGENT_FOLDER, "trial"],
]);
const NOT_KEPT_LIKE =
  /\.tmp$|^before-restore-|^lock\.sqlite-|^tendril\.sqlite[.-]|^knowledge\.sqlite|\.new-[A-Za-z0-9]+$/;

/** Whether an entry of the state folder belongs into a backup. */
export const belongs = (entry: string): boolean =>
  SEGMENT.test(entry) && !NOT_KEPT.has(entry) && !NOT_KEPT_LIKE.test(entry);

/** Whether a backup may contain a file of this name, relative to the state folder. Until 2026-11-27 it had the agent's folder. */
export function isMemberName(name: string): boolean {
  const [entry = "", ...inner] = name.split("/");
  return (
    (belongs(entry) || entry === AGENT_FOLDER) &&
    inner.length < DEEPEST &&
    inner.every((each) => INNER_SEGMENT.test(each))
  );
}

/** Copied by SQLite. */
export const isDatabase = (name: string): boolean => name === DATABASE_FILE;
export const isJournal = (name: string): boolean => /^journal\/[^/]+\.jsonl$/.test(name);

/** This machine's name, for file names. */
export const hostName = (): string => hostname().replaceAll(/[^A-Za-z0-9-]/g, "-") || "unknown";

/** 2026-11-21T03:12:45.678Z → 20261121T031245Z: ISO 8601's basic form, for file names. */
export const stampIn = (iso: string): string => iso.replaceAll(/[-:]|\.\d+/g, "");

/** tendril-HOST-20261121T031245Z.tar.gz; the second backup within a second ends in -2. */
const NAME = /^tendril-(.+)-(\d{8}T\d{6}Z)(?:-(\d+))?\.tar\.gz$/;

interface KeptBackup {
  readonly file: string;
  readonly host: string;
  /** When it was made by its name, epoch milliseconds. */
  readonly at: number;
  /** Counts the backups within one second, from 1. */
  readonly nth: number;
  readonly bytes: number;
}

export function backupName(host: string, iso: string, nth = 1): string {
  return `tendril-${host}-${stampIn(iso)}${nth > 1 ? `-${nth}` : ""}.tar.gz`;
}

/** The backups in a folder, newest first; with `host` only of that machine. Empty if the folder does not exist. */
export async function backupsIn(folder: string, host?: string): Promise<KeptBackup[]> {
  const kept: KeptBackup[] = [];
  for (const name of await namesIn(folder)) {
    const [, from, stamp, nth = "1"] = NAME.exec(name) ?? [];
    if (from === undefined || stamp === undefined || (host !== undefined && from !== host)) continue;
    const file = join(folder, name);
    kept.push({ file, host: from, at: timeOf(stamp), nth: Number(nth), bytes: (await stat(file)).size });
  }
  return kept.sort((a, b) => b.at - a.at || b.nth - a.nth);
}

/** The newest backup in a folder, by its name. */
export const newestBackup = async (folder: string): Promise<KeptBackup | undefined> =>
  (await backupsIn(folder))[0];

/**
 * Removes this machine's oldest backups, so that `keep` stay. `made` always stays, even if the clock gave it an old name: it is
 * known to be good. Other files are not touched. Returns the removed files.
 */
export async function prune(folder: string, host: string, keep: number, made: string): Promise<string[]> {
  const others = (await backupsIn(folder, host)).filter(({ file }) => file !== made);
  const over = others.slice(keep - 1).map(({ file }) => file);
  for (const file of over) await rm(file, { force: true });
  return over;
}

/** 20261121T031245Z as epoch milliseconds. */
const timeOf = (stamp: string): number =>
  parseIso(stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z")) ?? 0;

/** A choice: enough for a runtime on the same disk for some days; below 256 kB it stops recording. */
const RESERVE = 16_777_216;

/** Throws NO_ROOM if the folder's disk has less than `bytes` and a reserve free. */
export async function assertFreeSpace(folder: string, bytes: number): Promise<void> {
  const [free, wanted] = [await freeBytes(folder), bytes + RESERVE];
  if (free >= wanted) return;
  const what = `${folder} has ${megabytes(free)} MB free, up to ${megabytes(wanted)} MB are needed`;
  throw new TendrilError("NO_ROOM", what, { details: { free, wanted } });
}

/** A choice: a year of photos on a slow card. */
const LONGEST = minutes(30);
/** A choice: 14 backups are kept, so somebody who presses again and again pushes old ones out in half a day at the earliest. */
const BETWEEN = minutes(60);

interface Options {
  readonly state: string;
  /** Real time: backups are named by it. */
  readonly clock: Clock;
  readonly log: Log;
}

/** This machine's backups where `tendril backup` puts them by default. Makes one by that program, at the lowest priority. */
export class KeptBackups implements BackupStore {
  readonly folder: string;
  private making: Promise<BackupView> | undefined;
  /** The folder may be a stick's, and hang: each look would hold one of Node's four threads. */
  private readonly looks = new SharedTurns<KeptBackup[]>();

  constructor(private readonly options: Options) {
    this.folder = defaultBackups(options.state);
  }

  async list(): Promise<readonly BackupView[]> {
    return (await this.kept()).map(({ file, at, bytes }) => ({
      name: basename(file),
      made_at: isoUtc(at),
      bytes,
    }));
  }

  make(by: string): Promise<BackupView> {
    this.making ??= this.makeOne(by).finally(() => {
      this.making = undefined;
    });
    return this.making;
  }

  async open(name: string): Promise<FileHandle> {
    const found = (await this.kept()).find(({ file }) => basename(file) === name);
    const file = found && (await inWords(openPlain(found.file), found.file));
    if (!file) throw notFound(`${this.folder} has no backup ${JSON.stringify(name.slice(0, 80))}`);
    return file;
  }

  private kept(): Promise<KeptBackup[]> {
    return this.looks.next(() => inWords(backupsIn(this.folder, hostName()), this.folder));
  }

  private async makeOne(by: string): Promise<BackupView> {
    const { clock, log } = this.options;
    const [before] = await this.list();
    const wait = before ? Date.parse(before.made_at) + BETWEEN - clock.now() : 0;
    // a clock that was ahead must not forbid backups for years
    if (before && wait > 0 && wait <= BETWEEN)
      throw tooMany(
        `${before.name} was made less than an hour ago; "tendril backup" on the machine makes one at any time`,
        wait / 1000,
      );
    const file = await this.run();
    const made = (await this.list()).find(({ name }) => name === basename(file));
    if (!made)
      throw new TendrilError("BACKUP_FAILED", `the program made no ${basename(file)} in ${this.folder}`);
    log("info", "a backup was made", { by, file: made.name });
    return made;
  }

  /** Resolves with the file: the first line that the program says. */
  private async run(): Promise<string> {
    const args = ["backup", "--state", this.options.state];
    const { stdout, trouble, isRight } = await runCommand(args, LONGEST);
    if (!isRight) throw new TendrilError("BACKUP_FAILED", trouble);
    return stdout.split("\n")[0] ?? "";
  }
}

/** An error of the system as a refusal. */
async function inWords<T>(work: Promise<T>, place: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new TendrilError("BACKUP_FAILED", troubleIn(error, place) ?? String(error), { cause: error });
  }
}
