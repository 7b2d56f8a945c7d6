import { type Database, inOneText, type SqlValue, sqliteCode } from "./database.js";
import { storeFailed } from "./durable-file.js";
import type { HistorySource } from "./history.js";
import {
  type Alternative,
  assertFits,
  fitting,
  type IndexedRecord,
  MAX_ANSWER_ROWS,
  searchable,
  sizesOf,
} from "./records.js";

export interface RecordRow {
  readonly id: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly subject: string | null;
  readonly body: string;
  /** In its `searchable` form. */
  readonly search: string | null;
}

/** Which rows of the log, in which order: SQL, and what is bound to it. */
interface Wanted {
  /** By which index of the log's own: SQLite takes none by itself, as it cannot tell how many rows are the log's. */
  readonly by?: string;
  readonly rows: string;
  readonly params: readonly SqlValue[];
}

/** A page from the end. */
export interface Page {
  readonly limit: number;
  readonly offset?: number;
  readonly subject?: string | undefined;
  /** Only records with a lower number. */
  readonly before?: number | undefined;
}

/** Which records by fields of theirs, and in which order. The names are the program's own: they become part of the SQL. */
export interface Choice {
  /** The values that a field may have, or the least one. False is 0. */
  readonly where: Readonly<Record<string, readonly (string | number)[] | { readonly from: string }>>;
  /** Fields; a minus in front means descending. Null comes last; of equal ones the older comes first. */
  readonly order: readonly string[];
}

/** Bytes of a journal that are indexed, and the number of the last record. */
export interface Reach {
  readonly bytes: number;
  readonly lastId: number;
}
/** Of a log that the database does not know. */
export const NOWHERE: Reach = { bytes: 0, lastId: 0 };

/** Of all logs, by name: a start that asks for each alone waits two dozen times. */
export async function reachesOf(database: Database): Promise<ReadonlyMap<string, Reach>> {
  const found = await database.all<Reach & { log: string }>(
    `SELECT log, bytes, coalesce((SELECT max(id) FROM records WHERE records.log = journal_positions.log), 0) AS lastId
     FROM journal_positions`,
  );
  return new Map(found.map(({ log, ...reach }) => [log, reach]));
}

const COLUMNS = "id, at, subject, body, octet_length(body) AS bytes";
type Row = Omit<RecordRow, "search"> & { readonly bytes: number };

/** The rows of one log in the table `records`, and how far into its journal they reach. */
export class RecordIndex<Rec extends object> {
  /** `indexes`: as in the log's definition. */
  constructor(
    private readonly database: Pick<Database, "script" | "transaction" | "get" | "all">,
    private readonly log: string,
    private readonly indexes: readonly (readonly string[])[] = [],
  ) {}

  /**
   * Makes the indexes that an older program has not made. If a power cut has put zeros into a row, no index can be
   * made: then the rows are deleted, and made again from the journal. Returns whether the rows are still there.
   */
  async open(): Promise<boolean> {
    if (this.indexes.length === 0) return true;
    try {
      await this.database.script(inOneText(this.making));
      return true;
    } catch (error) {
      if (sqliteCode(error) !== MALFORMED) throw error;
      await this.clear();
      return false;
    }
  }

  async reach(): Promise<Reach> {
    const found = await this.database.get<{ bytes: number | null; lastId: number | null }>(
      `SELECT (SELECT bytes FROM journal_positions WHERE log = ?1) AS bytes,
         (SELECT max(id) FROM records WHERE log = ?1) AS lastId`,
      [this.log],
    );
    return { bytes: found?.bytes ?? 0, lastId: found?.lastId ?? 0 };
  }

