import { type Database, inOneText, type Queries, type SqlValue } from "./database.js";

/** How the rows of a table and the roll-ups beside them are laid out. All names are the program's own. */
export interface SeriesLayout {
  readonly table: string;
  /** Holds the roll-ups of half-hours. */
  readonly sums: string;
  /** Holds the roll-ups of days. */
  readonly days: string;
  /** One or two columns that name a series: the plant, or the place and the quantity. Its index begins with them. */
  readonly key: readonly string[];
  /** Columns with numbers: sum, minimum and maximum of these are kept. */
  readonly numbers: readonly string[];
  /** Columns that are kept as they are. */
  readonly others: readonly string[];
  /** Numbers that the index holds too. */
  readonly indexed: readonly string[];
}

/** Name and columns of an index by time that holds numbers too, as SQL. */
export const wideIndex = ({ table, key, indexed }: SeriesLayout): string =>
  `${table}_by_time ON ${table} (${key}, at, ${indexed})`;

/** The highest number of a row with which an index is made anew. A choice: that takes a second or two on a card. */
const MAX_ROWS_TO_INDEX = 100_000;

/**
 * Adds numbers to the index, so that a sum needs no look at each row: a third of the time. A larger database of an older version keeps
 * its index: to make it anew would take a card minutes, and nothing could be written meanwhile. The older version works with both.
 */
export async function widenIndex(
  database: Database,
  layout: SeriesLayout,
  most = MAX_ROWS_TO_INDEX,
): Promise<void> {
  const { table, indexed } = layout;
  if (indexed.length === 0) return;
  const name = `${table}_by_time`;
  const sql = `CREATE INDEX ${wideIndex(layout)}`;
  const known = await database.get<{ sql: string }>("SELECT sql FROM sqlite_schema WHERE name = ?", [name]);
  const row = await database.get<{ last: number | null }>(`SELECT max(seq) AS last FROM ${table}`);
  if (known?.sql === sql || (row?.last ?? 0) > most) return;
  await database.transaction(async (queries) => {
    await queries.run(`DROP INDEX IF EXISTS ${name}`);
    await queries.run(sql);
  });
}

/** Length of a slot of the roll-ups: half an hour of wall time. */
export const SLOT_MS = 1_800_000;
export const SLOTS_A_DAY = 48;
/** A choice: some 1,500 slots a step, a few milliseconds. */
const DAYS_A_STEP = 30;
/** A choice: so many slots read some 3,000 rows, a few milliseconds. */
const SLOTS_A_STEP = 96;

/** Which series' roll-ups are complete. A name stands there when each day that has a slot has its row, or each slot its extremes. */
const BUILT = "CREATE TABLE IF NOT EXISTS days_built (name TEXT PRIMARY KEY) WITHOUT ROWID";

/** Columns with the least and the greatest value of a column. */
export const lowest = (column: string) => `${column}_min`;
export const highest = (column: string) => `${column}_max`;
const extremesOf = ({ numbers }: Pick<SeriesLayout, "numbers">) =>
  numbers.flatMap((column) => [lowest(column), highest(column)]);

/** SQL that declares the columns that slots and days have for the extremes of these numbers. */
export const extremeColumns = (layout: Pick<SeriesLayout, "numbers">): string[] => [
  ...extremesOf(layout).map((column) => `${column} REAL`),
  "extremes_n INTEGER",
];

/** SQL that makes the table of days. */
export const dayTables = (layout: SeriesLayout): string[] => {
  const { days, key, numbers } = layout;
  const keys = key.map((column) => `${column} TEXT NOT NULL`);
  const figures = numbers.map((column) => `${column} REAL NOT NULL`);
  return [
    BUILT,
    `CREATE TABLE IF NOT EXISTS ${days} (
       ${keys}, day INTEGER NOT NULL, n INTEGER NOT NULL, ${figures}, ${extremeColumns(layout)},
       PRIMARY KEY (${key}, day)) WITHOUT ROWID`,
  ];
};

/** SQL for tables without a row: the triggers, and that all roll-ups are complete. */
export const completedRollups = (layout: SeriesLayout): string[] => [
  ...triggersOf(layout).map(([, sql]) => sql),
  ...buildsOf(layout).map(({ name }) => `INSERT INTO days_built VALUES ('${name}')`),
];

/**
 * Adds minimum and maximum to slots and days, and the triggers that keep the roll-ups right, whichever version of the program
 * writes the rows. The version before does not see these columns. They hold for as many rows as `extremes_n` says: all, if it
 * is `n`.
 */
export async function completeRollups(database: Database, layout: SeriesLayout): Promise<void> {
  const missing = [...(await missingColumns(database, layout)), ...(await missingTriggers(database, layout))];
  if (missing.length === 0) return;
  // in one transaction: the version before must never meet a database without its triggers
  await database.transaction((changes) => changes.script(inOneText(missing)));
}

