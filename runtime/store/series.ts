import { TendrilError } from "../errors.js";
import {
  aggregated,
  type BucketLayout,
  type HistoryQuery,
  type HistoryResult,
  historyResult,
  inTurns,
  isExtreme,
  isoTexts,
  layOutBuckets,
  windowOf,
} from "./bucket.js";
import type { Database, Queries } from "./database.js";
import { assertHasField } from "./history.js";
import type { HistoryReader } from "./history-reader.js";
import { type BucketSum, type SumQuery, sumBuckets } from "./rollup.js";
import { insertRows, type SeriesLayout, SLOT_MS } from "./rollup-schema.js";
import {
  addRows,
  type CommitDelay,
  chosenTimes,
  overlaid,
  type Pending,
  RowBuffer,
  timesIn,
} from "./row-buffer.js";
import {
  candidateTimes,
  fewRows,
  fewRowsOf,
  type RecordShape,
  recordsAmong,
  recordsAt,
  type Sampling,
  sumsOf,
  timesAmong,
  type WindowRows,
} from "./samples.js";

export interface SeriesParts {
  readonly database: Database;
  readonly reader: HistoryReader;
  /** Told of a commit that failed while nobody asked: its rows are kept, and go with the next. */
  readonly onFailure: (error: Error) => void;
  readonly relaxed: boolean;
}

/**
 * What is measured again and again, with roll-ups of half-hours and days beside it, so that years of one-minute rows answer
 * at once. Rows wait in memory for their commit; questions see them. A crash loses those.
 */
export class SeriesTable<Row extends { readonly at: number }> {
  private readonly columns: readonly string[];
  private readonly buffer: RowBuffer<Row>;
  private thinned: Promise<number> | undefined;
  private isClosed = false;
  private thinning: Promise<void> = Promise.resolve();

  constructor(
    private readonly layout: SeriesLayout,
    private readonly parts: SeriesParts,
  ) {
    this.columns = [...layout.key, "at", ...layout.numbers, ...layout.others];
    this.buffer = new RowBuffer(() => this.flush(), parts.onFailure, parts.relaxed);
  }

  /** From now on a row waits for its commit at most so long. */
  delayCommits(delay: CommitDelay): void {
    this.buffer.wait(delay);
  }

  /**
   * Takes the row; a commit that fails is tried again with the next one. Throws INTERNAL for a figure that is no number: it would spoil
   * the sums of its half-hour and day for good.
   */
  add(row: Row): void {
    const given = row as unknown as Pending;
    for (const column of ["at", ...this.layout.numbers])
      if (!Number.isFinite(given[column]))
        throw new TendrilError(
          "INTERNAL",
          `${column} of ${this.layout.table} is ${given[column]}, no number`,
        );
    this.buffer.add({ ...row, at: Math.trunc(row.at) });
  }

  /** Begins to commit what was added. A relaxed store loses nothing that waits: it is always closed. */
  commitSoon(): void {
    if (!this.parts.relaxed) this.buffer.commitSoon();
  }

  /** Commits what was added. Rejects with STORE_FAILED; nothing is lost by that. */
  flush(): Promise<void> {
    const { database, reader } = this.parts;
    return reader.inTurn(async () => {
      const rows = [...this.buffer.rows];
      if (rows.length === 0) return;
      const given = rows as unknown as readonly Pending[];
      await database.transaction((queries) => insertRows(queries, this.layout, this.columns, given));
      this.buffer.drop(rows.length);
    });
  }

  /** The last `n` rows of a series in order of arrival (which wall time is not), the newest last. */
  protected newest(key: readonly string[], n: number): Promise<Row[]> {
    const { layout, columns } = this;
    const isIts = (sign: string) => layout.key.map((column) => `${sign}${column} = ?`).join(" AND ");
    return this.parts.reader.ask(async (queries) => {
      const pending = this.pending(key);
      const count = `SELECT count(*) AS n FROM (SELECT 1 FROM ${layout.table} WHERE ${isIts("")} LIMIT ?)`;
      const found = await queries.get<{ n: number }>(count, [...key, n]);
      if (found?.n === 0) return (pending as unknown as Row[]).slice(-n);
      // "+plant" keeps SQLite from sorting by way of the index; a series with few rows is read by it, or all others would be
      const where = isIts(found?.n === n ? "+" : "");
      const sql = `SELECT ${columns} FROM ${layout.table} WHERE ${where} ORDER BY seq DESC LIMIT ?`;
      const stored = (await queries.all<Row>(sql, [...key, n])).reverse();
      return [...stored, ...(pending as unknown as Row[])].slice(-n);
    });
  }

