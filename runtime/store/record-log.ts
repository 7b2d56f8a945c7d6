import { join } from "node:path";
import type { HistoryQuery, HistoryResult } from "./bucket.js";
import type { Database } from "./database.js";
import { closedOnFailure, LossMark } from "./durable-file.js";
import { queryHistory } from "./history.js";
import { Journal, type OpenJournalFile } from "./journal.js";
import { JournalEnd } from "./journal-end.js";
import type { Tail } from "./journal-lines.js";
import { type Choice, NOWHERE, type Page, type Reach, RecordIndex, smallerPage } from "./record-index.js";
import { Indexer, type IsMeant, type ReadLine } from "./record-indexer.js";
import {
  assertFits,
  foldEntry,
  type IndexedRecord,
  type LogDefinition,
  type LogEntry,
  MAX_ANSWER_ROWS,
  RecordWindow,
  type Stored,
  sizesOf,
  WINDOW_SIZE,
} from "./records.js";
import { exists, type StateFolder, sizeOf } from "./state-folder.js";

/**
 * Bytes that a relaxed index may lag behind: at 40 bytes a line and more, of which 24 are its time, fewer lines than the
 * window has. Otherwise it follows at once: a journal that is cut short later is known by its index.
 */
const MAX_INDEX_LAG_BYTES = 32_768;

export interface OpenReport {
  /** Bytes of a last line that a crash had cut short, set aside into `<name>.jsonl.torn`. */
  readonly tornBytes: number;
  /** Places in the journal, in bytes, of lines that cannot be read and were skipped when they were indexed now. */
  readonly damagedAt: readonly number[];
  /** The index held more than the journal and was made anew. */
  readonly rebuilt: boolean;
  /** What is lost of this log, until `acknowledgeLoss`: the journal was missing in a used folder, or has a damaged line or end. */
  readonly lost: string | undefined;
}

interface StoredFilter {
  /** Only records with higher numbers. */
  readonly after?: number;
  readonly containing?: string;
}

export interface RecordLogParts {
  readonly folder: StateFolder;
  readonly database: Database;
  /** How far the logs' indexes reached when the database was opened; by default each log asks for itself. */
  readonly reaches?: ReadonlyMap<string, Reach>;
  readonly relaxed?: boolean;
  /** The index may lag behind by some lines; by default where the log is relaxed. */
  readonly lazyIndex?: boolean;
  /** Called if the index cannot follow while nobody asks it, or a mark cannot be written. */
  readonly onFailure?: (error: Error) => void;
  /** Called when the journal could not be written. */
  readonly onFailedWrite?: (cause: unknown) => void;
  /** Called when lines are on the disk. */
  readonly onWritten?: () => void;
  /** Opens the journal's file; by default on the disk. */
  readonly openFile?: OpenJournalFile;
}

/**
 * A journal, its index in SQLite and its newest records in memory. The journal is the record: when `append` resolves,
 * the entry is in the journal on the disk. The index follows, and catches up before each question.
 */
export class RecordLog<Entry extends LogEntry, Rec extends object> {
  private window: Promise<RecordWindow<Rec>> | undefined;
  private readonly watchers: ((stored: Stored<Rec>) => void)[] = [];
  private failing = false;

  private constructor(
    private readonly definition: LogDefinition<Entry, Rec>,
    private readonly parts: RecordLogParts,
    private readonly journal: Journal,
    private readonly index: RecordIndex<Rec>,
    private readonly indexer: Indexer<Entry, Rec>,
    private readonly loss: LossMark,
    private readonly end: JournalEnd | undefined,
    readonly openReport: OpenReport,
  ) {}

