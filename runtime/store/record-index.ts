import type { Database, SqlValue } from "./database.js";
import { type LossMark, storeFailed } from "./durable-file.js";
import type { HistorySource } from "./history.js";
import type { Journal, Piece } from "./journal.js";
import type { JournalLine } from "./journal-lines.js";
import {
  type Alternative,
  assertFits,
  fitting,
  foldEntry,
  type IndexedRecord,
  type LogDefinition,
  type LogEntry,
  MAX_ANSWER_ROWS,
  searchable,
} from "./records.js";

/** A record as the table has it. */
interface RecordRow {
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
  /** Which values a field may have, or from which one on. False is 0. */
  readonly where: Readonly<Record<string, readonly (string | number)[] | { readonly from: string }>>;
  /** Fields, a minus in front of those that fall. What is null comes last; of equals the older first. */
  readonly order: readonly string[];
}

const COLUMNS = "id, at, subject, body, octet_length(body) AS bytes";
type Row = Omit<RecordRow, "search"> & { readonly bytes: number };

/** The rows of one log in the table `records`, and how far into its journal they reach. */
export class RecordIndex<Rec extends object> {
  constructor(
    private readonly database: Database,
    private readonly log: string,
  ) {}

  /** Bytes of the journal that are indexed, and the number of the last record; both are 0 for a new database. */
  async reach(): Promise<{ readonly bytes: number; readonly lastId: number }> {
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
    const found = await this.query<Pick<Row, "at" | "bytes">>(
      "at, octet_length(body) AS bytes",
      wanted,
      MAX_ANSWER_ROWS + 1,
      0,
    );
    assertFits(
      found.map(({ bytes }) => bytes),
      (fits) => shorterRange(found[fits]?.at ?? toMs),
    );
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

  /** A page of what was chosen. Throws RESULT_TOO_LARGE, as a page does. */
  async chosen(choice: Choice, limit: number, offset: number): Promise<IndexedRecord<Rec>[]> {
    const wanted = wantedBy(choice);
    assertFits(await this.sizes(wanted, Math.min(limit, MAX_ANSWER_ROWS + 1), offset), smallerPage);
    return this.select(wanted, limit, offset);
  }

  /** As many of what was chosen as fit into one answer. */
  chosenThatFit(choice: Choice, offset: number): Promise<IndexedRecord<Rec>[]> {
    return this.selectThatFit(wantedBy(choice), MAX_ANSWER_ROWS, offset);
  }

  /** Each text that the records have in this field, once. */
  async values(field: string): Promise<string[]> {
    const sql = `SELECT DISTINCT body ->> '$.${field}' AS value FROM records WHERE log = ?`;
    const rows = await this.database.all<{ value: string | null }>(sql, [this.log]);
    return rows.flatMap(({ value }) => value ?? []);
  }

  /** How many records there are, or how many were chosen. */
  async count(choice: Choice = { where: {}, order: [] }): Promise<number> {
    const [found] = await this.query<{ n: number }>(
      "count(*) AS n",
      wantedBy({ ...choice, order: [] }),
      1,
      0,
    );
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

  private async selectThatFit(wanted: Wanted, limit: number, offset = 0): Promise<IndexedRecord<Rec>[]> {
    const fits = fitting(await this.sizes(wanted, limit, offset));
    return fits === 0 ? [] : this.select(wanted, fits, offset);
  }

  /** Bytes of each record. SQLite tells them without reading the record. */
  private async sizes(wanted: Wanted, limit: number, offset = 0): Promise<number[]> {
    const rows = await this.query<{ bytes: number }>("octet_length(body) AS bytes", wanted, limit, offset);
    return rows.map(({ bytes }) => bytes);
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

  private query<R>(columns: string, { rows, params }: Wanted, limit: number, offset: number): Promise<R[]> {
    const sql = `SELECT ${columns} FROM records WHERE log = ? ${rows} LIMIT ? OFFSET ?`;
    return this.database.all<R>(sql, [this.log, ...params, limit, offset]);
  }
}

function newestFirst({ subject, before }: Page): Wanted {
  const bySubject = subject === undefined ? "" : "AND subject = ?";
  const byId = before === undefined ? "" : "AND id < ?";
  const params = [subject, before].filter((value) => value !== undefined);
  return { rows: `${bySubject} ${byId} ORDER BY id DESC`, params };
}

function wantedBy({ where, order }: Choice): Wanted {
  const column = (field: string) => `(body ->> '$.${field}')`;
  const conditions = Object.entries(where).map(([field, allowed]) =>
    "from" in allowed
      ? { sql: `AND ${column(field)} >= ?`, param: allowed.from }
      : { sql: `AND ${column(field)} IN (SELECT value FROM json_each(?))`, param: JSON.stringify(allowed) },
  );
  const keys = order.map((field) =>
    field.startsWith("-") ? `${column(field.slice(1))} DESC NULLS LAST` : `${column(field)} NULLS LAST`,
  );
  return {
    rows: `${conditions.map(({ sql }) => sql).join(" ")} ORDER BY ${[...keys, "id"].join(", ")}`,
    params: conditions.map(({ param }) => param),
  };
}

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

/** A line that could be read. */
export type ReadLine = Extract<JournalLine, { readonly entry: unknown }>;

/** Whether a line is to be erased; `record` is the number of its record. */
export type IsMeant = (line: ReadLine, record: number) => boolean;

/** As long as the line was, so that every other line stays in its place. */
function blankOf({ start, end, id, entry: { timestamp, of } }: ReadLine): Piece {
  const left = JSON.stringify({ id, timestamp, of, erased: true });
  const length = end - 1 - start;
  return { start, bytes: Buffer.from(`${left.slice(0, -1).padEnd(length - 1)}}`) };
}

/** So many lines are indexed in one transaction. */
const BATCH = 500;
/** So many bytes of lines too, as the longest line of a batch may be a thousand times the usual one. A choice. */
const BATCH_BYTES = 1_048_576;

/** Carries a journal's lines over into its index, in order, from where it last got to. */
export class Indexer<Entry extends LogEntry, Rec extends object> {
  private position = 0;
  private catching: Promise<void> | undefined;
  private readonly damagedAt: number[] = [];

  constructor(
    private readonly definition: LogDefinition<Entry, Rec>,
    private readonly journal: Journal,
    private readonly index: RecordIndex<Rec>,
    private readonly loss: LossMark,
  ) {}

  /** Brings the index up to the journal; one that reaches beyond it belongs to another journal and is made anew. */
  async open(): Promise<{ rebuilt: boolean; damagedAt: readonly number[] }> {
    const { bytes, lastId } = await this.index.reach();
    this.position = bytes;
    const rebuilt = this.position > this.journal.size;
    if (rebuilt) {
      await this.loss.set(`the journal ${this.definition.name} had lost lines that its index knew of`);
      await this.index.clear();
      this.position = 0;
    }
    const isBehind = this.behind > 0;
    await this.catchUp();
    this.journal.reserve(rebuilt || isBehind ? (await this.index.reach()).lastId : lastId);
    return { rebuilt, damagedAt: [...this.damagedAt] };
  }

  /** Bytes of the journal that the index does not hold yet. */
  get behind(): number {
    return this.journal.size - this.position;
  }

  /** Resolves once everything that is in the journal at the call is in the index. */
  async catchUp(): Promise<void> {
    while (this.behind > 0) {
      this.catching ??= this.indexAll().finally(() => {
        this.catching = undefined;
      });
      await this.catching;
    }
  }

  /**
   * Takes out of journal and index what the lines say for which `isMeant`: their number, time and `of` stay, with `erased: true`.
   * The records that have such lines, also those of an earlier time. Needs a definition that is `erasable`.
   */
  async erase(isMeant: IsMeant): Promise<readonly IndexedRecord<Rec>[]> {
    await this.catchUp();
    const erased = this.eraseLines(isMeant);
    this.catching = erased.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await erased;
    } finally {
      this.catching = undefined;
    }
  }

  /** The lines of these records, in order of the journal. */
  async *lines(ids: ReadonlySet<number>): AsyncGenerator<ReadLine> {
    for await (const line of this.journal.read(0))
      if ("entry" in line && ids.has(this.idOf(line))) yield line;
  }

  private async eraseLines(isMeant: IsMeant): Promise<readonly IndexedRecord<Rec>[]> {
    const pieces: Piece[] = [];
    for await (const line of this.journal.read(0))
      if ("entry" in line && this.isErasable(line) && isMeant(line, this.idOf(line)))
        pieces.push(blankOf(line));
    if (pieces.length > 0) await this.journal.replace(pieces);
    const records = await this.recordsWithErasedLines();
    await this.index.save(
      records.map((each) => this.rowOf(each)),
      this.position,
    );
    return records;
  }

  private async recordsWithErasedLines(): Promise<readonly IndexedRecord<Rec>[]> {
    const ids = new Set<number>();
    for await (const line of this.journal.read(0))
      if ("entry" in line && line.entry.erased === true) ids.add(this.idOf(line));
    const records = new Map<number, IndexedRecord<Rec>>();
    for await (const line of this.journal.read(0)) {
      if (!("entry" in line) || !ids.has(this.idOf(line))) continue;
      const id = this.idOf(line);
      const folded = this.fold(id, line.entry as unknown as Entry, records.get(id));
      if (folded) records.set(id, folded);
    }
    return [...records.values()];
  }

  /** Whether it has anything left that may be erased. */
  private isErasable({ entry }: ReadLine): boolean {
    const { erasable = false } = this.definition;
    if (entry.erased === true) return false;
    return typeof erasable === "boolean" ? erasable : erasable(entry as unknown as Entry);
  }

  private idOf(line: ReadLine): number {
    return this.definition.recordId?.(line.entry as unknown as Entry) ?? line.id;
  }

  private async indexAll(): Promise<void> {
    const batch: JournalLine[] = [];
    for await (const line of this.journal.read(this.position)) {
      batch.push(line);
      if (batch.length === BATCH || line.end - this.position >= BATCH_BYTES)
        await this.indexBatch(batch.splice(0));
    }
    await this.indexBatch(batch);
  }

  private async indexBatch(lines: readonly JournalLine[]): Promise<void> {
    const end = lines.at(-1)?.end;
    if (end === undefined) return;
    const changed = new Map<number, IndexedRecord<Rec>>();
    for (const line of lines) await this.take(line, changed);
    const records = [...changed.values()].sort((a, b) => a.id - b.id);
    await this.index.save(
      records.map((each) => this.rowOf(each)),
      end,
    );
    this.position = end;
  }

  private async take(line: JournalLine, changed: Map<number, IndexedRecord<Rec>>): Promise<void> {
    if ("damaged" in line) return this.lose(line);
    const entry = line.entry as unknown as Entry;
    const earlier = this.definition.recordId?.(entry);
    const id = earlier ?? line.id;
    const known = earlier === undefined ? undefined : (changed.get(id) ?? (await this.index.get(id)));
    const record = this.fold(id, entry, known);
    return record ? void changed.set(id, record) : this.lose(line);
  }

  /** Undefined for a line that is JSON but not an entry of this log, or extends a record that is lost. */
  private fold(
    id: number,
    entry: Entry,
    known: IndexedRecord<Rec> | undefined,
  ): IndexedRecord<Rec> | undefined {
    try {
      const folded = foldEntry(this.definition, id, entry, known);
      return Number.isNaN(folded.at) ? undefined : folded;
    } catch {
      return undefined;
    }
  }

  /** The mark is durable before the position moves on: the line is looked at only once. */
  private async lose({ start }: JournalLine): Promise<void> {
    this.damagedAt.push(start);
    await this.loss.set(
      `the journal ${this.definition.name} has a line at byte ${start} that cannot be read`,
    );
  }

  private rowOf({ id, at, subject, record }: IndexedRecord<Rec>): RecordRow {
    const text = this.definition.searchText?.(record);
    return {
      id,
      at,
      subject,
      body: JSON.stringify(record),
      search: text === undefined ? null : searchable(text),
    };
  }
}