  /** Whole records, one a bucket. Throws TOO_MANY_BUCKETS, HISTORY_THINNED. */
  protected async sample(
    query: HistoryQuery,
    key: readonly string[],
    shape: RecordShape,
  ): Promise<HistoryResult> {
    const buckets = layOutBuckets(query);
    return this.ask(buckets, async (queries, thinned) => {
      if ((buckets.buckets[0]?.lo ?? 0) + 1 < thinned) throw historyThinned(query, thinned);
      const few = await fewRowsOf(queries, this.layout, buckets, shape);
      const its = few?.[shape.fields.findIndex((field) => field.key.join() === key.join())];
      const sampling = query.aggregation as Sampling;
      const times = await this.timesOf(queries, buckets, { key, sampling, few: its });
      const stored =
        (few && recordsAmong(few, times)) ?? (await recordsAt(queries, this.layout, times, shape));
      const text = isoTexts();
      const waiting = shape.fields.map((field) => this.pending(field.key));
      const items: Record<string, string | number | null>[] = [];
      await inTurns(stored, (record) => {
        const values = overlaid(record, shape, waiting);
        const item: Record<string, string | number | null> = { timestamp: text(record.at) };
        for (const [at, { name }] of shape.fields.entries()) item[name] = values[at] ?? null;
        items.push(item);
      });
      const records = its
        ? its.at.length + windowOf(buckets).buckets.flatMap((all) => timesIn(this.pending(key), all)).length
        : await this.count(queries, buckets, { key, thinnedBefore: thinned });
      return historyResult(query, buckets, { records, withData: items.length, items });
    });
  }

  /** A figure of each bucket. Throws TOO_MANY_BUCKETS, HISTORY_THINNED, INVALID_ARGUMENT without the column that it needs. */
  protected async aggregate(
    query: HistoryQuery,
    key: readonly string[],
    column?: string,
  ): Promise<HistoryResult> {
    assertHasField(query);
    const buckets = layOutBuckets(query);
    const { aggregation } = query;
    return this.ask(buckets, async (queries, thinned) => {
      const reaches = (buckets.buckets[0]?.lo ?? 0) + 1 < thinned;
      if (reaches && buckets.widthMs < SLOT_MS) throw historyThinned(query, thinned);
      const extreme = isExtreme(aggregation) ? aggregation : undefined;
      const sums = await this.sum(queries, buckets, { key, column, extreme, thinnedBefore: thinned });
      return aggregated(query, buckets, sums, reaches ? thinned : undefined);
    });
  }

  /** Deletes the rows before `at`, and keeps their roll-ups: in small steps. */
  thin(at: number): Promise<void> {
    const { database, reader } = this.parts;
    const thin = async () => {
      const before = slotBefore(at);
      if (this.isClosed || (await this.thinnedBefore()) >= before) return;
      await reader.inTurn(async () => {
        await markThinned(database, this.layout, before);
        this.thinned = Promise.resolve(before);
      });
      await deleteRows(database, this.layout, before, () => this.isClosed);
    };
    this.thinning = this.thinning.then(thin, thin);
    return this.thinning;
  }

