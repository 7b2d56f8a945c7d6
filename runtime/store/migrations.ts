import { TendrilError } from "../errors.js";
import type { Database } from "./database.js";

/**
 * How the database came to its present form. `user_version` counts the steps done. A released step is never
 * changed: a new one is added, and test/fixtures/store/ keeps a database of each version.
 */
export const MIGRATIONS: readonly (readonly string[])[] = [
  [
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
       value INTEGER NOT NULL, percent REAL NOT NULL, noise REAL NOT NULL, volts REAL NOT NULL)`,
    "CREATE INDEX readings_by_time ON readings (plant, at)",
    // Sums over half-hours of wall time: slot = at / 1,800,000.
    `CREATE TABLE reading_sums (
       plant TEXT NOT NULL, slot INTEGER NOT NULL, n INTEGER NOT NULL,
       value INTEGER NOT NULL, percent REAL NOT NULL, noise REAL NOT NULL, volts REAL NOT NULL,
       PRIMARY KEY (plant, slot)) WITHOUT ROWID`,
    // `file` is null once the picture was deleted to make room.
    `CREATE TABLE photos (
       id INTEGER PRIMARY KEY, plant TEXT NOT NULL, at INTEGER NOT NULL, file TEXT,
       light_on INTEGER NOT NULL, dark INTEGER NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL,
       bytes INTEGER NOT NULL)`,
    "CREATE INDEX photos_by_time ON photos (plant, at)",
  ],
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
  "CREATE INDEX IF NOT EXISTS measurements_by_time ON measurements (place, quantity, at)",
  // Sums over half-hours of wall time: slot = at / 1,800,000.
  `CREATE TABLE IF NOT EXISTS measurement_sums (
     place TEXT NOT NULL, quantity TEXT NOT NULL, slot INTEGER NOT NULL, n INTEGER NOT NULL, value REAL NOT NULL,
     PRIMARY KEY (place, quantity, slot)) WITHOUT ROWID`,
];

/** Brings the database to the newest form. Throws STATE_TOO_NEW for one that a newer program has written. */
export async function migrate(database: Database): Promise<void> {
  const row = await database.get<{ user_version: number }>("PRAGMA user_version");
  const version = row?.user_version ?? 0;
  if (version > MIGRATIONS.length) {
    const what = `the database has version ${version}, this program knows versions up to ${MIGRATIONS.length}`;
    throw new TendrilError("STATE_TOO_NEW", what, { details: { found: version, known: MIGRATIONS.length } });
  }
  for (const [step, statements] of MIGRATIONS.entries()) {
    if (step >= version) await apply(database, statements, step + 1);
  }
  for (const statement of ADDED) await database.script(statement);
}

/** The step and its number are one transaction: a power cut leaves the old form or the new one. */
function apply(database: Database, statements: readonly string[], version: number): Promise<void> {
  return database.transaction(async (queries) => {
    for (const statement of statements) await queries.run(statement);
    await queries.run(`PRAGMA user_version = ${version}`);
  });
}
