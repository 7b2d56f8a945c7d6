import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { TendrilError } from "../errors.js";
import { Database, sqliteCode } from "./database.js";

/** In the state folder; it stays there when a runtime is gone. */
export const LOCK_FILE = "lock.sqlite";

/** A held lock; `release` gives the folder to the next. */
export interface StateLock {
  /** Throws STATE_IN_USE if the lock's file was taken away: another runtime may own the folder by now. */
  assertHeld(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Makes this process the only owner of a state folder until it releases the lock or ends, in whatever way: the
 * kernel drops the file lock under SQLite's exclusive transaction with the process, also on SIGKILL.
 * Throws STATE_IN_USE if there is an owner.
 */
export async function lockState(folder: string): Promise<StateLock> {
  const file = join(folder, LOCK_FILE);
  try {
    const database = await Database.open({ file, setup: ["PRAGMA busy_timeout = 0", "BEGIN EXCLUSIVE"] });
    const { ino } = await stat(file);
    return { release: () => database.close(), assertHeld: () => assertSame(file, ino) };
  } catch (error) {
    if (sqliteCode(error) === "SQLITE_NOTADB") return lockAnew(folder, file);
    if (sqliteCode(error) !== "SQLITE_BUSY") throw error;
    throw new TendrilError("STATE_IN_USE", `the state folder ${folder} belongs to a running runtime`, {
      cause: error,
    });
  }
}

/** The file holds nothing: one that is not SQLite's (a power cut) is simply made again. */
async function lockAnew(folder: string, file: string): Promise<StateLock> {
  await rm(file);
  return lockState(folder);
}

async function assertSame(file: string, ino: number): Promise<void> {
  const now = await stat(file).catch(() => undefined);
  if (now?.ino === ino) return;
  throw new TendrilError("STATE_IN_USE", `${file} was removed or replaced while this runtime ran`);
}
