import type { BucketLayout } from "./bucket.js";
import type { Queries } from "./database.js";
import {
  BUCKET_NUMBERS,
  type Extreme,
  joinedNumbers,
  type Level,
  levelsFor,
  levelsWithExtremes,
  type SeriesLayout,
  SLOT_MS,
} from "./rollup-schema.js";

/** The figures of one bucket. `extreme` is the least or the greatest value, as it was asked for. */
export interface BucketSum {
  records: number;
  total: number;
  extreme: number | null;
}

export interface SumQuery {
  readonly key: readonly string[];
  /** The column to sum up; absent: only count. */
  readonly column?: string | undefined;
  readonly extreme?: Extreme | undefined;
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
  const { extreme, column } = query;
  const among = extreme === undefined ? undefined : levelsForExtremes(buckets, query);
  // from rows alone, all figures are found in one go
  const isOne = among?.length === 1;
  const levels = isOne ? among : levelsFor(buckets.widthMs);
  const figure = extreme === undefined ? "total" : isOne ? extreme : undefined;
  const sides = await readSides(queries, layout, buckets, { levels, query, figure });
  const sums = summedUp(edgesOf(buckets, query.thinnedBefore), levels, sides);
  if (!among || isOne || extreme === undefined || column === undefined) return sums;
  const edges = edgesSql(isRounded(buckets, query));
  const sql = extremesSql(layout, among, { column, extreme, edges, where: isOfSeries(layout) });
  const [row] = await queries.all<{ found: string }>(sql, paramsOf(buckets, query));
  const found = JSON.parse(row?.found ?? "[]") as (number | null)[];
  return sums.map((sum, k) => ({ ...sum, extreme: found[k] ?? null }));
}

/** Whether edges are those of slots where rows may be gone. */
const isRounded = ({ buckets }: BucketLayout, { thinnedBefore }: { readonly thinnedBefore: number }) =>
  (buckets[0]?.lo ?? 0) + 1 < thinnedBefore;

function levelsForExtremes(buckets: BucketLayout, query: SumQuery): readonly Level[] {
  const levels = levelsWithExtremes(buckets.widthMs);
  return levels.length === 1 && isRounded(buckets, query) ? levelsFor(buckets.widthMs) : levels;
}

/** Of one level, at each edge: what lies beside the edge, or, on the highest level, since the edge before. */
interface Side {
  /** For each edge the number of rows, and then the sum or the extreme that was asked for, if any was. */
  readonly numbers: readonly number[];
  /** 1 or 2 numbers for each edge. */
  readonly width: number;
}

/**
 * At an edge between two buckets the position of the level above is rounded: what lies between both is read from the level
 * below once, added to the bucket on one side and taken from that on the other.
 */
function summedUp(edges: readonly number[], levels: readonly Level[], sides: readonly Side[]): BucketSum[] {
  const sums: BucketSum[] = [];
  const since = sides.at(-1);
  let was = { n: 0, total: 0 };
  for (const [j, edge] of edges.entries()) {
    const beside = besideEdge(edge, j, levels, sides);
    const figure = since?.width === 2 ? (since.numbers[2 * j + 1] ?? 0) : 0;
    const records = (since?.numbers[j * since.width] ?? 0) + beside.n - was.n;
    // without records the sums differ by their rounding
    if (j > 0 && records === 0) sums.push({ records, total: 0, extreme: null });
    else if (j > 0) sums.push({ records, total: figure + beside.total - was.total, extreme: figure });
    was = beside;
  }
  return sums;
}

