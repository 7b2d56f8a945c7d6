import type { BucketLayout } from "./bucket.js";
import type { Queries } from "./database.js";
import { findExtremes } from "./extremes.js";
import {
  BUCKET_NUMBERS,
  type Complete,
  type Extreme,
  exactly,
  type Level,
  levelsFor,
  numbersOf,
  ROWS,
} from "./rollup-levels.js";
import { type SeriesLayout, SLOT_MS } from "./rollup-schema.js";

/** The figures of one bucket. `extreme` is the least or the greatest value, as it was asked for. */
export interface BucketSum {
  records: number;
  total: number;
  extreme: number | null;
}

export interface SumQuery {
  readonly key: readonly string[];
  /** The column to sum up; absent: only count. */
  readonly column?: string;
  readonly extreme?: Extreme;
  readonly complete: Complete;
  /** Rows before it may be gone: edges of buckets there are those of slots. Epoch milliseconds; the beginning of a slot. */
  readonly thinnedBefore: number;
}

/** The first millisecond behind each edge of the layout, the oldest first: one more than there are buckets. */
export const edgesOf = ({ buckets }: BucketLayout, thinnedBefore: number): number[] =>
  [buckets[0]?.lo ?? 0, ...buckets.map(({ hi }) => hi)].map((edge) =>
    edge + 1 < thinnedBefore ? Math.floor((edge + 1 + SLOT_MS / 2) / SLOT_MS) * SLOT_MS : edge + 1,
  );

/** Figures of each bucket, in one or two statements whatever the layout is. */
export async function sumBuckets(
  queries: Queries,
  layout: SeriesLayout,
  buckets: BucketLayout,
  query: SumQuery,
): Promise<BucketSum[]> {
  const levels = levelsOf(buckets, query);
  const edges = edgesOf(buckets, query.thinnedBefore);
  const { extreme, column = "" } = query;
  // extremes of many levels are looked for by themselves
  const figure = extreme === undefined ? "total" : levels.length === 1 ? extreme : undefined;
  const sides = await readSides(queries, layout, buckets, { levels, query, figure });
  const sums = summedUp(edges, levels, sides);
  if (extreme === undefined || levels.length === 1) return sums;
  const among = { layout, key: query.key, column, extreme };
  const found = await findExtremes(queries, query.complete.extremes ? levels : [ROWS], edges, among);
  return sums.map((sum, k) => ({ ...sum, extreme: found[k] ?? null }));
}

/** A choice: of two slots hardly one lies wholly in a bucket, and a look at the rows is faster. */
const EXTREMES_FROM_MS = 2 * SLOT_MS;

function levelsOf(
  { widthMs, buckets }: BucketLayout,
  { extreme, complete, thinnedBefore }: SumQuery,
): readonly Level[] {
  const hasRows = (buckets[0]?.lo ?? 0) + 1 >= thinnedBefore;
  return extreme !== undefined && hasRows && widthMs < EXTREMES_FROM_MS
    ? [ROWS]
    : levelsFor(widthMs, complete);
}

/** Of one level, at each edge: what lies beside the edge, or, on the highest level, since the edge before. */
interface Side {
  readonly n: readonly number[];
  /** The sum, or the extreme that was asked for. Empty: only the number was. */
  readonly figure: readonly (number | null)[];
}

/**
 * At an edge between two buckets the position of the level above is rounded: what lies between both is read from the level
 * below once, added to the bucket on one side and taken from that on the other.
 */
function summedUp(edges: readonly number[], levels: readonly Level[], sides: readonly Side[]): BucketSum[] {
  const positions = [edges];
  for (const { ratio } of levels.slice(1))
    positions.push((positions.at(-1) ?? []).map((below) => Math.floor((below + ratio / 2) / ratio)));
  const beside = (j: number, figure: keyof Side) =>
    levels.slice(1).reduce((sum, { ratio }, at) => {
      const isBehind = (positions[at]?.[j] ?? 0) >= (positions[at + 1]?.[j] ?? 0) * ratio;
      return sum + (isBehind ? 1 : -1) * (sides[at]?.[figure][j] ?? 0);
    }, 0);
  const since = sides.at(-1);
  return edges.slice(1).map((_, k) => {
    const records = (since?.n[k + 1] ?? 0) + beside(k + 1, "n") - beside(k, "n");
    // without records the sums differ by their rounding
    if (records === 0) return { records, total: 0, extreme: null };
    const total = (since?.figure[k + 1] ?? 0) + beside(k + 1, "figure") - beside(k, "figure");
    return { records, total, extreme: since?.figure[k + 1] ?? null };
  });
}