/** SQL that adds the columns of the extremes that are not there. */
async function missingColumns(database: Database, layout: SeriesLayout): Promise<readonly string[]> {
  const tables = [layout.sums, layout.days];
  const found = await database.all<{ known: string }>(
    "SELECT t.name || '.' || c.name AS known FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.name IN (?, ?)",
    tables,
  );
  const known = new Set(found.map((each) => each.known));
  return tables.flatMap((table) =>
    extremeColumns(layout)
      .filter((column) => !known.has(`${table}.${column.split(" ")[0]}`))
      .map((column) => `ALTER TABLE ${table} ADD COLUMN ${column}`),
  );
}

/** SQL that makes the triggers that are not there, or are those of another version. */
async function missingTriggers(database: Database, layout: SeriesLayout): Promise<readonly string[]> {
  const found = await database.all<{ name: string; sql: string }>(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?",
    [layout.sums],
  );
  const known = new Map(found.map(({ name, sql }) => [name, sql]));
  return triggersOf(layout)
    .filter(([name, sql]) => known.get(name) !== sql)
    .flatMap(([name, sql]) => [`DROP TRIGGER IF EXISTS ${name}`, sql]);
}

/** Name and SQL of each trigger, as SQLite keeps it. The names of the days' are those of the version before, which leaves them as they are. */
function triggersOf(layout: SeriesLayout): [string, string][] {
  const { sums, days, key } = layout;
  const changed = key.map((column) => `${column} = new.${column}`);
  const day = `new.slot / ${SLOTS_A_DAY}`;
  const update = sumDays(layout, [...changed, slotsOfDays(day, `${day} + 1`)].join(" AND "));
  // rows of a version that knows no extremes
  const repair = findExtremes(layout, [...changed, "slot = new.slot"].join(" AND "));
  const trigger = (name: string, event: string, when: string, work: string): [string, string] => [
    name,
    `CREATE TRIGGER ${name} AFTER ${event} ON ${sums} ${when}BEGIN ${work}; END`,
  ];
  const stale = "WHEN new.extremes_n IS NOT new.n ";
  return [
    trigger(`${days}_INSERT`, "INSERT", "", update),
    trigger(`${days}_UPDATE`, "UPDATE", "", update),
    trigger(`${sums}_extremes_INSERT`, "INSERT", stale, repair),
    trigger(`${sums}_extremes_UPDATE`, "UPDATE OF n", stale, repair),
  ];
}

const slotsOfDays = (from: string, until: string) =>
  `slot >= (${from}) * ${SLOTS_A_DAY} AND slot < (${until}) * ${SLOTS_A_DAY}`;

/** Makes the days of these slots anew. */
function sumDays(layout: SeriesLayout, where: string): string {
  const { sums, days, key, numbers } = layout;
  const figures = ["n", ...numbers, ...extremesOf(layout), "extremes_n"];
  const found = numbers.flatMap((column) => [`min(${lowest(column)})`, `max(${highest(column)})`]);
  const totals = numbers.map((column) => `total(${column})`);
  return `INSERT INTO ${days} (${key}, day, ${figures})
    SELECT ${key}, slot / ${SLOTS_A_DAY} AS its_day, sum(n), ${totals}, ${found}, sum(extremes_n) FROM ${sums} WHERE ${where} GROUP BY ${key}, its_day
    ON CONFLICT (${key}, day) DO UPDATE SET ${figures.map((column) => `${column} = excluded.${column}`)}`;
}

/** Works out the extremes of slots from their rows. What is known already stays: rows of it may have been thinned. */
function findExtremes({ table, sums, key, numbers }: SeriesLayout, where: string): string {
  const same = key.map((column) => `${table}.${column} = ${sums}.${column}`).join(" AND ");
  const found = numbers.flatMap((column) => [
    merged("min", lowest(column), column),
    merged("max", highest(column), column),
  ]);
  const columns = numbers.flatMap((column) => [lowest(column), highest(column)]);
  return `UPDATE ${sums} SET (${columns}, extremes_n) = (SELECT ${found}, ${sums}.n FROM ${table}
    WHERE ${same} AND at >= ${sums}.slot * ${SLOT_MS} AND at < (${sums}.slot + 1) * ${SLOT_MS}) WHERE ${where}`;
}

const merged = (which: "min" | "max", known: string, column: string) =>
  `coalesce(${which}(${known}, ${which}(${column})), ${which}(${column}), ${known})`;

/** So many rows go into one statement. A choice: a simulation's commit is one, and so are ten minutes of four probes. */
const ROWS_A_STATEMENT = [200, 40, 10, 1];

/**
 * Stores rows and adds them to their slots; the triggers do the days. Numbers are bound: SQLite reads one of 40,000 that a text gives with
 * 16 digits as the number beside it.
 */
