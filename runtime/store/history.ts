import { invalidArgument, TendrilError } from "../errors.js";
import {
  type Aggregation,
  aggregated,
  type Bucket,
  type BucketFigures,
  type BucketLayout,
  type HistoryQuery,
  type HistoryResult,
  historyResult,
  isExtreme,
  layOutBuckets,
  needsField,
  windowOf,
} from "./bucket.js";
import type { Database, SqlValue } from "./database.js";
import { type Alternative, assertFewBytes, fitting, sizesOf } from "./records.js";

/** A table that bucketed history can be asked of. */
export interface HistorySource {
  readonly table: string;
  /** Orders what has the same `at`. */
  readonly sequence: string;
  /** Which rows: SQL over ?2, ?3. */
  readonly where: string;
  readonly params: readonly SqlValue[];
  /** SQL that gives a whole record as JSON text. */
  readonly body: string;
  /** Whether a record can be so long that 10,000 are more than an answer may have. */
  readonly mayBeLong?: boolean;
  decode(body: string): Readonly<Record<string, unknown>>;
}

/** The buckets as a table of whole numbers: bound parameters above 32 bits would be REAL. */
const BUCKETS_CTE =
  "WITH buckets AS MATERIALIZED (SELECT key AS k, value ->> 0 AS lo, value ->> 1 AS hi FROM json_each(?1))";

const bucketsJson = (buckets: readonly Bucket[]): string =>
  JSON.stringify(buckets.map(({ lo, hi }) => [lo, hi]));

/** What is asked, and of which table. */
interface Asked {
  readonly database: Database;
  readonly source: HistorySource;
  readonly query: HistoryQuery;
  readonly layout: BucketLayout;
}

/**
 * Answers a query from the whole table. Throws TOO_MANY_BUCKETS, UNKNOWN_FIELD (with the fields there are),
 * INVALID_ARGUMENT for a figure of nothing, RESULT_TOO_LARGE.
 */
export async function queryHistory(
  database: Database,
  source: HistorySource,
  query: HistoryQuery,
): Promise<HistoryResult> {
  assertHasField(query);
  const layout = layOutBuckets(query);
  const asked = { database, source, query, layout };
  const pick = PICK[query.aggregation];
  if (pick) return sample(asked, pick);
  const figures = await aggregate(asked);
  await assertKnownField(asked, figures);
  const byBucket: BucketFigures[] = [];
  for (const each of figures) byBucket[each.k] = each;
  return aggregated(query, layout, byBucket);
}

export const isSampling = ({ aggregation }: HistoryQuery): boolean => PICK[aggregation] !== undefined;

export function assertHasField({ aggregation, valueField }: HistoryQuery): void {
  if (valueField !== undefined || !needsField(aggregation)) return;
  throw invalidArgument(`value_field is missing: ${aggregation} needs the field to aggregate`);
}

/** Whole records, one a bucket that has any. */
async function sample(asked: Asked, pick: Pick): Promise<HistoryResult> {
  const { database, source, query, layout } = asked;
  const params = [bucketsJson(layout.buckets), ...source.params];
  if (source.mayBeLong) await assertSampleFits(asked, params, pick);
  const sql = `${BUCKETS_CTE} SELECT (${pick(source, source.body)}) AS body FROM buckets ORDER BY k`;
  const rows = await database.all<{ body: string | null }>(sql, params);
  const items = rows.flatMap(({ body }) => (body === null ? [] : [source.decode(body)]));
  const records = await countRecords(asked);
  if (query.valueField !== undefined && records > 0) await assertKnownField(asked, await aggregate(asked));
  return historyResult(query, layout, { records, withData: items.length, items });
}

async function countRecords({ database, source, layout }: Asked): Promise<number> {
  const { buckets } = windowOf(layout);
  const sql = `${BUCKETS_CTE} SELECT (SELECT count(*) ${rowsBetween(source, "lo", "hi")}) AS records FROM buckets`;
  const row = await database.get<{ records: number }>(sql, [bucketsJson(buckets), ...source.params]);
  return row?.records ?? 0;
}

/** Throws RESULT_TOO_LARGE. Only the sizes are asked for: nothing long is read for a refusal. */
async function assertSampleFits(
  { database, source, query }: Asked,
  params: readonly SqlValue[],
  pick: Pick,
): Promise<void> {
  const sql = `${BUCKETS_CTE} SELECT (${pick(source, `octet_length(${source.body})`)}) AS bytes FROM buckets`;
  const rows = await database.all<{ bytes: number | null }>(sql, params);
  assertFewBytes(
    rows.flatMap(({ bytes }) => bytes ?? []),
    (ratio) => fewerSamples(query, ratio),
  );
}

const fewerSamples = ({ samplesPerHour }: HistoryQuery, ratio: number): Alternative => ({
  words: `ask for fewer hours, for some ${Number((samplesPerHour * ratio).toPrecision(1))} samples_per_hour, or for the count`,
});

const rowsBetween = ({ table, where }: HistorySource, lo: string, hi: string) =>
  `FROM ${table} WHERE ${where} AND at > ${lo} AND at <= ${hi}`;

/** SQL for `value` of the one record of a bucket. It is found by the index alone, and only then read. */
type Pick = (source: HistorySource, value: string) => string;