/** What the levels below the highest have between an edge and its rounded position. */
function besideEdge(edge: number, j: number, levels: readonly Level[], sides: readonly Side[]) {
  let [position, n, total] = [edge, 0, 0];
  for (let at = 0; at + 1 < levels.length; at += 1) {
    const [ratio, side] = [levels[at + 1]?.ratio ?? 1, sides[at]];
    const above = Math.floor((position + ratio / 2) / ratio);
    const sign = position >= above * ratio ? 1 : -1;
    n += sign * (side?.numbers[j * side.width] ?? 0);
    if (side?.width === 2) total += sign * (side.numbers[2 * j + 1] ?? 0);
    position = above;
  }
  return { n, total };
}

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
  { levels, query, figure }: SidesQuery,
): Promise<Side[]> {
  const its = query.column === undefined ? undefined : figure && `coalesce(${figure}(${query.column}), 0)`;
  const sql = sidesSql(layout, levels, its, isRounded(buckets, query));
  const [row] = await queries.all<Record<string, string>>(sql, paramsOf(buckets, query));
  const width = its === undefined ? 1 : 2;
  return Object.values(row ?? {}).map((text) => ({ numbers: joinedNumbers(text), width }));
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

const paramsOf = (buckets: BucketLayout, { thinnedBefore, key }: SumQuery) => [
  ...edgeParams(buckets, thinnedBefore),
  ...key,
];

/** SQL for the rows of one series: its key follows the edges' parameters. */
export const isOfSeries = (layout: SeriesLayout): string =>
  layout.key.map((name, at) => `${name} = ?${at + 6}`).join(" AND ");

/** The first millisecond behind the edge `k`, as `layOutBuckets` has it. */
export const edgeSql = (k: string): string =>
  `(iif(${k} = 0, ${FROM}, ${END} - CAST(round((${COUNT} - (${k})) * ?4) AS INTEGER)) + 1)`;

/**
 * A table `edge` of the edges `k` from 0 on, as `edgesOf` has them: `at0`, and the one before it, `was0`. It is worked out once: SQLite
 * would do it again wherever a column is mentioned.
 */
function edgesSql(rounded: boolean): string {
  const exact = `SELECT k, ${edgeSql("k")} AS at0, ${edgeSql("max(k - 1, 0)")} AS was0 FROM ${BUCKET_NUMBERS} WHERE k <= ${COUNT} ORDER BY k`;
  const toSlot = (at: string) =>
    `iif(${at} < ${THINNED}, (${at} + ${SLOT_MS / 2}) / ${SLOT_MS} * ${SLOT_MS}, ${at}) AS ${at}`;
  if (!rounded) return `edge AS MATERIALIZED (${exact})`;
  return `exact AS MATERIALIZED (${exact}), edge AS MATERIALIZED (SELECT k, ${toSlot("at0")}, ${toSlot("was0")} FROM exact)`;
}

/** `figure` is SQL for a figure of the rows, or of the roll-ups. Numbers come as one text: a row for each would take longer. */
function sidesSql(
  layout: SeriesLayout,
  levels: readonly Level[],
  figure: string | undefined,
  rounded: boolean,
): string {
  const positionAt = (level: number, edge: "at" | "was"): string =>
    level === 0
      ? `${edge}0`
      : `((${positionAt(level - 1, edge)} + ${(levels[level]?.ratio ?? 1) / 2}) / ${levels[level]?.ratio})`;
  const top = levels.length - 1;
  const sides = levels.map((level, at) => {
    const [here, above] = [positionAt(at, "at"), `${positionAt(at + 1, "at")} * ${levels[at + 1]?.ratio}`];
    const [from, until] =
      at === top ? [positionAt(at, "was"), here] : [`min(${here}, ${above})`, `max(${here}, ${above})`];
    const found = figure === undefined ? level.count : `${level.count} || ',' || ${figure}`;
    return `group_concat((SELECT ${found} FROM ${level.table(layout)}
      WHERE ${isOfSeries(layout)} AND ${level.position} >= ${from} AND ${level.position} < ${until}), ',') AS side${at}`;
  });
  return `WITH ${edgesSql(rounded)} SELECT ${sides} FROM edge`;
}

interface Among {
  readonly column: string;
  readonly extreme: Extreme;
  /** SQL of the table `edge`, and of which rows are of the series. */
  readonly edges: string;
  readonly where: string;
}

/**
 * SQL for the least or greatest value of each bucket, null where it has none, as one JSON array. From the highest level down: the
 * units that lie wholly in a bucket count at once. Of a unit that an edge cuts, the level below is read only if the unit's
 * own extreme is beyond what was found; where it is not, no level below can have any.
 */
function extremesSql(
  layout: SeriesLayout,
  levels: readonly Level[],
  { column, extreme, edges, where }: Among,
): string {
  const nothing = extreme === "min" ? "9e999" : "-9e999";
  const its = (level: Level | undefined) => (extreme === "min" ? level?.lowest : level?.highest)?.(column);
  const isBeyond = extreme === "min" ? "<" : ">";
  const among = (level: Level | undefined, what: string, from: string, until: string) =>
    `(SELECT ${what} FROM ${level?.table(layout)} WHERE ${where} AND ${level?.position} >= ${from} AND ${level?.position} < ${until})`;
  const within = (level: Level, from: string, until: string) =>
    `coalesce(${among(level, `${extreme}(${its(level)})`, from, until)}, ${nothing})`;

  const top = levels.length - 1;
  const columns = levels.map((_, at) => `from${at}, until${at}`);
  const positions = levels.map(
    ({ ms }, at) => `(was0 + ${ms - 1}) / ${ms} AS from${at}, at0 / ${ms} AS until${at}`,
  );
  /** Whether the unit of a level may have something beyond what was found; it cannot where the unit above it has none. */
  const isOpen = (side: "head" | "tail", at: number, unit: string) => {
    const beyond = `${among(levels[at], `${its(levels[at])}`, unit, `${unit} + 1`)} ${isBeyond} best`;
    return at === top ? beyond : `${side} AND ${beyond}`;
  };
  /** What an edge cuts off a bucket, on both sides: `head` and `tail` say whether it is looked through. */
  const foundAt = (level: Level, at: number, head: string, tail: string): string => {
    const ratio = levels[at + 1]?.ratio;
    const behindHead = `min(from${at + 1} * ${ratio}, until${at})`;
    const side = (isLookedThrough: string, from: string, until: string) =>
      `iif(${isLookedThrough}, ${within(level, from, until)}, best)`;
    return `${extreme}(best, ${side(head, `from${at}`, behindHead)}, ${side(tail, `max(until${at + 1} * ${ratio}, ${behindHead})`, `until${at}`)})`;
  };
  const steps = levels.flatMap((level, at) => {
    if (at === top)
      return [
        `found${at} AS MATERIALIZED (SELECT k, ${columns}, ${within(level, `from${at}`, `until${at}`)} AS best FROM bucket)`,
      ];
    const [head, tail] = [
      isOpen("head", at + 1, `from${at + 1} - 1`),
      isOpen("tail", at + 1, `until${at + 1}`),
    ];
    if (at === 0)
      return [`found0 AS MATERIALIZED (SELECT k, ${foundAt(level, at, head, tail)} AS best FROM found1)`];
    return [
      `found${at} AS MATERIALIZED (SELECT k, ${columns}, head, tail, ${foundAt(level, at, "head", "tail")} AS best FROM open${at})`,
      `open${at} AS MATERIALIZED (SELECT k, ${columns}, ${head} AS head, ${tail} AS tail, best FROM found${at + 1})`,
    ];
  });
  return `WITH ${edges}, bucket AS MATERIALIZED (SELECT k, ${positions} FROM edge WHERE k > 0), ${steps.toReversed()}
    SELECT json_group_array(nullif(best, ${nothing})) AS found FROM found0`;
}
