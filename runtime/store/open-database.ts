import { chmodSync, closeSync, existsSync, openSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { TendrilError } from "../errors.js";
import { Database, inOneText, sqliteCode } from "./database.js";
import { DAY_TABLES, LAYOUT, SERIES_LAYOUTS, SOIL_LAYOUT } from "./measurements.js";
import { completedRollups, completeRollups, extremeColumns, wideIndex, widenIndex } from "./rollup-schema.js";
import { exists, sizeOf } from "./state-folder.js";
import { TEXT_TABLES } from "./text-index.js";
import { THINNED_TABLE } from "./thinning.js";

/** The database's name in a state folder. */
export const DATABASE_FILE = "tendril.sqlite";

interface OpenedDatabase {
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
 * For a database that is made now; one that is there keeps its own. A choice: a commit of readings changes a few hundred bytes of each of
 * some twenty pages, and the log takes whole pages. With SQLite's usual 4096 bytes a day writes half as much again; with 1024 most
 * records of the journals would not fit into a page.
 */
export const PAGE_SIZE = "PRAGMA page_size = 2048";

/**
 * The journals are the fsynced record, so NORMAL is enough here: a power cut may lose the newest commits, never
 * the database. A write-ahead log with something in it at the start tells of a crash: then every page is checked. Else a
 * look into each table has to do: all pages of some years would take a card minutes to read. An empty log is what a reader leaves
 * that outlives the runtime (`Store.close` empties it), or a runtime that died before its first commit: the file is as it was synced.
 */
async function openSound(file: string, relaxed: boolean): Promise<Database> {
  keepPrivate(file);
  const crashed = (await sizeOf(`${file}-wal`)) > 0;
  const setup = [
    "PRAGMA busy_timeout = 2000",
    PAGE_SIZE,
    "PRAGMA journal_mode = WAL",
    `PRAGMA synchronous = ${relaxed ? "OFF" : "NORMAL"}`,
    "PRAGMA foreign_keys = ON",
    "PRAGMA cache_size = -2000",
    "PRAGMA temp_store = MEMORY",
    // what a person has erased leaves nothing in free pages
    "PRAGMA secure_delete = ON",
  ];
  const database = await Database.open({ file, setup });
  try {
    if (crashed) await assertSound(database, file);
    const pageSize = await migrate(database);
    const looks = TABLES.map((table) => `SELECT * FROM ${table} LIMIT 1`);
    await database.script(inOneText([limitLog(pageSize), ...looks]));
    return database;
  } catch (error) {
    await database.close().catch(() => undefined); // the first error is the one to tell
    throw error;
  }
}

/** Bytes of the write-ahead log after which it goes into the database. A choice: 2000 pages of a new database. */
const LOG_BYTES = 4_096_000;

/** SQLite counts pages, and a database of an older version has larger ones. */
const limitLog = (pageSize: number): string =>
  `PRAGMA wal_autocheckpoint = ${Math.round(LOG_BYTES / pageSize)}`;

/**
 * What agent and person write to each other is nobody else's, also in a state folder that others may look into. SQLite makes its
 * other files with the mode of the first. Where this fails SQLite says what is wrong, or the file system has no modes.
 */
export function keepPrivate(file: string): void {
  attempt(() => closeSync(openSync(file, "a", PRIVATE)));
  for (const each of [file, `${file}-wal`, `${file}-shm`])
    if (existsSync(each)) attempt(() => chmodSync(each, PRIVATE));
}

function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // SQLite says it, as told above
  }
}

const PRIVATE = 0o600;

