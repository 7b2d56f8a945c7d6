import type { BucketLayout } from "./bucket.js";
import type { Database } from "./database.js";

/** How the rows of a table and the sums beside them are laid out. All names are the program's own. */
export interface SeriesLayout {
  readonly table: string;
  /** Holds the sums over half-hours. */
  readonly sums: string;
  /** Holds the sums over days. */
  readonly days: string;
  /** One or two columns that name a series: the plant, or the place and the quantity. Its index begins with them. */
  readonly key: readonly string[];
  /** Columns with numbers: sums of these are kept. */
  readonly numbers: readonly string[];
  /** Columns that are kept as they are. */
  readonly others: readonly string[];
}

/** Length of a slot of the sums: half an hour of wall time. */
export const SLOT_MS = 1_800_000;
const SLOTS_A_DAY = 48;
/** A choice: from 24 slots to a bucket, days are faster than slots alone, and rounding stays far below the sum. */
const DAYS_FROM_MS = (SLOTS_A_DAY / 2) * SLOT_MS;
/** A choice: some 1,500 slots a step of the build, a few milliseconds. */
const DAYS_A_STEP = 30;

/** Which series builds are complete: a name stands there when each day that has a slot has its row. */
const BUILT = "CREATE TABLE IF NOT EXISTS days_built (name TEXT PRIMARY KEY) WITHOUT ROWID";

/**
 * SQL that makes the table of days, and the triggers that keep it right. They work out a whole day from its slots whenever
 * one of them changes, whichever version of the program writes it.
 */
export function dayStatements(layout: SeriesLayout): string[] {
  const { sums, days, key, numbers } = layout;
  const keys = key.map((column) => `${column} TEXT NOT NULL`);
  const figures = numbers.map((column) => `${column} REAL NOT NULL`);
  const changed = key.map((column) => `${column} = new.${column}`);
  const day = `new.slot / ${SLOTS_A_DAY}`;
  const update = sumDays(layout, [...changed, slotsOfDays(day, `${day} + 1`)].join(" AND "));
  const trigger = (event: string) =>
    `CREATE TRIGGER IF NOT EXISTS ${days}_${event} AFTER ${event} ON ${sums} BEGIN ${update}; END`;
  return [
    BUILT,
    `CREATE TABLE IF NOT EXISTS ${days} (
       ${keys}, day INTEGER NOT NULL, n INTEGER NOT NULL, ${figures}, PRIMARY KEY (${key}, day)) WITHOUT ROWID`,
    trigger("INSERT"),
    trigger("UPDATE"),
  ];
}

const slotsOfDays = (from: string, until: string) =>
  `slot >= (${from}) * ${SLOTS_A_DAY} AND slot < (${until}) * ${SLOTS_A_DAY}`;

function sumDays({ sums, days, key, numbers }: SeriesLayout, where: string): string {
  const totals = numbers.map((column) => `total(${column})`);
  const replaced = ["n", ...numbers].map((column) => `${column} = excluded.${column}`);
  return `INSERT INTO ${days} (${key}, day, n, ${numbers})
    SELECT ${key}, slot / ${SLOTS_A_DAY} AS its_day, sum(n), ${totals} FROM ${sums} WHERE ${where} GROUP BY ${key}, its_day
    ON CONFLICT (${key}, day) DO UPDATE SET ${replaced}`;
}

/**
 * Builds the days of a database that was written without them. Each step is a commit of its own, and others have their turn
 * between two; a build that was cut off begins anew. Resolves with whether it is complete: not so if `isOver` says so first.
 */
export async function buildDays(
  database: Database,
  layout: SeriesLayout,
  isOver: () => boolean,
): Promise<boolean> {
  if (await database.get("SELECT name FROM days_built WHERE name = ?", [layout.days])) return true;
  const cursor = [...layout.key, "slot"];
  const next = `SELECT ${cursor} FROM ${layout.sums} WHERE (${cursor}) > (${cursor.map(() => "?")}) ORDER BY ${cursor} LIMIT 1`;
  const step = sumDays(
    layout,
    [...layout.key.map((column) => `${column} = ?`), slotsOfDays("?", "?")].join(" AND "),
  );
  let at: (string | number)[] = [...layout.key.map(() => ""), Number.MIN_SAFE_INTEGER];
  while (!isOver()) {
    const found = await database.get<Record<string, string | number>>(next, at);
    if (!found) {
      await database.run("INSERT OR IGNORE INTO days_built VALUES (?)", [layout.days]);
      return true;
    }
    const series = layout.key.map((column) => found[column] ?? "");
    const day = Math.floor(Number(found.slot) / SLOTS_A_DAY);
    await database.run(step, [...series, day, day + DAYS_A_STEP]);
    at = [...series, (day + DAYS_A_STEP) * SLOTS_A_DAY - 1];
  }
  return false;
}

