import { readdir, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../../drivers/system-error.js";
import { TendrilError } from "../errors.js";
import { parseIso } from "../tools/iso-time.js";
import { stampIn } from "./names.js";

/** tendril-HOST-20261121T031245Z.tar.gz; a second one of the same second has -2. */
const NAME = /^tendril-(.+)-(\d{8}T\d{6}Z)(?:-(\d+))?\.tar\.gz$/;

export interface KeptBackup {
  readonly file: string;
  readonly host: string;
  /** When it was made, epoch milliseconds, by its name. */
  readonly at: number;
  /** From 1, among those of one second. */
  readonly nth: number;
  readonly bytes: number;
}

export function backupName(host: string, iso: string, nth = 1): string {
  return `tendril-${host}-${stampIn(iso)}${nth > 1 ? `-${nth}` : ""}.tar.gz`;
}

/** The backups in a folder, the newest first; of one machine where it is named. A folder that is not there has none. */
export async function backupsIn(folder: string, host?: string): Promise<KeptBackup[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const kept: KeptBackup[] = [];
  for (const name of names) {
    const [, from, stamp, nth = "1"] = NAME.exec(name) ?? [];
    if (from === undefined || stamp === undefined || (host !== undefined && from !== host)) continue;
    const file = join(folder, name);
    kept.push({ file, host: from, at: timeOf(stamp), nth: Number(nth), bytes: (await stat(file)).size });
  }
  return kept.sort((a, b) => b.at - a.at || b.nth - a.nth);
}

/** The newest backup in a folder, by its name; for whoever wants to know whether there is one, and how old it is. */
export async function newestBackup(folder: string, host?: string): Promise<KeptBackup | undefined> {
  return (await backupsIn(folder, host))[0];
}

/**
 * Removes this machine's oldest backups, so that `keep` stay, among them `made`, whatever the clock said when it was named: it
 * is the one that is known to be good. What else is in the folder is not touched. Returns what is gone.
 */
export async function prune(folder: string, host: string, keep: number, made: string): Promise<string[]> {
  const others = (await backupsIn(folder, host)).filter(({ file }) => file !== made);
  const over = others.slice(keep - 1).map(({ file }) => file);
  for (const file of over) await rm(file, { force: true });
  return over;
}

/** 20261121T031245Z, epoch milliseconds. */
const timeOf = (stamp: string): number =>
  parseIso(stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z")) ?? 0;

/** A choice: what a runtime on the same disk needs for some days, and far more than the 256 kB without which it gives up. */
const RESERVE = 16_777_216;

/** Throws NO_ROOM, before anything is written, where a folder's disk has not that much room and some to spare. */
export async function assertFreeSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const [free, wanted] = [bavail * bsize, bytes + RESERVE];
  if (free >= wanted) return;
  const what = `${folder} has ${megabytes(free)} free, up to ${megabytes(wanted)} are needed`;
  throw new TendrilError("NO_ROOM", what, { details: { free, wanted } });
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
