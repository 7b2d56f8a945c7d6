import type { BucketLayout } from "./bucket.js";
import type { Queries } from "./database.js";
import { type BucketSum, edgeParams, edgeSql, edgesOf, isOfSeries } from "./rollup.js";
import {
  BUCKET_NUMBERS,
  type Extreme,
  exactly,
  finite,
  joinedNumbers,
  numbersOf,
  type SeriesLayout,
} from "./rollup-schema.js";

export type Sampling = "first" | "last" | "middle";

/** One field of a record: the series that it is from, and the column there. */
interface SampledField {
  readonly name: string;
  readonly key: readonly string[];
  readonly column: string;
}

/** What a whole record looks like. */
export interface RecordShape {
  readonly fields: readonly SampledField[];
  /** Of several rows at one time the last is shown, not the first. */
  readonly newest: boolean;
}

/** A record of a series: its time, and its fields. A field of another series that was not measured then is null. */
export interface SampledRecord {
  readonly at: number;
  readonly values: readonly (number | null)[];
}

/** SQL for the time of the first or last row from `from` until `until`. */
type Seek = (layout: SeriesLayout, from: string, until: string) => string;
const seek =
  (order: string): Seek =>
  (layout, from, until) =>
    `(SELECT at FROM ${layout.table} WHERE ${isOfSeries(layout)} AND at >= ${from} AND at < ${until} ORDER BY at ${order} LIMIT 1)`;
const [EARLIEST, LATEST] = [seek("ASC"), seek("DESC")];

const [BEFORE, BEHIND] = [edgeSql("k - 1"), edgeSql("k")];
/** The first millisecond behind the middle of a bucket: edges are one more than `lo` and `hi`. */
const CENTRE = `((${BEFORE} + ${BEHIND} - 2) / 2 + 1)`;
/** Candidates for the time of each bucket's record. */
const CANDIDATES: Record<Sampling, (layout: SeriesLayout) => readonly string[]> = {
  first: (layout) => [EARLIEST(layout, BEFORE, BEHIND)],
  last: (layout) => [LATEST(layout, BEFORE, BEHIND)],
  middle: (layout) => [LATEST(layout, BEFORE, CENTRE), EARLIEST(layout, CENTRE, BEHIND)],
};

/** One or two lists of times, a time or null for each bucket, among which is that of its record. Found by the index alone. */
export async function candidateTimes(
  queries: Queries,
  layout: SeriesLayout,
  buckets: BucketLayout,
  { key, sampling }: { readonly key: readonly string[]; readonly sampling: Sampling },
): Promise<(number | null)[][]> {
  const columns = CANDIDATES[sampling](layout).map((found, at) => `${found} AS at${at}`);
  const arrays = columns.map((_, at) => `json_group_array(at${at}) AS at${at}`);
  const sql = `SELECT ${arrays} FROM (SELECT ${columns} FROM ${BUCKET_NUMBERS} WHERE k > 0 AND k <= CAST(?3 AS INTEGER) ORDER BY k)`;
  const [row] = await queries.all<Record<string, string>>(sql, [...edgeParams(buckets, 0), ...key]);
  return Object.values(row ?? {}).map((json) => JSON.parse(json) as (number | null)[]);
}

/** The records at these times. Of several rows at one time the last counts, or the first. */
export async function recordsAt(
  queries: Queries,
  layout: SeriesLayout,
  times: readonly number[],
  { fields, newest }: RecordShape,
): Promise<SampledRecord[]> {
  const { table } = layout;
  const series = [...new Map(fields.map(({ key }) => [key.join(), key])).values()];
  const width = layout.key.length;
  const found = (n: number, what: string) => {
    const isIts = layout.key.map((name, at) => `${name} = ?${n * width + at + 2}`).join(" AND ");
    return `SELECT ${what} FROM ${table} WHERE ${isIts} AND at = asked.value`;
  };
  const seq = `${newest ? "max" : "min"}(seq)`;
  // SQLite takes a bare column from the row with the maximum or minimum: an index that holds it is enough
  const isIndexed = fields.every(({ column }) => layout.indexed.includes(column));
  const joins = series.map((_, n) => `LEFT JOIN ${table} AS s${n} ON s${n}.seq = (${found(n, seq)})`);
  const columns = fields.map(({ key, column }, at) => {
    const n = series.findIndex((each) => each.join() === key.join());
    const value = isIndexed
      ? `(SELECT ${column} FROM (${found(n, `${column}, ${seq}`)}))`
      : `s${n}.${column}`;
    return `json_group_array(${exactly(value)}) AS f${at}`;
  });
  const sql = `SELECT ${columns} FROM json_each(?1) AS asked ${isIndexed ? "" : joins.join(" ")}`;
  const [row] = await queries.all<Record<string, string>>(sql, [JSON.stringify(times), ...series.flat()]);
  const all = Object.values(row ?? {}).map(numbersOf);
  return times.map((at, k) => ({ at, values: all.map((values) => values[k] ?? null) }));
}

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
