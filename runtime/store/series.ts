import { type BucketLayout, type HistoryQuery, type HistoryResult, layOutBuckets } from "./bucket.js";
import type { Database, Queries } from "./database.js";
import { aggregated, assertHasField, type HistorySource, queryHistory } from "./history.js";
import { type BucketSum, buildDays, type SeriesLayout, SLOT_MS, sumBuckets } from "./rollup.js";

/** What a whole record looks like: SQL that gives it as JSON, and how that is shown. */
export type RecordShape = Pick<HistorySource, "body" | "decode">;

/** So many rows share one commit: SD cards wear out by writes, not by bytes. */
const BATCH = 10;
/** In a simulation, of which nothing is kept. */
const RELAXED_BATCH = 200;
/**
 * What is measured again and again, with sums over half-hours and days beside it, so that years of one-minute rows answer
 * at once. Rows that were added and not yet committed (at most ten) are committed before any question is answered; a crash
 * may lose those.
 */
export class SeriesTable<Row extends { readonly at: number }> {
  private readonly batch: number;
  private readonly columns: readonly string[];
  private buffer: Row[] = [];
  private flushing: Promise<void> = Promise.resolve();
  private hasDays = false;
  private isClosed = false;
  private building: Promise<void> = Promise.resolve();

  constructor(
    private readonly layout: SeriesLayout,
    private readonly database: Database,
    /** Told of a commit that failed while nobody asked: its rows are kept, and go with the next. */
    private readonly onFailure: (error: Error) => void,
    relaxed = false,
  ) {
    this.batch = relaxed ? RELAXED_BATCH : BATCH;
    this.columns = [...layout.key, "at", ...layout.numbers, ...layout.others];
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
    const where = this.layout.key.map((column, at) => `${column} = ?${at + 2}`).join(" AND ");
    const recordsIn = async (window: BucketLayout) => (await this.sum(window, key))[0]?.records ?? 0;
    const source = { table: this.layout.table, sequence: "seq", where, params: key, recordsIn };
    return queryHistory(this.database, { ...source, ...shape }, asked);
  }

  /** Count, sum or mean of a column with numbers. Throws TOO_MANY_BUCKETS, INVALID_ARGUMENT for a sum or mean of nothing. */
  async aggregate(query: HistoryQuery, key: readonly string[], column?: string): Promise<HistoryResult> {
    assertHasField(query);
    const buckets = layOutBuckets(query);
    await this.flush();
    const sums = await this.sum(buckets, key, column);
    const figures = sums.map((sum, k) => ({ k, ...sum, present: sum.records, numbers: sum.records }));
    return aggregated(query, buckets, figures);
  }

  /** Builds the sums over days where an older program wrote the database. Until that is done, questions are answered without. */
  build(): Promise<void> {
    this.building = buildDays(this.database, this.layout, () => this.isClosed).then((isComplete) => {
      this.hasDays = isComplete;
    });
    return this.building;
  }

  /** Commits what was added, and ends a build that is under way: the next start begins it anew. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.building.catch(() => undefined); // whoever began it was told
    await this.flush();
  }

  private sum(buckets: BucketLayout, key: readonly string[], column?: string): Promise<BucketSum[]> {
    const { hasDays } = this;
    return sumBuckets(this.database, this.layout, buckets, {
      key,
      hasDays,
      ...(column !== undefined && { column }),
    });
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
}