const TABLES = [
  "records",
  "journal_positions",
  "readings",
  "reading_sums",
  "measurements",
  "measurement_sums",
  "reading_days",
  "measurement_days",
  "days_built",
  "history_thinned",
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

/** The tables of version 1. `level` is the name of a reading's last figure, `extremes` are columns that the sums got later. */
const tablesOf = (level: string, extremes: readonly string[]): readonly string[] => [
  // The index over the journals. `at` is the wall time of a record's first entry, in milliseconds.
  `CREATE TABLE records (
     log TEXT NOT NULL, id INTEGER NOT NULL, at INTEGER NOT NULL, subject TEXT, body TEXT NOT NULL, search TEXT,
     PRIMARY KEY (log, id)) WITHOUT ROWID`,
  "CREATE INDEX records_by_time ON records (log, at)",
  "CREATE INDEX records_by_subject ON records (log, subject, at)",
  // How many bytes of each journal the index holds.
  "CREATE TABLE journal_positions (log TEXT PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID",
  // `seq` is the order of arrival, which wall time is not.
  `CREATE TABLE readings (
     seq INTEGER PRIMARY KEY, plant TEXT NOT NULL, at INTEGER NOT NULL,
     value INTEGER NOT NULL, percent REAL NOT NULL, noise REAL NOT NULL, ${level} REAL NOT NULL)`,
  "CREATE INDEX readings_by_time ON readings (plant, at)",
  // Sums over half-hours of wall time: slot = at / 1,800,000.
  `CREATE TABLE reading_sums (
     plant TEXT NOT NULL, slot INTEGER NOT NULL, n INTEGER NOT NULL,
     ${["value INTEGER NOT NULL, percent REAL NOT NULL, noise REAL NOT NULL", `${level} REAL NOT NULL`, ...extremes]},
     PRIMARY KEY (plant, slot)) WITHOUT ROWID`,
  // `file` is null once the picture was deleted to make room.
  `CREATE TABLE photos (
     id INTEGER PRIMARY KEY, plant TEXT NOT NULL, at INTEGER NOT NULL, file TEXT,
     light_on INTEGER NOT NULL, dark INTEGER NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL,
     bytes INTEGER NOT NULL)`,
  "CREATE INDEX photos_by_time ON photos (plant, at)",
];

/**
 * How an older database comes to the present form. `user_version` counts the steps done. A released step is never
 * changed: a new one is added, also to NEW, and test/fixtures/store/ keeps a database of each version.
 */
export const MIGRATIONS: readonly (readonly string[])[] = [
  tablesOf("volts", []),
  [
    // Not every probe measures volts.
    "ALTER TABLE readings RENAME COLUMN volts TO level",
    "ALTER TABLE reading_sums RENAME COLUMN volts TO level",
  ],
];

/**
 * Tables that the version before does not know and does not miss. They are made where they are absent, and `user_version` stays:
 * a program refuses a database with a higher one, and the owner must be able to go back. A later change of
 * these tables is a step of MIGRATIONS.
 */
const ADDED = [
  // `unit` stands beside each value, so that the file can be read without this program. `quality` is null where it is good.
  `CREATE TABLE IF NOT EXISTS measurements (
     seq INTEGER PRIMARY KEY, place TEXT NOT NULL, quantity TEXT NOT NULL, at INTEGER NOT NULL,
     value REAL NOT NULL, unit TEXT NOT NULL, quality TEXT)`,
  `CREATE INDEX IF NOT EXISTS ${wideIndex(LAYOUT)}`,
  // Sums over half-hours of wall time: slot = at / 1,800,000.
  `CREATE TABLE IF NOT EXISTS measurement_sums (
     place TEXT NOT NULL, quantity TEXT NOT NULL, slot INTEGER NOT NULL, n INTEGER NOT NULL, value REAL NOT NULL,
     ${extremeColumns(LAYOUT)}, PRIMARY KEY (place, quantity, slot)) WITHOUT ROWID`,
  ...TEXT_TABLES,
  ...DAY_TABLES,
  THINNED_TABLE,
];

/** What makes a new database at once: the same as all steps, in a fifth of their time. */
const NEW = [
  ...tablesOf("level", extremeColumns(SOIL_LAYOUT)),
  ...ADDED,
  ...SERIES_LAYOUTS.flatMap(completedRollups),
  `PRAGMA user_version = ${MIGRATIONS.length}`,
];

/** Brings the database to the newest form; its page size. Throws STATE_TOO_NEW for one that a newer program has written. */
export async function migrate(database: Database): Promise<number> {
  const row = await database.get<{ user_version: number; page_size: number; tables: number }>(
    `SELECT user_version, page_size, (SELECT count(*) FROM sqlite_schema) AS tables
     FROM pragma_user_version, pragma_page_size`,
  );
  if (row === undefined) throw new Error("SQLite gives no page size");
  const { user_version: version, tables } = row;
  if (version > MIGRATIONS.length) {
    const what = `the database has version ${version}, this program knows versions up to ${MIGRATIONS.length}`;
    throw new TendrilError("STATE_TOO_NEW", what, { details: { found: version, known: MIGRATIONS.length } });
  }
  if (version === 0 && tables === 0) await database.script(inOneText(["BEGIN IMMEDIATE", ...NEW, "COMMIT"]));
  else await bringUpToDate(database, version);
  return row.page_size;
}

async function bringUpToDate(database: Database, version: number): Promise<void> {
  for (const [step, statements] of MIGRATIONS.entries()) {
    if (step >= version) await apply(database, statements, step + 1);
  }
  await database.script(inOneText(ADDED));
  for (const layout of SERIES_LAYOUTS) {
    await completeRollups(database, layout);
    await widenIndex(database, layout);
  }
}

/** The step and its number are one transaction: a power cut leaves the old form or the new one. */
function apply(database: Database, statements: readonly string[], version: number): Promise<void> {
  return database.transaction((changes) =>
    changes.script(inOneText([...statements, `PRAGMA user_version = ${version}`])),
  );
}