  /** Rows and position together: after a crash both are there or neither is. */
  save(rows: readonly RecordRow[], bytes: number): Promise<void> {
    const columns = ["id", "at", "subject", "body", "search"].map((name) => `value ->> '${name}'`);
    return this.database.transaction(async (queries) => {
      await queries.run(
        `INSERT INTO records (log, id, at, subject, body, search) SELECT ?1, ${columns.join(", ")} FROM json_each(?2) WHERE true
         ON CONFLICT (log, id) DO UPDATE SET subject = excluded.subject, body = excluded.body, search = excluded.search`,
        [this.log, JSON.stringify(rows)],
      );
      const reach = "INSERT OR REPLACE INTO journal_positions (log, bytes) VALUES (?, ?)";
      await queries.run(reach, [this.log, bytes]);
    });
  }

  /** The rows before a record go. How far the others reach is forgotten with them: after a crash both are gone or neither is. */
  dropBefore(id: number): Promise<void> {
    return this.database.transaction(async (queries) => {
      await queries.run("DELETE FROM records WHERE log = ? AND id < ?", [this.log, id]);
      await queries.run("DELETE FROM journal_positions WHERE log = ?", [this.log]);
    });
  }

  /** Without the indexes, which would read a row before it goes. */
  async clear(): Promise<void> {
    await this.database.transaction(async (queries) => {
      await queries.script(
        inOneText(this.indexes.map((fields) => `DROP INDEX IF EXISTS ${this.nameOf(fields)}`)),
      );
      await queries.run("DELETE FROM records WHERE log = ?", [this.log]);
      await queries.run("DELETE FROM journal_positions WHERE log = ?", [this.log]);
      await queries.script(inOneText(this.making));
    });
  }

  async get(id: number): Promise<IndexedRecord<Rec> | undefined> {
    return (await this.select({ rows: "AND id = ?", params: [id] }, 1))[0];
  }

  /** Newest first. Throws RESULT_TOO_LARGE, from the sizes alone: nothing long is read for it. */
  async page(page: Page): Promise<IndexedRecord<Rec>[]> {
    const { limit, offset } = page;
    const sizes = await this.sizes(newestFirst(page), limit, offset);
    assertFits(sizes, smallerPage);
    return this.select(newestFirst(page), limit, offset);
  }

  /** Newest first: as many of the page as fit into one answer, one at least if there is any. */
  newestThatFit(page: Page): Promise<IndexedRecord<Rec>[]> {
    return this.selectThatFit(newestFirst(page), page.limit, page.offset);
  }

  /** Both ends included, chronological by wall time. Throws RESULT_TOO_LARGE, as a page does. */
  async range(fromMs: number, toMs: number): Promise<IndexedRecord<Rec>[]> {
    const wanted = { rows: "AND at BETWEEN ? AND ? ORDER BY at, id", params: [fromMs, toMs] };
    const columns = "at, octet_length(body) AS bytes";
    const found = await this.query<Pick<Row, "at" | "bytes">>(columns, wanted, MAX_ANSWER_ROWS + 1);
    assertFits(sizesOf(found), (fits) => shorterRange(found[fits]?.at ?? toMs));
    return this.select(wanted, MAX_ANSWER_ROWS);
  }

  /** Chronological. Throws RESULT_TOO_LARGE, as a page does. */
  async search(keyword: string, sinceMs: number): Promise<IndexedRecord<Rec>[]> {
    const rows = "AND at >= ? AND instr(search, ?) > 0 ORDER BY at, id";
    const wanted = { rows, params: [sinceMs, searchable(keyword)] };
    assertFits(await this.sizes(wanted, MAX_ANSWER_ROWS + 1), () => ({
      words: "ask for fewer hours or a rarer keyword",
    }));
    return this.select(wanted, MAX_ANSWER_ROWS);
  }

  /** The next records with ids above `id`, in order: as many as fit into one answer. `containing` is looked for in their JSON. */
  after(id: number, containing?: string): Promise<IndexedRecord<Rec>[]> {
    const wanted = { rows: "AND id > ? ORDER BY id", params: [id] };
    const having = { rows: "AND id > ? AND instr(body, ?) > 0 ORDER BY id", params: [id, containing ?? ""] };
    return this.selectThatFit(containing === undefined ? wanted : having, MAX_ANSWER_ROWS);
  }