  static async open<Entry extends LogEntry, Rec extends object>(
    definition: LogDefinition<Entry, Rec>,
    parts: RecordLogParts,
  ): Promise<RecordLog<Entry, Rec>> {
    const { folder, database, relaxed = false, onFailedWrite, onWritten, openFile } = parts;
    const file = join(folder.journals, `${definition.name}.jsonl`);
    const loss = folder.hasLossMark(definition.name) ? await LossMark.open(file) : LossMark.none(file);
    const missing = () => loss.set(`the journal ${definition.name} was missing or empty`);
    const cut = () =>
      loss.set(`the journal ${definition.name} was cut short, or nobody knows where it ended`);
    // before the file is made: from then on nobody could tell
    const begun = folder.hasBegun(definition.name);
    if (await isGone(file, begun)) await missing();
    const beforeCut = async ({ start, bytes, torn }: Tail) => {
      if (!torn) await loss.set(damagedEnd(definition.name, bytes));
      else if (begun && start === 0) await missing();
    };
    const { journal, report } = await Journal.open({
      file,
      relaxed,
      beforeCut,
      ...(onFailedWrite && { onFailedWrite }),
      ...(onWritten && { onWritten }),
      ...(openFile && { openFile }),
    });
    let end: JournalEnd | undefined;
    const files = { close: () => Promise.all([journal.close(), end?.close()]) };
    return closedOnFailure(files, async () => {
      const index = new RecordIndex<Rec>(database, definition.name, definition.indexes);
      const isWhole = await index.open();
      const reach = parts.reaches && reachIn(parts.reaches, definition.name);
      const isIndexed = (reach ?? (await index.reach())).bytes > 0;
      if (definition.keepsEnd) end = await JournalEnd.open(file, parts);
      if (end?.isMissedBy(journal.size, { isIndexed, isNameless: folder.isNameless })) await cut();
      const indexer = new Indexer(definition, journal, index, loss);
      const { rebuilt, damagedAt } = await indexer.open(isWhole ? reach : undefined);
      const tornBytes = report.tail?.torn ? report.tail.bytes : 0;
      const openReport = { tornBytes, damagedAt, rebuilt, lost: loss.reason };
      const log = new RecordLog(definition, parts, journal, index, indexer, loss, end, openReport);
      if (journal.size > 0) await log.noteFound();
      log.loaded().catch(() => undefined); // tried again by whoever needs it first
      return log;
    });
  }

  /** Calls `watcher`, which must not throw, with each record that an entry has made or extended, once that is durable. */
  watch(watcher: (stored: Stored<Rec>) => void): void {
    this.watchers.push(watcher);
  }

  /** Durable when it resolves, with the record that the entry made or extended. Rejects with STORE_FAILED. */
  async append(entry: Entry): Promise<Stored<Rec>> {
    const stored = await this.write(entry);
    await this.markUsed();
    // without a later line a record only counts as more; no order waits for this, as its line is on the disk
    if (entry.of === undefined && !this.parts.relaxed) void this.keepEnd();
    for (const watcher of this.watchers) watcher(stored);
    return stored;
  }

  async get(id: number): Promise<Rec | undefined> {
    const window = await this.loaded();
    return (window.get(id) ?? (await this.indexed(id)))?.record;
  }

  /** A page from the end, in order of the journal; past the end it is empty. Rejects with RESULT_TOO_LARGE. */
  async recent(n: number, offset: number, subject?: string): Promise<Rec[]> {
    return (await this.page(n, offset, subject)).reverse().map(({ record }) => record);
  }

  /** Newest first, for one answer. Rejects with RESULT_TOO_LARGE. */
  async page(limit: number, offset: number, subject?: string): Promise<Stored<Rec>[]> {
    const window = await this.loaded();
    const known = window.newest(limit, offset, subject);
    if (known) assertFits(sizesOf(known), smallerPage);
    return storedOf(known ?? (await (await this.caughtUp()).page({ limit, offset, subject })));
  }

  /** All at once: only for records that are short. */
  async newestFirst(limit: number, offset: number, subject?: string): Promise<Stored<Rec>[]> {
    const all: Stored<Rec>[] = [];
    for await (const each of this.newest({ limit, offset, subject })) all.push(each);
    return all;
  }

  /** Newest first; no more of them are in memory than one answer may have. */
  async *newest(page: Page): AsyncGenerator<Stored<Rec>> {
    const { limit, offset = 0, subject } = page;
    const window = await this.loaded();
    const known = window.newest(limit, offset, subject);
    yield* storedOf(known ?? []);
    if (known) return;
    const index = await this.caughtUp();
    let next = page;
    while (next.limit > 0) {
      const found = await index.newestThatFit(next);
      const last = found.at(-1);
      if (!last) return;
      yield* storedOf(found);
      next = { limit: next.limit - found.length, subject, before: last.id };
    }
  }

