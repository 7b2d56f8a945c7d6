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
export const SLOTS_A_DAY = 48;
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
