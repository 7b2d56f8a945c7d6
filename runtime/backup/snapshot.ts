import { join } from "node:path";
import { Database } from "../store/database.js";
import { DATABASE_FILE } from "../store/open-database.js";
import { exists, sizeOf } from "../store/state-folder.js";

export interface Snapshot {
  readonly version: number;
  readonly readings: number;
  readonly photos: number;
}

/** A choice: longer than any commit of the runtime's takes. */
const PATIENCE = "PRAGMA busy_timeout = 10000";

/**
 * Copies the database as it is at one moment, while the runtime writes on: the copy is one read transaction, which holds up
 * no writer of a database with a write-ahead log [sqlite.org/wal.html, "Concurrency"]. Undefined where there is none.
 */
export async function copyDatabase(state: string, target: string): Promise<Snapshot | undefined> {
  const file = join(state, DATABASE_FILE);
  if (!(await exists(file))) return undefined;
  const database = await openBeside(file);
  try {
    await database.run("VACUUM INTO ?", [target]);
  } finally {
    await database.close();
  }
  return countIn(target);
}

/**
 * Without a log beside it nobody has the database open, and a reader that may not write would leave one, which tells the next
 * start of a crash. With one it is a running runtime's, or tells of a crash: it stays as it is.
 */
export async function openBeside(file: string): Promise<Database> {
  return Database.open({ file, setup: [PATIENCE], readOnly: await exists(`${file}-wal`) });
}

async function countIn(file: string): Promise<Snapshot> {
  const database = await Database.open({ file, setup: [], readOnly: true });
  try {
    const version = await database.get<{ user_version: number }>("PRAGMA user_version");
    const count = async (table: string) =>
      (await database.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))?.n ?? 0;
    return {
      version: version?.user_version ?? 0,
      readings: await count("readings"),
      photos: await count("photos"),
    };
  } finally {
    await database.close();
  }
}

/** Bytes that a copy takes at most. */
export async function databaseSize(state: string): Promise<number> {
  const file = join(state, DATABASE_FILE);
  return (await sizeOf(file)) + (await sizeOf(`${file}-wal`));
}