/** What is summed up: rows by millisecond, slots, or days. A position is the beginning of one of them. */
interface Level {
  readonly table: (layout: SeriesLayout) => string;
  readonly position: string;
  /** SQL for the number of rows in what is found. */
  readonly count: string;
  /** Its length, in positions of the level below. */
  readonly ratio: number;
}

const LEVELS: readonly Level[] = [
  { table: ({ table }) => table, position: "at", count: "count(*)", ratio: 1 },
  { table: ({ sums }) => sums, position: "slot", count: "coalesce(sum(n), 0)", ratio: SLOT_MS },
  { table: ({ days }) => days, position: "day", count: "coalesce(sum(n), 0)", ratio: SLOTS_A_DAY },
];

/** How many levels a layout asks for: buckets shorter than a slot are summed up from rows. */
function depthFor(widthMs: number, hasDays: boolean): number {
  if (widthMs < SLOT_MS) return 1;
  return hasDays && widthMs >= DAYS_FROM_MS ? 3 : 2;
}

/** Records and sum of one bucket. */
export interface BucketSum {
  readonly records: number;
  readonly total: number;
}

export interface SumQuery {
  readonly key: readonly string[];
  /** The column to sum up; absent: only count. */
  readonly column?: string;
  /** Whether the table of days is complete. */
  readonly hasDays: boolean;
}

/**
 * Records and sum of each bucket. At an edge between two buckets the position of the level above is rounded: what lies between
 * both is read from the level below once, added to the bucket on one side and taken from that on the other.
 */
export async function sumBuckets(
  database: Database,
  layout: SeriesLayout,
  { widthMs, buckets }: BucketLayout,
  { key, column, hasDays }: SumQuery,
): Promise<BucketSum[]> {
  const edges = [buckets[0]?.lo ?? 0, ...buckets.map(({ hi }) => hi)];
  const sql = sumSql(layout, depthFor(widthMs, hasDays), column);
  const rows = await database.all<EdgeSums>(sql, [JSON.stringify(edges), ...key]);
  return buckets.map((_, k) => bucketSum(rows[k], rows[k + 1]));
}

/** At an edge: what is beside the position on the highest level, and what is on that level since the edge before. */
interface EdgeSums {
  readonly beside_n: number;
  readonly since_n: number;
  readonly beside_total?: number;
  readonly since_total?: number;
}

function bucketSum(from: EdgeSums | undefined, until: EdgeSums | undefined): BucketSum {
  if (!from || !until) return NOTHING;
  const records = until.since_n + until.beside_n - from.beside_n;
  const { since_total = 0, beside_total = 0 } = until;
  // without records the sums differ by their rounding
  return records === 0 ? NOTHING : { records, total: since_total + beside_total - (from.beside_total ?? 0) };
}

const NOTHING: BucketSum = { records: 0, total: 0 };

/** `p0` is the first millisecond behind an edge, `p1` the nearest slot, `p2` the nearest day; `since` is `p` of the edge before. */
function sumSql(layout: SeriesLayout, depth: number, column: string | undefined): string {
  const where = layout.key.map((name, at) => `${name} = ?${at + 2}`).join(" AND ");
  const top = depth - 1;
  const over = (at: number, figure: (level: Level) => string, from: string, until: string) => {
    const level = LEVELS[at] as Level;
    return `(SELECT ${figure(level)} FROM ${level.table(layout)} WHERE ${where} AND ${level.position} >= ${from} AND ${level.position} < ${until})`;
  };
  const figures = (name: string, figure: (level: Level) => string) => {
    const beside = LEVELS.slice(0, top).map((_, at) => {
      const above = `p${at + 1} * ${LEVELS[at + 1]?.ratio}`;
      return `iif(p${at} < ${above}, -${over(at, figure, `p${at}`, above)}, ${over(at, figure, above, `p${at}`)})`;
    });
    return [
      `${["0", ...beside].join(" + ")} AS beside_${name}`,
      `${over(top, figure, "since", `p${top}`)} AS since_${name}`,
    ];
  };
  const sums = [
    ...figures("n", ({ count }) => count),
    ...(column === undefined ? [] : figures("total", () => `total(${column})`)),
  ];
  return `WITH ${positions(depth)}, edges AS MATERIALIZED (SELECT *, lag(p${top}) OVER (ORDER BY k) AS since FROM level${top})
    SELECT ${sums} FROM edges ORDER BY k`;
}

/** `level0` to the highest: each has the positions of those before it, and its own. */
function positions(depth: number): string {
  const levels = LEVELS.slice(0, depth).map(({ ratio }, at) =>
    at === 0
      ? "level0 AS (SELECT key AS k, value + 1 AS p0 FROM json_each(?1))"
      : `level${at} AS (SELECT *, (p${at - 1} + ${ratio / 2}) / ${ratio} AS p${at} FROM level${at - 1})`,
  );
  return levels.join(", ");
}