  /** As many of a page of what was chosen as fit into one answer. */
  async chosen(choice: Choice, limit: number, offset: number): Promise<IndexedRecord<Rec>[]> {
    const { ids, sizes } = await this.idsOf(choice, Math.min(limit, MAX_ANSWER_ROWS), offset);
    return this.byIds(ids.slice(0, fitting(sizes)));
  }

  async count(): Promise<number> {
    const [found] = await this.query<{ n: number }>("count(*) AS n", { rows: "", params: [] }, 1);
    return found?.n ?? 0;
  }

  historySource(subject: string | undefined): HistorySource {
    return {
      table: "records",
      sequence: "id",
      where: subject === undefined ? "log = ?2" : "log = ?2 AND subject = ?3",
      params: subject === undefined ? [this.log] : [this.log, subject],
      body: "body",
      mayBeLong: true,
      decode: (body) => JSON.parse(body) as Record<string, unknown>,
    };
  }

  /** The numbers of what was chosen, in its order, and the bytes of each record. */
  private async idsOf(
    choice: Choice,
    limit: number,
    offset: number,
  ): Promise<{ readonly ids: readonly number[]; readonly sizes: readonly number[] }> {
    const keys = choice.order.map((field, n) => `, ${column(unsigned(field))} AS key${n}`).join("");
    const found: Ranked[] = [];
    for (const part of this.partsOf(choice))
      found.push(...(await this.query<Ranked>(`id${keys}`, part, offset + limit)));
    found.sort(byOrder(choice.order));
    const ids = found.slice(offset, offset + limit).map(({ id }) => id);
    const columns = "id, octet_length(body) AS bytes";
    const rows = await this.query<{ id: number; bytes: number }>(columns, withIds(ids), ids.length);
    const sizes = new Map(rows.map(({ id, bytes }) => [id, bytes]));
    return { ids, sizes: ids.map((id) => sizes.get(id) ?? 0) };
  }

  private async byIds(ids: readonly number[]): Promise<IndexedRecord<Rec>[]> {
    const found = await this.select(withIds(ids), ids.length);
    const records = new Map(found.map((each) => [each.id, each]));
    return ids.flatMap((id) => records.get(id) ?? []);
  }

  private async selectThatFit(wanted: Wanted, limit: number, offset = 0): Promise<IndexedRecord<Rec>[]> {
    const fits = fitting(await this.sizes(wanted, limit, offset));
    return fits === 0 ? [] : this.select(wanted, fits, offset);
  }

  /** Bytes of each record. SQLite tells them without reading the record. */
  private async sizes(wanted: Wanted, limit: number, offset = 0): Promise<number[]> {
    return sizesOf(await this.query("octet_length(body) AS bytes", wanted, limit, offset));
  }