  async newestOf(subject: string): Promise<Rec | undefined> {
    const window = await this.loaded();
    const [known] = window.newest(1, 0, subject) ?? (await this.newestBehindWindow(subject));
    return known?.record;
  }

  /** Chronological by wall time, both ends included. Rejects with RESULT_TOO_LARGE. */
  async range(fromMs: number, toMs: number): Promise<Rec[]> {
    return recordsOf(await (await this.caughtUp()).range(fromMs, toMs));
  }

  /** Records since then whose search text contains the keyword, in any case; chronological. Rejects with RESULT_TOO_LARGE. */
  async search(keyword: string, sinceMs: number): Promise<Rec[]> {
    return recordsOf(await (await this.caughtUp()).search(keyword, sinceMs));
  }

  /** Every record in order of the journal. */
  async *all(): AsyncGenerator<Rec> {
    for await (const { record } of this.stored()) yield record;
  }

  /** Every record with its number, in order of the journal: those after a number, or whose JSON contains a text. */
  async *stored({ after = 0, containing }: StoredFilter = {}): AsyncGenerator<Stored<Rec>> {
    if (this.journal.size === 0) return;
    const index = await this.caughtUp();
    for (let last = after; ; ) {
      const page = await index.after(last, containing);
      yield* storedOf(page);
      const end = page.at(-1);
      if (!end) return;
      last = end.id;
    }
  }

  /** The lines of these records as the journal has them, former versions among them. Rejects with STORE_FAILED. */
  lines(ids: ReadonlySet<number>): AsyncGenerator<ReadLine> {
    return this.indexer.lines(ids);
  }

  /** `plant` is the subject. Throws TOO_MANY_BUCKETS, UNKNOWN_FIELD, INVALID_ARGUMENT. */
  async history(query: HistoryQuery): Promise<HistoryResult> {
    const source = (await this.caughtUp()).historySource(query.plant);
    return queryHistory(this.parts.database, source, query);
  }

  async count(): Promise<number> {
    return (await this.caughtUp()).count();
  }

  /** A page of those that were chosen, in their order: as many of it as fit into one answer. */
  async chosen(choice: Choice, limit: number, offset: number): Promise<Stored<Rec>[]> {
    return storedOf(await (await this.caughtUp()).chosen(choice, limit, offset));
  }

  /** All that were chosen, in their order; no more of them are in memory than one answer may have. */
  async *everyChosen(choice: Choice): AsyncGenerator<Stored<Rec>> {
    const index = await this.caughtUp();
    for (let offset = 0; ; ) {
      const found = await index.chosen(choice, MAX_ANSWER_ROWS, offset);
      if (found.length === 0) return;
      yield* storedOf(found);
      offset += found.length;
    }
  }

  get isErasable(): boolean {
    return Boolean(this.definition.erasable);
  }

  /**
   * Erases what the lines say for which `isMeant` is true, from the journal and all that is made of it, if the log is
   * erasable. After a crash some of it can be left: call it again. Rejects with STORE_FAILED.
   */
  async erase(isMeant: IsMeant): Promise<void> {
    if (!this.isErasable) return;
    const window = await this.loaded();
    const records = await this.indexer.erase(isMeant);
    for (const record of records) window.put(record);
  }

  /**
   * Removes the records before this one from the journal and all that is made of it; the others keep their numbers.
   * For a log whose lines stand alone. After a crash all of them are left or none. Rejects with STORE_FAILED.
   */
  async dropBefore(id: number): Promise<void> {
    const window = await this.loaded();
    await this.indexer.dropBefore(id);
    window.dropBefore(id);
  }

  /** Says that the consequence of `openReport.lost` was drawn and is durable: it is not reported again. */
  async acknowledgeLoss(): Promise<void> {
    if (this.loss.reason === undefined) return;
    if (this.journal.size === 0) await this.parts.folder.markEmpty(this.definition.name);
    await this.end?.keep(this.journal.size);
    await this.loss.clear();
  }

  /** If the index cannot take a line now, it takes the line when the log is opened again. */
  async close(): Promise<void> {
    await this.indexer.catchUp().catch((error: unknown) => this.complain(error));
    await this.journal.close();
    await this.keepEnd();
    await this.end?.close();
  }