  /** Commits what was added, and ends a thinning that is under way: it goes on after the next start. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.buffer.disarm();
    await Promise.allSettled([this.thinning]); // whoever began it was told
    await this.flush();
  }

  private pending(key: readonly string[]): Pending[] {
    const rows = this.buffer.rows as unknown as readonly Pending[];
    return rows.filter((row) => this.layout.key.every((column, at) => row[column] === key[at]));
  }

  private thinnedBefore(): Promise<number> {
    this.thinned ??= thinnedBefore(this.parts.database, this.layout);
    this.thinned.catch(() => {
      this.thinned = undefined;
    });
    return this.thinned;
  }

  private ask<T>(
    { buckets }: BucketLayout,
    work: (queries: Queries, thinned: number) => Promise<T>,
  ): Promise<T> {
    return this.parts.reader.ask(
      async (queries) => work(queries, await this.thinnedBefore()),
      buckets.length,
    );
  }

  private async timesOf(
    queries: Queries,
    layout: BucketLayout,
    { key, sampling, few }: { key: readonly string[]; sampling: Sampling; few: WindowRows | undefined },
  ): Promise<number[]> {
    const found = few
      ? timesAmong(few.at, layout, sampling)
      : await candidateTimes(queries, this.layout, layout, { key, sampling });
    return chosenTimes(sampling, layout, found, this.pending(key));
  }

  private async count(queries: Queries, layout: BucketLayout, asked: SumQuery): Promise<number> {
    const [whole] = await this.sum(queries, windowOf(layout), asked);
    return whole?.records ?? 0;
  }

  private async sum(queries: Queries, buckets: BucketLayout, asked: SumQuery): Promise<BucketSum[]> {
    const pending = this.pending(asked.key);
    const few = await fewRows(queries, this.layout, buckets, asked);
    const sums = few
      ? sumsOf(few, buckets, asked.extreme)
      : await sumBuckets(queries, this.layout, buckets, asked);
    return addRows(sums, pending, buckets, asked);
  }
}

/** Before which time (epoch milliseconds, the beginning of a half-hour) the rows of a table may be gone. */
export const THINNED_TABLE =
  "CREATE TABLE history_thinned (name TEXT PRIMARY KEY, before INTEGER NOT NULL) WITHOUT ROWID";

/** A choice: some 50 pages, a few milliseconds on a card. */
const ROWS_A_STEP = 500;

/** Before which time rows may be gone; before the first one if all are there. */
export async function thinnedBefore(database: Database, { table }: SeriesLayout): Promise<number> {
  const sql = "SELECT before FROM history_thinned WHERE name = ?";
  const row = await database.get<{ before: number }>(sql, [table]);
  return row?.before ?? Number.MIN_SAFE_INTEGER;
}

/** The beginning of the half-hour. */
const slotBefore = (at: number): number => Math.floor(at / SLOT_MS) * SLOT_MS;

/** Writes down that rows before `before` may be gone. This is durable before the first of them goes. */
async function markThinned(database: Database, { table }: SeriesLayout, before: number): Promise<void> {
  const sql = `INSERT INTO history_thinned VALUES (?, CAST(? AS INTEGER))
    ON CONFLICT (name) DO UPDATE SET before = max(before, excluded.before)`;
  await database.run(sql, [table, before]);
}

/** Deletes the rows before `before`; their roll-ups stay. Each step is a commit of its own, and others have their turn between two. */
async function deleteRows(
  database: Database,
  { table, days, key }: SeriesLayout,
  before: number,
  isOver: () => boolean,
): Promise<void> {
  const where = key.map((column) => `${column} = ?`).join(" AND ");
  const sql = `DELETE FROM ${table} WHERE seq IN (
    SELECT seq FROM ${table} WHERE ${where} AND at < CAST(? AS INTEGER) ORDER BY at LIMIT ${ROWS_A_STEP})`;
  const series = await database.all<Record<string, string>>(`SELECT DISTINCT ${key} FROM ${days}`);
  for (const each of series) {
    const params = [...key.map((column) => each[column] ?? ""), before];
    while (!isOver() && (await database.run(sql, params)) === ROWS_A_STEP);
  }
}

function historyThinned({ aggregation, endMs }: HistoryQuery, before: number): TendrilError {
  const from = new Date(before).toISOString();
  const hours = Math.max(0, Math.floor((endMs - before) / 3_600_000));
  const what = `the single readings before ${from} are thinned to half-hours, and ${aggregation} in these buckets needs them: ask for ${hours} hours or fewer, or for count, sum, mean, min or max in buckets of half an hour or longer`;
  return new TendrilError("HISTORY_THINNED", what, { details: { raw_from: from, hours } });
}