/** What is asked of each level. */
interface SidesQuery {
  readonly levels: readonly Level[];
  readonly query: SumQuery;
  /** Absent: only the number of rows. */
  readonly figure: "total" | Extreme | undefined;
}

async function readSides(
  queries: Queries,
  layout: SeriesLayout,
  buckets: BucketLayout,
  { levels, query: { key, column, thinnedBefore }, figure }: SidesQuery,
): Promise<Side[]> {
  const sql = sidesSql(layout, levels, figure && column !== undefined ? `${figure}(${column})` : undefined);
  const params = [...edgeParams(buckets, thinnedBefore), ...key];
  const rows = await queries.all<{ n: string; figure: string }>(sql, params);
  return rows.map(({ n, figure: found }) => ({ n: JSON.parse(n) as number[], figure: numbersOf(found) }));
}

/** Numbers above 32 bits bind as REAL. */
const [FROM, END, COUNT, THINNED] = [1, 2, 3, 5].map((at) => `CAST(?${at} AS INTEGER)`);

/** What `edgeSql` needs, as ?1 to ?5. */
export const edgeParams = ({ widthMs, buckets }: BucketLayout, thinnedBefore: number): number[] => [
  buckets[0]?.lo ?? 0,
  buckets.at(-1)?.hi ?? 0,
  buckets.length,
  widthMs,
  thinnedBefore,
];

/** SQL for the rows of one series: its key follows the edges' parameters. */
export const isOfSeries = (layout: SeriesLayout): string =>
  layout.key.map((name, at) => `${name} = ?${at + 6}`).join(" AND ");

/** The first millisecond behind the edge `k`, as `layOutBuckets` and `edgesOf` have it. */
export function edgeSql(k: string): string {
  const exact = `(iif(${k} = 0, ${FROM}, ${END} - CAST(round((${COUNT} - (${k})) * ?4) AS INTEGER)) + 1)`;
  return `iif(${exact} < ${THINNED}, (${exact} + ${SLOT_MS / 2}) / ${SLOT_MS} * ${SLOT_MS}, ${exact})`;
}

/** `figure` is SQL for a figure of the rows, or of the roll-ups. */
function sidesSql(layout: SeriesLayout, levels: readonly Level[], figure: string | undefined): string {
  const where = isOfSeries(layout);
  const positionAt = (level: number, k: string): string =>
    level === 0
      ? edgeSql(k)
      : `((${positionAt(level - 1, k)} + ${(levels[level]?.ratio ?? 1) / 2}) / ${levels[level]?.ratio})`;
  const top = levels.length - 1;
  const sides = levels.map((level, at) => {
    const [here, above] = [positionAt(at, "k"), `${positionAt(at + 1, "k")} * ${levels[at + 1]?.ratio}`];
    const [from, until] =
      at === top ? [positionAt(at, "k - 1"), here] : [`min(${here}, ${above})`, `max(${here}, ${above})`];
    // before the first edge there is no bucket
    const isPast = at === top ? "k > 0 AND " : "";
    const figures = figure === undefined ? "'[]'" : `json_group_array(${exactly("figure")})`;
    return `SELECT json_group_array(n) AS n, ${figures} AS figure FROM (
      SELECT ${level.count} AS n${figure === undefined ? "" : `, ${figure} AS figure`}
      FROM ${BUCKET_NUMBERS} LEFT JOIN ${level.table(layout)}
        ON ${isPast}${where} AND ${level.position} >= ${from} AND ${level.position} < ${until}
      WHERE k <= ${COUNT} GROUP BY k ORDER BY k)`;
  });
  return sides.join(" UNION ALL ");
}
