import { chmod, type FileHandle, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { TendrilError } from "../errors.js";
import { Database, sqliteCode } from "./database.js";
import { migrate } from "./migrations.js";
import { exists } from "./state-folder.js";

/** The database's name in a state folder. */
export const DATABASE_FILE = "tendril.sqlite";

export interface OpenedDatabase {
  readonly database: Database;
  /** Where a database that could not be read was moved to. */
  readonly setAside?: string;
}

/** Opens the database of a state folder in its newest form; one that is corrupt is set aside for a new one. */
export async function openDatabase(folder: string, relaxed: boolean): Promise<OpenedDatabase> {
  const file = join(folder, DATABASE_FILE);
  try {
    return { database: await openSound(file, relaxed) };
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    const setAside = await moveAside(file);
    return { database: await openSound(file, relaxed), setAside };
  }
}

/**
 * The journals are the fsynced record, so NORMAL is enough here: a power cut may lose the newest commits, never
 * the database. A write-ahead log that is there at the start tells of a crash: then every page is checked. Else a
 * look into each table has to do: all pages of some years would take a card minutes to read.
 */
async function openSound(file: string, relaxed: boolean): Promise<Database> {
  await keepPrivate(file);
  const crashed = await exists(`${file}-wal`);
  const setup = [
    "PRAGMA busy_timeout = 2000",
    "PRAGMA journal_mode = WAL",
    `PRAGMA synchronous = ${relaxed ? "OFF" : "NORMAL"}`,
    "PRAGMA foreign_keys = ON",
    "PRAGMA cache_size = -2000",
    "PRAGMA temp_store = MEMORY",
  ];
  const database = await Database.open({ file, setup });
  try {
    if (crashed) await assertSound(database, file);
    await migrate(database);
    for (const table of TABLES) await database.get(`SELECT * FROM ${table} LIMIT 1`);
    return database;
  } catch (error) {
    await database.close().catch(() => undefined); // the first error is the one to tell
    throw error;
  }
}

/**
 * What agent and person write to each other is nobody else's, also in a state folder that others may look into. SQLite makes its
 * other files with the mode of the first. Where this fails SQLite says what is wrong, or the file system has no modes.
 */
async function keepPrivate(file: string): Promise<void> {
  const close = (made: FileHandle) => made.close();
  await open(file, "a", PRIVATE).then(close, () => undefined);
  for (const each of [file, `${file}-wal`, `${file}-shm`]) await chmod(each, PRIVATE).catch(() => undefined);
}

const PRIVATE = 0o600;

const TABLES = [
  "records",
  "journal_positions",
  "readings",
  "reading_sums",
  "measurements",
  "measurement_sums",
  "photos",
];

class Corrupt extends Error {}

async function assertSound(database: Database, file: string): Promise<void> {
  const found = await database.get<{ quick_check: string }>("PRAGMA quick_check(1)");
  if (found?.quick_check === "ok") return;
  const cause = new Corrupt(found?.quick_check);
  throw new TendrilError("STORE_FAILED", `the database ${file} is corrupt`, { cause });
}

const isCorrupt = (error: unknown): boolean =>
  ["SQLITE_CORRUPT", "SQLITE_NOTADB"].includes(sqliteCode(error) ?? "") ||
  (error instanceof TendrilError && error.particulars.cause instanceof Corrupt);

/** With its write-ahead log, which may hold what can be saved of it. */
async function moveAside(file: string): Promise<string> {
  let n = 1;
  while (await exists(`${file}.corrupt-${n}`)) n += 1;
  const target = `${file}.corrupt-${n}`;
  for (const suffix of ["-wal", "-shm", ""]) {
    if (await exists(file + suffix)) await rename(file + suffix, target + suffix);
  }
  return target;
}