const picked =
  (which: (source: HistorySource) => string): Pick =>
  (source, value) =>
    `SELECT ${value} FROM ${source.table} WHERE ${source.where} AND ${source.sequence} = (${which(source)})`;

/** Halves stay whole numbers: twice `at` is compared with `lo + hi`. */
const PICK: Partial<Record<Aggregation, Pick>> = {
  first: picked(
    (source) =>
      `SELECT ${source.sequence} ${rowsBetween(source, "lo", "hi")} ORDER BY at, ${source.sequence} LIMIT 1`,
  ),
  last: picked(
    (source) =>
      `SELECT ${source.sequence} ${rowsBetween(source, "lo", "hi")} ORDER BY at DESC, ${source.sequence} DESC LIMIT 1`,
  ),
  middle: picked((source) => {
    const columns = `SELECT ${source.sequence} AS sequence, at`;
    const before = `${columns} ${rowsBetween(source, "lo", "(lo + hi) / 2")} ORDER BY at DESC, ${source.sequence} LIMIT 1`;
    const after = `${columns} ${rowsBetween(source, "(lo + hi) / 2", "hi")} ORDER BY at, ${source.sequence} LIMIT 1`;
    return `SELECT sequence FROM (SELECT * FROM (${before}) UNION ALL SELECT * FROM (${after})) ORDER BY abs(2 * at - lo - hi), at LIMIT 1`;
  }),
};

interface FoundFigures extends BucketFigures {
  /** The bucket's place in the layout. */
  readonly k: number;
  /** Records that have the field at all. */
  readonly present: number;
}

function aggregate({ database, source, query, layout }: Asked): Promise<FoundFigures[]> {
  const kind = `json_type(${source.body}, ?4)`;
  const number = `CASE WHEN ${kind} IN ('integer', 'real') THEN json_extract(${source.body}, ?4) END`;
  const extreme = isExtreme(query.aggregation) ? `${query.aggregation}(${number})` : "NULL";
  const sql = `${BUCKETS_CTE}
    SELECT k, count(*) AS records, count(${kind}) AS present, sum(${kind} IN ('integer', 'real')) AS numbers,
      sum(${number}) AS total, ${extreme} AS extreme
    FROM buckets CROSS JOIN ${source.table} ON ${source.where} AND at > lo AND at <= hi GROUP BY k`;
  const [first = null, second = null] = source.params;
  return database.all(sql, [bucketsJson(layout.buckets), first, second, jsonPath(query.valueField)]);
}

/** A record is an object, no array: nothing is there. */
const NOWHERE = "$[0]";

/** A dotted path as SQLite writes it; a name that cannot be written so is that of no field. */
function jsonPath(field: string | undefined): string {
  if (field === undefined) return "$";
  const names = field.split(".");
  return names.some((name) => name === "" || /["\\\p{Cc}]/u.test(name))
    ? NOWHERE
    : `$${names.map((name) => `."${name}"`).join("")}`;
}

export function unknownField(
  { valueField, aggregation, hours: span }: HistoryQuery,
  fields: readonly string[],
): TendrilError {
  const what = `value_field: no record of these ${span} h has "${valueField?.slice(0, 100)}"; for ${aggregation} there are: ${fields.join(", ") || "none"}`;
  return new TendrilError("UNKNOWN_FIELD", what, { details: { fields } });
}

async function assertKnownField(asked: Asked, figures: readonly FoundFigures[]): Promise<void> {
  const { query } = asked;
  const isKnown = query.valueField === undefined || figures.some(({ present }) => present > 0);
  if (!isKnown && figures.length > 0) throw unknownField(query, await fieldNames(asked));
}

/** So many of the newest records are looked through for the names of fields, and no more bytes than one answer has. */
const LOOKED_THROUGH = 1000;
/** So many names are told. A choice: whoever may write an action can think up any number of them. */
const MAX_FIELD_NAMES = 100;

async function fieldNames({ database, source, query, layout }: Asked): Promise<string[]> {
  const window = bucketsJson(windowOf(layout).buckets);
  const newest = (what: string) => `${BUCKETS_CTE} SELECT ${what} FROM buckets
    CROSS JOIN ${source.table} ON ${source.where} AND at > lo AND at <= hi ORDER BY at DESC LIMIT ?4`;
  const sizes = `octet_length(${source.body}) AS bytes`;
  const [first = null, second = null] = source.params;
  const among = [window, first, second] as const;
  const found = await database.all<{ bytes: number }>(newest(sizes), [...among, LOOKED_THROUGH]);
  const few = fitting(sizesOf(found));
  const rows = await database.all<{ body: string }>(newest(`${source.body} AS body`), [...among, few]);
  const numbersOnly = needsField(query.aggregation);
  const names = rows.flatMap(({ body }) => [...dottedNames(source.decode(body), "", numbersOnly)]);
  return [...new Set(names)].sort().slice(0, MAX_FIELD_NAMES);
}

function* dottedNames(value: unknown, prefix: string, numbersOnly: boolean): Generator<string> {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    if (!numbersOnly || typeof inner === "number") yield prefix + name;
    yield* dottedNames(inner, `${prefix}${name}.`, numbersOnly);
  }
}