export async function insertRows(
  queries: Queries,
  layout: SeriesLayout,
  columns: readonly string[],
  rows: readonly Readonly<Record<string, SqlValue>>[],
): Promise<void> {
  const { table } = layout;
  const before = await queries.get<{ last: number }>(`SELECT coalesce(max(seq), 0) AS last FROM ${table}`);
  const row = `(${columns.map(() => "?")})`;
  for (let at = 0; at < rows.length; ) {
    const n = ROWS_A_STATEMENT.find((most) => most <= rows.length - at) ?? 1;
    const values = rows.slice(at, at + n).flatMap((each) => columns.map((column) => each[column] ?? null));
    await queries.run(`INSERT INTO ${table} (${columns}) VALUES ${new Array(n).fill(row)}`, values);
    at += n;
  }
  await queries.run(addToSlots(layout), [before?.last ?? 0]);
}

/** Adds the rows behind the `seq` ?1 to their slots. */
function addToSlots({ table, sums, key, numbers }: SeriesLayout): string {
  const slot = `${key}, at / ${SLOT_MS}`;
  const totals = numbers.map((column) => `sum(${column})`);
  const found = numbers.flatMap((column) => [`min(${column})`, `max(${column})`]);
  const added = [...numbers, "extremes_n"].map((column) => `${column} = ${column} + excluded.${column}`);
  const compared = numbers.flatMap((column) => [
    `${lowest(column)} = min(${lowest(column)}, excluded.${lowest(column)})`,
    `${highest(column)} = max(${highest(column)}, excluded.${highest(column)})`,
  ]);
  return `INSERT INTO ${sums} (${key}, slot, n, ${numbers}, ${extremesOf({ numbers })}, extremes_n)
     SELECT ${slot}, count(*), ${totals}, ${found}, count(*) FROM ${table} WHERE seq > ?1 GROUP BY ${slot}
     ON CONFLICT (${key}, slot) DO UPDATE SET n = n + excluded.n, ${added}, ${compared}`;
}

/** One of the two builds: what it looks for from a slot on, and what it does to so many slots. */
interface Build {
  readonly name: string;
  readonly wanted: string;
  readonly step: string;
  readonly slots: number;
}

function buildsOf(layout: SeriesLayout): readonly [Build, Build] {
  const series = layout.key.map((column) => `${column} = ?`);
  const days = sumDays(layout, [...series, "slot >= ?", "slot < ?"].join(" AND "));
  const stale = "extremes_n IS NOT n";
  const extremes = findExtremes(layout, [...series, "slot >= ?", "slot < ?", stale].join(" AND "));
  return [
    { name: layout.days, wanted: "true", step: days, slots: DAYS_A_STEP * SLOTS_A_DAY },
    { name: `${layout.sums}_extremes`, wanted: stale, step: extremes, slots: SLOTS_A_STEP },
  ];
}

/**
 * Builds the roll-ups of a database that was written without them: the days, then the extremes. Each step is a commit of its
 * own, and others have their turn between two. A build that was cut off goes on at the next call, from the beginning where the
 * days are not there. Resolves with whether each is complete: not so if `isOver` says so first.
 */
export async function buildRollups(
  database: Database,
  layout: SeriesLayout,
  isOver: () => boolean,
): Promise<{ days: boolean; extremes: boolean }> {
  const [days, extremes] = buildsOf(layout);
  const found = await database.all<{ name: string }>("SELECT name FROM days_built");
  const built = new Set(found.map(({ name }) => name));
  const isDone = async (build: Build) =>
    built.has(build.name) || (await carryOut(database, layout, build, isOver));
  const hasDays = await isDone(days);
  return { days: hasDays, extremes: hasDays && (await isDone(extremes)) };
}

async function carryOut(
  database: Database,
  layout: SeriesLayout,
  { name, wanted, step, slots }: Build,
  isOver: () => boolean,
): Promise<boolean> {
  const cursor = [...layout.key, "slot"];
  const next = `SELECT ${cursor} FROM ${layout.sums} WHERE (${cursor}) > (${cursor.map(() => "?")}) AND ${wanted} ORDER BY ${cursor} LIMIT 1`;
  let at: (string | number)[] = [...layout.key.map(() => ""), Number.MIN_SAFE_INTEGER];
  while (!isOver()) {
    const found = await database.get<Record<string, string | number>>(next, at);
    if (!found) {
      await database.run("INSERT OR IGNORE INTO days_built VALUES (?)", [name]);
      return true;
    }
    const series = layout.key.map((column) => found[column] ?? "");
    const from = Math.floor(Number(found.slot) / SLOTS_A_DAY) * SLOTS_A_DAY;
    await database.run(step, [...series, from, from + slots]);
    at = [...series, from + slots - 1];
  }
  return false;
}
