import { highest, lowest, type SeriesLayout, SLOT_MS, SLOTS_A_DAY } from "./rollup-schema.js";

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
