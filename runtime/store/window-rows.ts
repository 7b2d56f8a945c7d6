import type { BucketLayout } from "./bucket.js";
import type { Queries } from "./database.js";
import { type BucketSum, edgesOf } from "./rollup.js";
import { type Extreme, finite, joinedNumbers } from "./rollup-levels.js";
import type { SeriesLayout } from "./rollup-schema.js";
import type { RecordShape, SampledRecord, Sampling } from "./samples.js";

/** The rows of a series in a window, oldest first. */
export interface WindowRows {
  readonly at: readonly number[];
  /** One column of them; empty if none was asked for. */
  readonly value: readonly number[];
}

/** A choice: with a row a minute a look at each bucket is as fast from here on. */
const NARROW_MS = 5 * 60_000;
/** A choice: reading so many holds up the process for a millisecond. */
const MAX_ROWS = 6000;

/**
 * The rows of a window with narrow buckets, read in one go: a look at each bucket by itself costs more than the few rows that it has.
 * Undefined where there may be many.
 */
export async function fewRows(
  queries: Queries,
  layout: SeriesLayout,
  { widthMs, buckets }: BucketLayout,
  { key, column }: { readonly key: readonly string[]; readonly column?: string | undefined },
): Promise<WindowRows | undefined> {
  if (widthMs > NARROW_MS) return undefined;
  const [from, until] = [(buckets[0]?.lo ?? 0) + 1, (buckets.at(-1)?.hi ?? 0) + 1];
  const isIts = layout.key.map((name, at) => `${name} = ?${at + 3}`).join(" AND ");
  const columns = column === undefined ? ["at"] : ["at", column];
  // as texts: an object for each row would take three times as long
  const texts = ["at - CAST(?1 AS INTEGER)", ...columns.slice(1)].map(
    (each, at) => `group_concat(${each}, ',') AS t${at}`,
  );
  const sql = `SELECT ${texts} FROM (SELECT ${columns} FROM ${layout.table} WHERE ${isIts}
    AND at >= CAST(?1 AS INTEGER) AND at < CAST(?2 AS INTEGER) ORDER BY at LIMIT ${MAX_ROWS + 1})`;
  const row = await queries.get<Record<string, string | null>>(sql, [from, until, ...key]);
  const [at = [], value = []] = Object.values(row ?? {}).map((text) => joinedNumbers(text ?? ""));
  return at.length > MAX_ROWS ? undefined : { at: at.map((since) => from + since), value };
}

/** For each time, in order, the place of the first row that is not before it. */
function startsOf(at: readonly number[], times: readonly number[]): number[] {
  let next = 0;
  return times.map((edge) => {
    while (next < at.length && (at[next] ?? 0) < edge) next += 1;
    return next;
  });
}

/** As `sumBuckets` has them. */
export function sumsOf(
  { at, value }: WindowRows,
  layout: BucketLayout,
  extreme: Extreme | undefined,
): BucketSum[] {
  const starts = startsOf(at, edgesOf(layout, Number.MIN_SAFE_INTEGER));
  return layout.buckets.map((_, k) => {
    const [from = 0, until = 0] = [starts[k], starts[k + 1]];
    const sum: BucketSum = { records: until - from, total: 0, extreme: null };
    for (let n = from; n < until && n < value.length; n += 1) {
      const its = value[n] ?? 0;
      sum.total += its;
      if (extreme) sum.extreme = Math[extreme](its, sum.extreme ?? its);
    }
    return sum;
  });
}

/** As `candidateTimes` has them. */
export function timesAmong(
  at: readonly number[],
  layout: BucketLayout,
  sampling: Sampling,
): (number | null)[][] {
  const starts = startsOf(at, edgesOf(layout, Number.MIN_SAFE_INTEGER));
  const from = starts.slice(0, -1);
  const among = (row: number, k: number) =>
    row >= (starts[k] ?? 0) && row < (starts[k + 1] ?? 0) ? (at[row] ?? null) : null;
  if (sampling === "first") return [from.map(among)];
  if (sampling === "last") return [starts.slice(1).map((next, k) => among(next - 1, k))];
  const middles = layout.buckets.map(({ lo, hi }) => Math.floor((lo + hi) / 2) + 1);
  const behind = startsOf(at, middles);
  return [behind.map((row, k) => among(row - 1, k)), behind.map(among)];
}

/** As `recordsAt` has them, of times in order; undefined if it takes more to tell which of several rows at one time is shown. */
export function recordsAmong(
  rows: readonly WindowRows[],
  times: readonly number[],
): SampledRecord[] | undefined {
  const columns = rows.map((each) => valuesAt(each, times));
  if (columns.includes(undefined)) return undefined;
  return times.map((at, n) => ({ at, values: columns.map((values) => values?.[n] ?? null) }));
}

function valuesAt({ at, value }: WindowRows, times: readonly number[]): (number | null)[] | undefined {
  const starts = startsOf(at, times);
  if (times.some((time, n) => at[starts[n] ?? 0] === time && at[(starts[n] ?? 0) + 1] === time))
    return undefined;
  return times.map((time, n) =>
    at[starts[n] ?? 0] === time ? finite(value[starts[n] ?? 0] ?? Number.NaN) : null,
  );
}

/** The rows behind each field of a record, if there are few and the index holds them. */
export async function fewRowsOf(
  queries: Queries,
  layout: SeriesLayout,
  buckets: BucketLayout,
  { fields }: RecordShape,
): Promise<WindowRows[] | undefined> {
  if (!fields.every(({ column }) => layout.indexed.includes(column))) return undefined;
  const found: WindowRows[] = [];
  for (const field of fields) {
    const rows = await fewRows(queries, layout, buckets, field);
    if (!rows) return undefined;
    found.push(rows);
  }
  return found;
}