  private async select(wanted: Wanted, limit: number, offset = 0): Promise<IndexedRecord<Rec>[]> {
    const rows = await this.query<Row>(COLUMNS, wanted, limit, offset);
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

  /**
   * The chosen records in parts, one for each value of the index's first field; the index has each part in order. So
   * no question reads or sorts more than the page asks for.
   */
  private partsOf(choice: Choice): readonly Wanted[] {
    const index = this.indexes.find(
      ([first = "", ...others]) => first in choice.where && `${others}` === `${choice.order}`,
    );
    const [first = ""] = index ?? [];
    const values = choice.where[first];
    if (index === undefined || values === undefined || "from" in values) return [this.wantedBy(choice)];
    const by = `INDEXED BY ${this.nameOf(index)}`;
    return values.map((value) => ({
      by,
      ...this.wantedBy({ ...choice, where: { ...choice.where, [first]: [value] } }),
    }));
  }

  private wantedBy({ where, order }: Choice): Wanted {
    const conditions = Object.entries(where).map(([field, allowed]) => conditionOf(column(field), allowed));
    const keys = order.flatMap(keysOf);
    return {
      // by name: only so does SQLite see that the log's own indexes have all of its rows
      rows: `AND log = '${this.log}' ${conditions.map(({ sql }) => sql).join(" ")} ORDER BY ${[...keys, "id"].join(", ")}`,
      params: conditions.map(({ param }) => param),
    };
  }

  /** SQL that makes the log's indexes if they are absent, of this log's rows only. */
  private get making(): readonly string[] {
    return this.indexes.map(
      (fields) =>
        `CREATE INDEX IF NOT EXISTS ${this.nameOf(fields)} ON records (${columnsOf(fields)}) WHERE log = '${this.log}'`,
    );
  }

  /** Different fields need a different index. */
  private nameOf(fields: readonly string[]): string {
    return `"${this.log} by ${fields.join(" ")}"`;
  }

  private query<R>(
    columns: string,
    { by = "", rows, params }: Wanted,
    limit: number,
    offset = 0,
  ): Promise<R[]> {
    const sql = `SELECT ${columns} FROM records ${by} WHERE log = ? ${rows} LIMIT ? OFFSET ?`;
    return this.database.all<R>(sql, [this.log, ...params, limit, offset]);
  }
}

function newestFirst({ subject, before }: Page): Wanted {
  const bySubject = subject === undefined ? "" : "AND subject = ?";
  const byId = before === undefined ? "" : "AND id < ?";
  const params = [subject, before].filter((value) => value !== undefined);
  return { rows: `${bySubject} ${byId} ORDER BY id DESC`, params };
}

/** A field of the record. SQLite uses an index only if index and question write the field in the same way. */
const column = (field: string): string => `(body ->> '$.${field}')`;

/** What is null comes last. */
const keysOf = (field: string): readonly string[] =>
  field.startsWith("-") ? [`${column(unsigned(field))} DESC`] : [`${column(field)} IS NULL`, column(field)];

const columnsOf = ([first = "", ...others]: readonly string[]): readonly string[] => [
  column(first),
  ...others.flatMap(keysOf),
];

const unsigned = (field: string): string => field.replace(/^-/, "");

function conditionOf(
  field: string,
  allowed: Choice["where"][string],
): { readonly sql: string; readonly param: SqlValue } {
  if ("from" in allowed) return { sql: `AND ${field} >= ?`, param: allowed.from };
  const [only] = allowed;
  if (only !== undefined && allowed.length === 1) return { sql: `AND ${field} = ?`, param: only };
  return { sql: `AND ${field} IN (SELECT value FROM json_each(?))`, param: JSON.stringify(allowed) };
}

/** A record with the values that it is sorted by: `key0` and so on. */
type Ranked = { readonly id: number } & Readonly<Record<string, Key>>;
type Key = string | number | null;

/** As SQLite sorts them. */
const byOrder =
  (order: readonly string[]) =>
  (a: Ranked, b: Ranked): number => {
    for (const [n, field] of order.entries()) {
      const compared = compareKeys(a[`key${n}`] ?? null, b[`key${n}`] ?? null, field.startsWith("-"));
      if (compared !== 0) return compared;
    }
    return a.id - b.id;
  };

function compareKeys(a: Key, b: Key, falls: boolean): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  return a < b === falls ? 1 : -1;
}

const withIds = (ids: readonly number[]): Wanted => ({
  rows: "AND id IN (SELECT value FROM json_each(?))",
  params: [JSON.stringify(ids)],
});

/** What SQLite says of a row that is no JSON, among others. */
const MALFORMED = "SQLITE_ERROR";

/** What to ask instead of a page that is too large. */
export const smallerPage = (fits: number): Alternative => ({ words: `ask for ${fits} at once` });

/** What to ask instead of a range of which the records up to `next` fit. */
const shorterRange = (next: number): Alternative => {
  const next_start_time = new Date(next).toISOString();
  return {
    words: `ask up to ${new Date(next - 1).toISOString()}, then from ${next_start_time} on`,
    details: { next_start_time },
  };
};
