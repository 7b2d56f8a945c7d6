import type { BucketLayout } from "./bucket.js";
import type { Queries } from "./database.js";
import { edgeParams, edgeSql, isOfSeries } from "./rollup.js";
import { BUCKET_NUMBERS, exactly, numbersOf } from "./rollup-levels.js";
import type { SeriesLayout } from "./rollup-schema.js";

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
