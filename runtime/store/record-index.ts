import type { Database, SqlValue } from "./database.js";
import type { HistorySource } from "./history.js";
import { type IndexedRecord, searchable } from "./log-definition.js";

/** A record as the table has it. */
export interface RecordRow {
  readonly id: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly subject: string | null;
  readonly body: string;
  /** In its `searchable` form. */
  readonly search: string | null;
}

export interface Slice {
  readonly limit?: number;
  readonly offset?: number;
}

const COLUMNS = "id, at, subject, body";
type Row = Omit<RecordRow, "search">;

/** The rows of one log in the table `records`, and how far into its journal they reach. */
export class RecordIndex<Rec extends object> {
  constructor(
    private readonly database: Database,
    private readonly log: string,
  ) {}

  /** Bytes of the journal that are indexed; 0 for a new database. */
  async position(): Promise<number> {
    const row = await this.database.get<{ bytes: number }>(
      "SELECT bytes FROM journal_positions WHERE log = ?",
      [this.log],
    );
    return row?.bytes ?? 0;
  }

  async lastId(): Promise<number> {
    const row = await this.database.get<{ id: number }>(
      "SELECT id FROM records WHERE log = ? ORDER BY id DESC LIMIT 1",
      [this.log],
    );
    return row?.id ?? 0;
  }

  /** Rows and position together: after a crash both are there or neither is. */
  save(rows: readonly RecordRow[], bytes: number): Promise<void> {
    const columns = ["id", "at", "subject", "body", "search"].map((name) => `value ->> '${name}'`);
    return this.database.transaction(async (queries) => {
      await queries.run(
        `INSERT INTO records (log, id, at, subject, body, search) SELECT ?1, ${columns.join(", ")} FROM json_each(?2) WHERE true
         ON CONFLICT (log, id) DO UPDATE SET body = excluded.body, search = excluded.search`,
        [this.log, JSON.stringify(rows)],
      );
      await queries.run("INSERT OR REPLACE INTO journal_positions (log, bytes) VALUES (?, ?)", [
        this.log,
        bytes,
      ]);
    });
  }

  async clear(): Promise<void> {
    await this.database.transaction(async (queries) => {
      await queries.run("DELETE FROM records WHERE log = ?", [this.log]);
      await queries.run("DELETE FROM journal_positions WHERE log = ?", [this.log]);
    });
  }

  async get(id: number): Promise<IndexedRecord<Rec> | undefined> {
    return (await this.select("AND id = ?", [id]))[0];
  }

  /** Newest first. */
  newest(limit: number, offset: number, subject?: string): Promise<IndexedRecord<Rec>[]> {
    const filter = subject === undefined ? "" : "AND subject = ?";
    const params = subject === undefined ? [limit, offset] : [subject, limit, offset];
    return this.select(`${filter} ORDER BY id DESC LIMIT ? OFFSET ?`, params);
  }

  /** Both ends included, chronological by wall time. */
  range(fromMs: number, toMs: number, { limit = -1, offset = 0 }: Slice): Promise<IndexedRecord<Rec>[]> {
    return this.select("AND at BETWEEN ? AND ? ORDER BY at, id LIMIT ? OFFSET ?", [
      fromMs,
      toMs,
      limit,
      offset,
    ]);
  }

  search(keyword: string, sinceMs: number): Promise<IndexedRecord<Rec>[]> {
    return this.select("AND at >= ? AND instr(search, ?) > 0 ORDER BY at, id", [
      sinceMs,
      searchable(keyword),
    ]);
  }

  /** Up to `limit` records with ids above `id`, in order. */
  after(id: number, limit: number): Promise<IndexedRecord<Rec>[]> {
    return this.select("AND id > ? ORDER BY id LIMIT ?", [id, limit]);
  }

  async count(): Promise<number> {
    const row = await this.database.get<{ n: number }>("SELECT count(*) AS n FROM records WHERE log = ?", [
      this.log,
    ]);
    return row?.n ?? 0;
  }

  historySource(subject: string | undefined): HistorySource {
    return {
      table: "records",
      sequence: "id",
      where: subject === undefined ? "log = ?2" : "log = ?2 AND subject = ?3",
      params: subject === undefined ? [this.log] : [this.log, subject],
      body: "body",
      decode: (body) => JSON.parse(body) as Record<string, unknown>,
    };
  }

  private async select(rest: string, params: readonly SqlValue[]): Promise<IndexedRecord<Rec>[]> {
    const rows = await this.database.all<Row>(`SELECT ${COLUMNS} FROM records WHERE log = ? ${rest}`, [
      this.log,
      ...params,
    ]);
    return rows.map(({ body, ...row }) => ({ ...row, record: JSON.parse(body) as Rec }));
  }
}
