import { join } from "node:path";
import { TendrilError } from "../errors.js";
import { Database, sqliteCode } from "./database.js";

/** A held lock; `release` gives the folder to the next. */
export interface StateLock {
  release(): Promise<void>;
}

/**
 * Makes this process the only owner of a state folder until it releases the lock or ends, in whatever way: the
 * kernel drops the file lock under SQLite's exclusive transaction with the process, also on SIGKILL.
 * Throws STATE_IN_USE if there is an owner.
 */
export async function lockState(folder: string): Promise<StateLock> {
  const file = join(folder, "lock.sqlite");
  try {
    const database = await Database.open({ file, setup: ["PRAGMA busy_timeout = 0", "BEGIN EXCLUSIVE"] });
    return { release: () => database.close() };
  } catch (error) {
    if (sqliteCode(error) !== "SQLITE_BUSY") throw error;
    throw new TendrilError("STATE_IN_USE", `the state folder ${folder} belongs to a running runtime`, {
      cause: error,
    });
  }
}
