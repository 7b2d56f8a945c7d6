import type { Queries, SqlValue } from "./database.js";

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

/** Length of a slot of the roll-ups: half an hour of wall time. */
export const SLOT_MS = 1_800_000;
const SLOTS_A_DAY = 48;
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

/** SQL that makes the table of days, and the triggers that keep it right. */
export const daysOf = (layout: SeriesLayout): string[] => {
  const { days, sums, key, numbers } = layout;
  const keys = key.map((column) => `${column} TEXT NOT NULL`);
  const figures = numbers.map((column) => `${column} REAL NOT NULL`);
  const changed = key.map((column) => `${column} = new.${column}`);
  const day = `new.slot / ${SLOTS_A_DAY}`;
  const update = sumDays(layout, [...changed, slotsOfDays(day, `${day} + 1`)].join(" AND "));
  return [
    `CREATE TABLE ${days} (
       ${keys}, day INTEGER NOT NULL, n INTEGER NOT NULL, ${figures}, ${extremeColumns(layout)},
       PRIMARY KEY (${key}, day)) WITHOUT ROWID`,
    ...["INSERT", "UPDATE"].map(
      (event) => `CREATE TRIGGER ${days}_${event} AFTER ${event} ON ${sums} BEGIN ${update}; END`,
    ),
  ];
};

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

export type Extreme = "min" | "max";

/** A choice: from 24 slots to a bucket, days are faster than slots alone, and rounding stays far below the sum. */
const DAYS_FROM_MS = (SLOTS_A_DAY / 2) * SLOT_MS;
/** A choice: below it a bucket has fewer rows than lie between its two edges and the slots nearest to them. */
const SLOTS_FROM_MS = SLOT_MS / 2;

/** What is summed up: rows by millisecond, slots, or days. A position is the beginning of one of them. */
export interface Level {
  readonly table: (layout: SeriesLayout) => string;
  readonly position: string;
  /** SQL for the number of rows in what is found. */
  readonly count: string;
  /** Its length, in positions of the level below. */
  readonly ratio: number;
  /** Its length in milliseconds. */
  readonly ms: number;
  readonly lowest: (column: string) => string;
  readonly highest: (column: string) => string;
}

const itself = (column: string) => column;
const ROWS: Level = {
  ...{ table: ({ table }) => table, position: "at", count: "count(*)", ratio: 1, ms: 1 },
  ...{ lowest: itself, highest: itself },
};
const SLOTS: Level = {
  ...{ table: ({ sums }) => sums, position: "slot", count: "coalesce(sum(n), 0)", ratio: SLOT_MS },
  ...{ ms: SLOT_MS, lowest, highest },
};
const DAYS: Level = {
  ...{ table: ({ days }) => days, position: "day", count: "coalesce(sum(n), 0)", ratio: SLOTS_A_DAY },
  ...{ ms: SLOTS_A_DAY * SLOT_MS, lowest, highest },
};

/** How many levels a layout asks for: narrow buckets are summed up from rows. */
export function levelsFor(widthMs: number): readonly Level[] {
  if (widthMs < SLOTS_FROM_MS) return [ROWS];
  return widthMs >= DAYS_FROM_MS ? [ROWS, SLOTS, DAYS] : [ROWS, SLOTS];
}

/** A choice: below it hardly one slot lies wholly in a bucket, and a look at the rows is faster. */
const EXTREMES_FROM_MS = 1.5 * SLOT_MS;
/** A choice: below it hardly one day lies wholly in a bucket. */
const EXTREMES_OF_DAYS_FROM_MS = 1.5 * SLOTS_A_DAY * SLOT_MS;

/** How many levels minimum and maximum are looked for in. */
export function levelsWithExtremes(widthMs: number): readonly Level[] {
  if (widthMs < EXTREMES_FROM_MS) return [ROWS];
  return widthMs >= EXTREMES_OF_DAYS_FROM_MS ? [ROWS, SLOTS, DAYS] : [ROWS, SLOTS];
}

/** SQL for a number as text with all its digits: SQLite's JSON has 15 of 17. */
export const exactly = (value: string) => `iif(${value} IS NULL, NULL, printf('%!.17g', ${value}))`;

/** The numbers of a JSON array of such texts. One that is infinite is null. */
export const numbersOf = (json: string): (number | null)[] =>
  (JSON.parse(json) as (string | null)[]).map((text) => (text === null ? null : finite(Number(text))));

/** Null for what older versions could store, and JSON cannot say. */
export const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** How SQLite writes what is infinite. Earlier versions added up whatever an import brought. */
const INFINITE = "Inf";

/** The numbers that SQLite has joined with commas. One that is infinite is NaN, and so is all that is worked out from it. */
export const joinedNumbers = (text: string): number[] =>
  text.includes(INFINITE)
    ? text.split(",").map((each) => (each.includes(INFINITE) ? Number.NaN : Number(each)))
    : (JSON.parse(`[${text}]`) as number[]);

/** The numbers from 0 on, in a table of the connection: SQLite knows its order, so that GROUP BY needs no sorting. */
export const BUCKET_NUMBERS = "bucket_numbers";
/** Makes that table, or adds to it what it lacks. */
export const numbersTable = (last: number): readonly string[] => [
  `CREATE TEMP TABLE IF NOT EXISTS ${BUCKET_NUMBERS} (k INTEGER PRIMARY KEY)`,
  `INSERT OR IGNORE INTO ${BUCKET_NUMBERS} WITH RECURSIVE each(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM each WHERE k < ${last}) SELECT k FROM each`,
];