  private async write(entry: Entry): Promise<Stored<Rec>> {
    const window = await this.loaded();
    const line = await this.journal.append(entry);
    const id = entry.of ?? line;
    const known = window.get(id);
    if (!known && id !== line) return this.extendedOld(id, entry);
    const { record } = window.put(foldEntry(this.definition, id, entry, known));
    this.indexInBackground();
    return { id, record };
  }

  /** An earlier run may have ended between its first record and the mark, or the note of the end. */
  private async noteFound(): Promise<void> {
    await this.markUsed();
    if (this.loss.reason === undefined && !this.parts.relaxed) void this.keepEnd();
  }

  /** The record is on the disk already, so a failure is only reported, and the next record tries again. */
  private async markUsed(): Promise<void> {
    try {
      await this.parts.folder.markUsed(this.definition.name);
    } catch (error) {
      this.complain(error);
    }
  }

  /** As with the mark, a failure is only reported: the record is on the disk. */
  private async keepEnd(): Promise<void> {
    await this.end?.keep(this.journal.size).catch((error: unknown) => this.complain(error));
  }

  /** A record older than the window holds was extended: only the index knows it. */
  private async extendedOld(id: number, entry: Entry): Promise<Stored<Rec>> {
    const record = (await this.indexed(id))?.record ?? this.definition.fold(undefined, entry);
    return { id, record };
  }

  /** The index with all that is in the journal now. */
  private async caughtUp(): Promise<RecordIndex<Rec>> {
    await this.indexer.catchUp();
    return this.index;
  }

  private async indexed(id: number): Promise<IndexedRecord<Rec> | undefined> {
    return (await this.caughtUp()).get(id);
  }

  /** What the window does not hold is in the index, which lags by fewer lines than the window has. */
  private async newestBehindWindow(subject: string): Promise<IndexedRecord<Rec>[]> {
    if (this.indexer.behind > this.mostBehind) await this.indexer.catchUp();
    return this.index.newestThatFit({ limit: 1, subject });
  }

  /** Questions that the window answers need no index: it follows in batches. A failure is told by the next question. */
  private indexInBackground(): void {
    if (this.indexer.behind <= this.mostBehind) return;
    this.indexer.catchUp().then(
      () => {
        this.failing = false;
      },
      (error: unknown) => this.complain(error),
    );
  }

  /** Once, until it works again. */
  private complain(error: unknown): void {
    if (!this.failing && error instanceof Error) this.parts.onFailure?.(error);
    this.failing = true;
  }

  private get mostBehind(): number {
    const { relaxed, lazyIndex = relaxed } = this.parts;
    return lazyIndex ? MAX_INDEX_LAG_BYTES : 0;
  }

  /**
   * Asked for when the log is opened: what is written later waits behind no long question to the database. A failed
   * attempt is not remembered.
   */
  private loaded(): Promise<RecordWindow<Rec>> {
    this.window ??= this.load().catch((error: unknown) => {
      this.window = undefined;
      throw error;
    });
    return this.window;
  }

  private async load(): Promise<RecordWindow<Rec>> {
    if (this.journal.size === 0) return new RecordWindow([], true);
    const newest = await this.index.newestThatFit({ limit: WINDOW_SIZE });
    const complete = newest.length === (await this.index.count());
    return new RecordWindow(newest.reverse(), complete);
  }
}

const reachIn = (reaches: ReadonlyMap<string, Reach>, log: string): Reach => reaches.get(log) ?? NOWHERE;

/** `begun`: whether the log has ever recorded anything, if that is known. */
const isGone = async (file: string, begun: boolean | undefined): Promise<boolean> =>
  begun === undefined ? !(await exists(file)) : begun && (await sizeOf(file)) === 0;

const damagedEnd = (log: string, bytes: number): string =>
  `the journal ${log} ended in ${bytes} bytes that are no line, now in ${log}.jsonl.torn`;

const storedOf = <Rec>(indexed: readonly IndexedRecord<Rec>[]): Stored<Rec>[] =>
  indexed.map(({ id, record }) => ({ id, record }));

const recordsOf = <Rec>(stored: readonly IndexedRecord<Rec>[]): Rec[] => stored.map(({ record }) => record);
