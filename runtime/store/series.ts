import { type HistoryQuery, type HistoryResult, layOutBuckets } from "./bucket.js";
import type { Database, Queries } from "./database.js";
import {
  aggregated,
  assertHasField,
  BUCKETS_CTE,
  type BucketFigures,
  bucketsJson,
  type HistorySource,
  queryHistory,
} from "./history.js";

/** How the rows of a table and the sums beside them are laid out. All names are the program's own. */
export interface SeriesLayout {
  readonly table: string;
  /** Holds the sums over half-hours. */
  readonly sums: string;
  /** One or two columns that name a series: the plant, or the place and the quantity. Its index begins with them. */
  readonly key: readonly string[];
  /** Columns with numbers: sums of these are kept. */
  readonly numbers: readonly string[];
  /** Columns that are kept as they are. */
  readonly others: readonly string[];
}

/** What a whole record looks like: SQL that gives it as JSON, and how that is shown. */
export type RecordShape = Pick<HistorySource, "body" | "decode">;

/** So many rows share one commit: SD cards wear out by writes, not by bytes. */
const BATCH = 10;
/** In a simulation, of which nothing is kept. */
const RELAXED_BATCH = 200;
/** Length of a slot of the sums: half an hour. */
const SLOT_MS = 1_800_000;
/** First slot that begins behind `lo`, first slot that does not end by `hi`. */
const FIRST_SLOT = `(lo + ${SLOT_MS}) / ${SLOT_MS}`;
const END_SLOT = `(hi + 1) / ${SLOT_MS}`;

/**
 * What is measured again and again, with sums over half-hours beside it, so that a year of one-minute rows answers at
 * once. Rows that were added and not yet committed (at most ten) are committed before any question is answered; a crash
 * may lose those.
 */
export class SeriesTable<Row extends { readonly at: number }> {
  private readonly batch: number;
  private readonly columns: readonly string[];
  private readonly recordsIn: string;
  private buffer: Row[] = [];
  private flushing: Promise<void> = Promise.resolve();

  constructor(
    private readonly layout: SeriesLayout,
    private readonly database: Database,
    /** Told of a commit that failed while nobody asked: its rows are kept, and go with the next. */
    private readonly onFailure: (error: Error) => void,
    relaxed = false,
  ) {
    this.batch = relaxed ? RELAXED_BATCH : BATCH;
    this.columns = [...layout.key, "at", ...layout.numbers, ...layout.others];
    this.recordsIn = this.overBucket("count(*)", "coalesce(sum(n), 0)");
  }

  /** Takes the row; a commit that fails is tried again with the next one, and reported by the next question. */
  add(row: Row): void {
    this.buffer.push({ ...row, at: Math.trunc(row.at) });
    if (this.buffer.length >= this.batch) this.flush().catch(this.onFailure);
  }

  /** Commits what was added. Rejects with STORE_FAILED; nothing is lost by that. */
  flush(): Promise<void> {
    const turn = this.flushing.then(() => this.commit());
    this.flushing = turn.catch(() => undefined);
    return turn;
  }

  /** The last `n` rows of a series in order of arrival (which wall time is not), the newest last. */
  async latest(key: readonly string[], n: number): Promise<Row[]> {
    await this.flush();
    // "+plant" keeps SQLite from sorting by way of the other index
    const series = this.layout.key.map((column) => `+${column} = ?`).join(" AND ");
    const sql = `SELECT ${this.columns} FROM ${this.layout.table} WHERE ${series} ORDER BY seq DESC LIMIT ?`;
    return (await this.database.all<Row>(sql, [...key, n])).reverse();
  }

  /** Whole records, one a bucket. Throws TOO_MANY_BUCKETS. */
  async sample(query: HistoryQuery, key: readonly string[], shape: RecordShape): Promise<HistoryResult> {
    await this.flush();
    // the caller knows the fields: asking the rows for them again would read them all
    const { valueField: _, ...asked } = query;
    const source = { sequence: "seq", where: this.where, params: key, recordsIn: `SELECT ${this.recordsIn}` };
    return queryHistory(this.database, { ...source, table: this.layout.table, ...shape }, asked);
  }

  /** Count, sum or mean of a column with numbers. Throws TOO_MANY_BUCKETS, INVALID_ARGUMENT for a sum or mean of nothing. */
  async aggregate(query: HistoryQuery, key: readonly string[], column?: string): Promise<HistoryResult> {
    assertHasField(query);
    const buckets = layOutBuckets(query);
    await this.flush();
    const total = column === undefined ? "NULL" : this.overBucket(`total(${column})`, `total(${column})`);
    const sql = `${BUCKETS_CTE} SELECT k, ${this.recordsIn} AS records, ${total} AS total FROM buckets`;
    const rows = await this.database.all<Figures>(sql, [bucketsJson(buckets.buckets), ...key]);
    const figures = rows.map((row) => ({ ...row, present: row.records, numbers: row.records }));
    return aggregated(query, buckets, figures);
  }

  private async commit(): Promise<void> {
    const batch = [...this.buffer];
    if (batch.length === 0) return;
    const json = JSON.stringify(batch);
    await this.database.transaction((queries) => this.insert(queries, json));
    this.buffer = this.buffer.slice(batch.length);
  }

  private async insert(queries: Queries, batch: string): Promise<void> {
    const { table, sums, key, numbers } = this.layout;
    const given = this.columns.map((name) => `value ->> '${name}' AS ${name}`);
    const rows = `SELECT ${given} FROM json_each(?1)`;
    await queries.run(`INSERT INTO ${table} (${this.columns}) ${rows}`, [batch]);
    const totals = numbers.map((column) => `sum(${column})`);
    const added = numbers.map((column) => `${column} = ${column} + excluded.${column}`);
    const slot = `${key}, at / ${SLOT_MS}`;
    await queries.run(
      `INSERT INTO ${sums} (${key}, slot, n, ${numbers})
       SELECT ${slot}, count(*), ${totals} FROM (${rows}) WHERE true GROUP BY ${slot}
       ON CONFLICT (${key}, slot) DO UPDATE SET n = n + excluded.n, ${added}`,
      [batch],
    );
  }

  private get where(): string {
    return this.layout.key.map((column, at) => `${column} = ?${at + 2}`).join(" AND ");
  }

  /**
   * SQL for a sum over the rows of (lo, hi]: whole half-hours from the sums, the rest from the rows. `ofRows` and `ofSums`
   * are the same in the columns of either table.
   */
  private overBucket(ofRows: string, ofSums: string): string {
    const { table, sums } = this.layout;
    const rows = (range: string) => `(SELECT ${ofRows} FROM ${table} WHERE ${this.where} AND ${range})`;
    const whole = `(SELECT ${ofSums} FROM ${sums} WHERE ${this.where} AND slot >= ${FIRST_SLOT} AND slot < ${END_SLOT})`;
    const before = rows(`at > lo AND at < ${FIRST_SLOT} * ${SLOT_MS}`);
    const behind = rows(`at >= ${END_SLOT} * ${SLOT_MS} AND at <= hi`);
    return `CASE WHEN ${FIRST_SLOT} < ${END_SLOT} THEN ${before} + ${whole} + ${behind} ELSE ${rows("at > lo AND at <= hi")} END`;
  }
}

type Figures = Pick<BucketFigures, "k" | "records" | "total">;
