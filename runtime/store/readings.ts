import { TendrilError } from "../errors.js";
import { type HistoryQuery, type HistoryResult, layOutBuckets } from "./bucket.js";
import type { Database, Queries } from "./database.js";
import {
  aggregated,
  assertHasField,
  BUCKETS_CTE,
  type BucketFigures,
  bucketsJson,
  type HistorySource,
  isSampling,
  queryHistory,
  unknownField,
} from "./history.js";

/** A moisture reading. */
export interface StoredReading {
  readonly plant: string;
  /** Wall time, epoch milliseconds. */
  readonly at: number;
  /** Counts of the ADC, or of a seesaw. */
  readonly value: number;
  readonly percent: number;
  /** Counts. */
  readonly noise: number;
  /** In the unit of the probe's calibration: volts, or the counts of a seesaw. */
  readonly level: number;
}

/** So many readings share one commit: SD cards wear out by writes, not by bytes. */
const BATCH = 10;
/** In a simulation, of which nothing is kept. */
const RELAXED_BATCH = 200;
/** Length of a slot of `reading_sums`: half an hour. */
const SLOT_MS = 1_800_000;
const VALUE_FIELDS = ["value", "percent", "noise", "level"] as const;
type ValueField = (typeof VALUE_FIELDS)[number];

/**
 * The moisture readings of all plants, with sums over half-hours beside them, so that a year of one-minute
 * readings answers at once. Readings that were added and not yet committed (at most ten) are committed before
 * any question is answered; a crash may lose those.
 */
export class ReadingStore {
  private readonly batch: number;
  private buffer: StoredReading[] = [];
  private flushing: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    /** Told of a commit that failed while nobody asked: its rows are kept, and go with the next. */
    private readonly onFailure: (error: Error) => void,
    relaxed = false,
  ) {
    this.batch = relaxed ? RELAXED_BATCH : BATCH;
  }

  /** Takes the reading; a commit that fails is tried again with the next one, and reported by the next question. */
  add(reading: StoredReading): void {
    this.buffer.push({ ...reading, at: Math.trunc(reading.at) });
    if (this.buffer.length >= this.batch) this.flush().catch(this.onFailure);
  }

  /** Commits what was added. Rejects with STORE_FAILED; nothing is lost by that. */
  flush(): Promise<void> {
    const turn = this.flushing.then(() => this.commit());
    this.flushing = turn.catch(() => undefined);
    return turn;
  }

  /** The last `n` readings of a plant in order of arrival (which wall time is not), the newest last. */
  async latest(plant: string, n: number): Promise<StoredReading[]> {
    await this.flush();
    // "+plant" keeps SQLite from sorting by way of the other index
    const sql = `SELECT ${COLUMNS} FROM readings WHERE +plant = ? ORDER BY seq DESC LIMIT ?`;
    return (await this.database.all<StoredReading>(sql, [plant, n])).reverse();
  }

  /** Of one plant: `plant` is required. Throws TOO_MANY_BUCKETS, UNKNOWN_FIELD, INVALID_ARGUMENT. */
  async history(query: HistoryQuery): Promise<HistoryResult> {
    const { plant, valueField } = query;
    if (plant === undefined)
      throw new TendrilError("INVALID_ARGUMENT", "plant is missing: readings are kept per plant");
    const field = VALUE_FIELDS.find((name) => name === valueField);
    if (valueField !== undefined && !field) throw unknownField(query, VALUE_FIELDS);
    await this.flush();
    if (isSampling(query)) return queryHistory(this.database, sourceOf(plant), query);
    return this.aggregate(query, plant, field);
  }

  private async aggregate(
    query: HistoryQuery,
    plant: string,
    field: ValueField | undefined,
  ): Promise<HistoryResult> {
    assertHasField(query);
    const layout = layOutBuckets(query);
    const total = field ? overBucket(`total(${field})`, `total(${field})`) : "NULL";
    const sql = `${BUCKETS_CTE} SELECT k, ${RECORDS_IN} AS records, ${total} AS total FROM buckets`;
    const rows = await this.database.all<Figures>(sql, [bucketsJson(layout.buckets), plant]);
    const figures = rows.map((row) => ({ ...row, present: row.records, numbers: row.records }));
    return aggregated(query, layout, figures);
  }

  private async commit(): Promise<void> {
    const batch = [...this.buffer];
    if (batch.length === 0) return;
    const json = JSON.stringify(batch);
    await this.database.transaction((queries) => insert(queries, json));
    this.buffer = this.buffer.slice(batch.length);
  }
}

type Figures = Pick<BucketFigures, "k" | "records" | "total">;

const COLUMNS = "plant, at, value, percent, noise, level";

async function insert(queries: Queries, batch: string): Promise<void> {
  const columns = COLUMNS.split(", ").map((name) => `value ->> '${name}' AS ${name}`);
  const rows = `SELECT ${columns.join(", ")} FROM json_each(?1)`;
  await queries.run(`INSERT INTO readings (${COLUMNS}) ${rows}`, [batch]);
  const sums = VALUE_FIELDS.map((field) => `sum(${field})`).join(", ");
  const added = VALUE_FIELDS.map((field) => `${field} = ${field} + excluded.${field}`).join(", ");
  await queries.run(
    `INSERT INTO reading_sums (plant, slot, n, ${VALUE_FIELDS.join(", ")})
     SELECT plant, at / ${SLOT_MS}, count(*), ${sums} FROM (${rows}) WHERE true GROUP BY 1, 2
     ON CONFLICT (plant, slot) DO UPDATE SET n = n + excluded.n, ${added}`,
    [batch],
  );
}

/** First slot that begins behind `lo`, first slot that does not end by `hi`. */
const FIRST_SLOT = `(lo + ${SLOT_MS}) / ${SLOT_MS}`;
const END_SLOT = `(hi + 1) / ${SLOT_MS}`;

/**
 * SQL for a sum over the readings of (lo, hi]: whole half-hours from the sums, the rest from the readings.
 * `ofReadings` and `ofSums` are the same quantity in the columns of either table.
 */
function overBucket(ofReadings: string, ofSums: string): string {
  const readings = (range: string) => `(SELECT ${ofReadings} FROM readings WHERE plant = ?2 AND ${range})`;
  const sums = `(SELECT ${ofSums} FROM reading_sums WHERE plant = ?2 AND slot >= ${FIRST_SLOT} AND slot < ${END_SLOT})`;
  const before = readings(`at > lo AND at < ${FIRST_SLOT} * ${SLOT_MS}`);
  const behind = readings(`at >= ${END_SLOT} * ${SLOT_MS} AND at <= hi`);
  return `CASE WHEN ${FIRST_SLOT} < ${END_SLOT} THEN ${before} + ${sums} + ${behind} ELSE ${readings("at > lo AND at <= hi")} END`;
}

const RECORDS_IN = overBucket("count(*)", "coalesce(sum(n), 0)");

const sourceOf = (plant: string): HistorySource => ({
  table: "readings",
  sequence: "seq",
  where: "plant = ?2",
  params: [plant],
  body: "json_object('at', at, 'value', value, 'percent', percent, 'noise', noise, 'level', level)",
  recordsIn: `SELECT ${RECORDS_IN}`,
  decode: (body) => {
    const { at, ...reading } = JSON.parse(body) as StoredReading;
    return { timestamp: new Date(at).toISOString(), ...reading };
  },
});
