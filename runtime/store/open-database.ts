import { chmodSync, closeSync, constants, existsSync, openSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { TendrilError } from "../errors.js";
import { Database, inOneText, sqliteCode } from "./database.js";
import { closedOnFailure } from "./durable-file.js";
import { LAYOUT, SERIES_LAYOUTS, SOIL_LAYOUT } from "./measurements.js";
import { daysOf, extremeColumns, wideIndex } from "./rollup-schema.js";
import { THINNED_TABLE } from "./series.js";
import { exists, sizeOf } from "./state-folder.js";
import { TEXT_TABLES } from "./text-index.js";

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
    `PRAGMA wal_autocheckpoint = ${LOG_PAGES}`,
    "PRAGMA foreign_keys = ON",
    "PRAGMA cache_size = -2000",
    "PRAGMA temp_store = MEMORY",
    // what a person has erased leaves nothing in free pages
    "PRAGMA secure_delete = ON",
  ];
  const database = await Database.open({ file, setup });
  return closedOnFailure(database, async () => {
    if (crashed) await assertSound(database, file);
    await migrate(database);
    await database.script(inOneText(TABLES.map((table) => `SELECT * FROM ${table} LIMIT 1`)));
    return database;
  });
}

/** Pages of the write-ahead log after which it goes into the database. A choice: 4 MB. */
const LOG_PAGES = 2000;

/**
 * What agent and person write to each other is nobody else's, also in a state folder that others may look into. SQLite makes its
 * other files with the mode of the first. Where this fails SQLite says what is wrong, or the file system has no modes.
 */
export function keepPrivate(file: string): void {
  attempt(() => closeSync(openSync(file, AS_MADE, PRIVATE)));
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
/** To open a pipe does not wait for who reads it. */
const AS_MADE = constants.O_WRONLY | constants.O_CREAT | constants.O_NONBLOCK;

const TABLES = [
  "records",
  "journal_positions",
  "readings",
  "reading_sums",
  "measurements",
  "measurement_sums",
  "reading_days",
  "measurement_days",
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

/** What makes a new database, in the newest form. */
const NEW: readonly string[] = [
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
     value INTEGER NOT NULL, percent REAL NOT NULL, noise REAL NOT NULL, level REAL NOT NULL)`,
  "CREATE INDEX readings_by_time ON readings (plant, at)",
  // Sums over half-hours of wall time: slot = at / 1,800,000.
  `CREATE TABLE reading_sums (
     plant TEXT NOT NULL, slot INTEGER NOT NULL, n INTEGER NOT NULL,
     value INTEGER NOT NULL, percent REAL NOT NULL, noise REAL NOT NULL, level REAL NOT NULL,
     ${extremeColumns(SOIL_LAYOUT)}, PRIMARY KEY (plant, slot)) WITHOUT ROWID`,
  // `unit` stands beside each value, so that the file can be read without this program. `quality` is null where it is good.
  `CREATE TABLE measurements (
     seq INTEGER PRIMARY KEY, place TEXT NOT NULL, quantity TEXT NOT NULL, at INTEGER NOT NULL,
     value REAL NOT NULL, unit TEXT NOT NULL, quality TEXT)`,
  `CREATE INDEX ${wideIndex(LAYOUT)}`,
  `CREATE TABLE measurement_sums (
     place TEXT NOT NULL, quantity TEXT NOT NULL, slot INTEGER NOT NULL, n INTEGER NOT NULL, value REAL NOT NULL,
     ${extremeColumns(LAYOUT)}, PRIMARY KEY (place, quantity, slot)) WITHOUT ROWID`,
  ...SERIES_LAYOUTS.flatMap(daysOf),
  THINNED_TABLE,
  // `file` is null once the picture was deleted to make room.
  `CREATE TABLE photos (
     id INTEGER PRIMARY KEY, plant TEXT NOT NULL, at INTEGER NOT NULL, file TEXT,
     light_on INTEGER NOT NULL, dark INTEGER NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL,
     bytes INTEGER NOT NULL)`,
  "CREATE INDEX photos_by_time ON photos (plant, at)",
  ...TEXT_TABLES,
];

/** The form of 2026-11-26: the oldest that can be brought to the newest. */
const OLDEST = 2;

/**
 * How a database comes from each form, beginning with the oldest, to the next. A step that an owner may have done is never changed: a
 * new one is added, its result to NEW, and test/fixtures/ keeps a state of each form.
 */
const STEPS: readonly (readonly string[])[] = [
  [
    // roll-ups are complete in every database, and no other program writes rows
    "DROP TABLE days_built",
    ...SERIES_LAYOUTS.flatMap(({ sums }) => [
      `DROP TRIGGER ${sums}_extremes_INSERT`,
      `DROP TRIGGER ${sums}_extremes_UPDATE`,
    ]),
  ],
];

/**
 * The form of a state folder: `user_version` of its database. It is raised too where only lines of journals have a new form: a program
 * refuses a folder of a newer form (docs/decisions/2026-11-26-state-goes-forward-only.md).
 */
export const FORM = OLDEST + STEPS.length;

/** Brings the database to the newest form. Throws STATE_TOO_NEW, STATE_TOO_OLD. */
export async function migrate(database: Database): Promise<void> {
  const row = await database.get<{ user_version: number; tables: number }>(
    "SELECT user_version, (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_user_version",
  );
  const { user_version: form, tables } = row ?? { user_version: 0, tables: 0 };
  if (form > FORM) {
    const what = `the database has form ${form}, this program knows forms up to ${FORM}`;
    throw new TendrilError("STATE_TOO_NEW", what, { details: { found: form, known: FORM } });
  }
  if (form === 0 && tables === 0)
    return database.script(inOneText(["BEGIN IMMEDIATE", ...formed(NEW, FORM), "COMMIT"]));
  if (form < OLDEST || (form === OLDEST && !(await isComplete(database))))
    throw new TendrilError("STATE_TOO_OLD", `the database has form ${form}, and not all that ${OLDEST} has`);
  for (const [at, step] of STEPS.entries())
    if (OLDEST + at >= form) await apply(database, step, OLDEST + at + 1);
}

/** Whether the version of 2026-11-26 has ended what it builds after the start: the days of each series, and the extremes. */
async function isComplete(database: Database): Promise<boolean> {
  const table = await database.get("SELECT name FROM sqlite_schema WHERE name = 'days_built'");
  const built = table && (await database.get<{ n: number }>("SELECT count(*) AS n FROM days_built"));
  return built?.n === 2 * SERIES_LAYOUTS.length;
}

/** The step and its number are one transaction: a power cut leaves the old form or the new one. */
const apply = (database: Database, step: readonly string[], form: number): Promise<void> =>
  database.transaction((changes) => changes.script(inOneText(formed(step, form))));

const formed = (statements: readonly string[], form: number): readonly string[] => [
  ...statements,
  `PRAGMA user_version = ${form}`,
];
