import { TendrilError } from "../errors.js";
import type { Database, SqlValue } from "./database.js";
import type { HistorySource } from "./history.js";
import { type IndexedRecord, searchable } from "./log-definition.js";
import { storeFailed } from "./store-failed.js";

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

/** A choice: more than a model reads at once. */
const MOST_ROWS = 1000;
/** A choice: the longest record there can be fits; so does what an answer may take of a small computer's memory, several times over. */
const MOST_BYTES = 4_194_304;

interface SizedRow {
  readonly at: number;
  readonly bytes: number;
}

function assertBounded(rows: readonly SizedRow[]): void {
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  if (rows.length <= MOST_ROWS && (bytes <= MOST_BYTES || rows.length === 1)) return;
  const more = rows.length > MOST_ROWS ? `more than ${MOST_ROWS}` : String(rows.length);
  throw new TendrilError(
    "RESULT_TOO_LARGE",
    `${more} records match, ${bytes} bytes in all; the most is ${MOST_ROWS} records and ${MOST_BYTES} bytes: ask for fewer hours or a rarer keyword`,
    { details: { records: rows.length, bytes, most_records: MOST_ROWS, most_bytes: MOST_BYTES } },
  );
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

  /** Throws RESULT_TOO_LARGE, from the sizes alone: nothing long is read for it. */
  async search(keyword: string, sinceMs: number): Promise<IndexedRecord<Rec>[]> {
    const found = "AND at >= ? AND instr(search, ?) > 0 ORDER BY at, id LIMIT ?";
    const params = [sinceMs, searchable(keyword), MOST_ROWS + 1];
    const sizes = await this.database.all<SizedRow>(
      `SELECT at, length(CAST(body AS BLOB)) AS bytes FROM records WHERE log = ? ${found}`,
      [this.log, ...params],
    );
    assertBounded(sizes);
    return this.select(found, params);
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
    return rows.map(({ body, ...row }) => ({ ...row, record: this.parsed(row.id, body) }));
  }

  /** A power cut can put zeros into a page, which SQLite does not notice. */
  private parsed(id: number, body: string): Rec {
    try {
      return JSON.parse(body) as Rec;
    } catch (cause) {
      const where = `record ${id} of the log ${this.log} in tendril.sqlite`;
      throw storeFailed(`${where}, which a start without that file makes anew from the journal,`, cause);
    }
  }
}
