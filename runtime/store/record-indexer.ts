import { Mutex } from "../../drivers/mutex.js";
import type { LossMark } from "./durable-file.js";
import type { Journal, Piece } from "./journal.js";
import type { JournalLine } from "./journal-lines.js";
import type { Reach, RecordIndex, RecordRow } from "./record-index.js";
import { foldEntry, type IndexedRecord, type LogDefinition, type LogEntry, searchable } from "./records.js";

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
  /** The file of the journal is made anew by one at a time. */
  private readonly changes = new Mutex();
  private readonly damagedAt: number[] = [];

  constructor(
    private readonly definition: LogDefinition<Entry, Rec>,
    private readonly journal: Journal,
    private readonly index: RecordIndex<Rec>,
    private readonly loss: LossMark,
  ) {}

  /**
   * Brings the index up to the journal; one that reaches beyond it belongs to another journal and is made anew. `reach`: how far it
   * reaches, where that is known.
   */
  async open(reach?: Reach): Promise<{ rebuilt: boolean; damagedAt: readonly number[] }> {
    const { bytes, lastId } = reach ?? (await this.index.reach());
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
  erase(isMeant: IsMeant): Promise<readonly IndexedRecord<Rec>[]> {
    return this.alone(() => this.eraseLines(isMeant));
  }

  /**
   * Takes the lines before a record's out of journal and index. All others keep their numbers. Nothing goes where no line has that
   * number or a higher one. Only for a log whose lines stand alone.
   */
  dropBefore(id: number): Promise<void> {
    return this.alone(() => this.dropLines(id));
  }

  /** Nobody asks the index meanwhile. */
  private alone<T>(work: () => Promise<T>): Promise<T> {
    return this.changes.run(async () => {
      await this.catchUp();
      const done = work();
      this.catching = done.then(
        () => undefined,
        () => undefined,
      );
      try {
        return await done;
      } finally {
        this.catching = undefined;
      }
    });
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
    if (pieces.length > 0) await this.journal.replace({ pieces });
    const records = await this.recordsWithErasedLines();
    await this.index.save(records.map(this.rowOf), this.position);
    return records;
  }

  /**
   * The index first forgets how far it reaches. So wherever a crash ends this, the next start reads the journal from its beginning,
   * the long one or the short one, and makes the same records of it. A line that cannot be read is then told once more.
   */
  private async dropLines(id: number): Promise<void> {
    const { name, standAlone = false } = this.definition;
    if (!standAlone) throw new Error(`${name}: a later line may extend a dropped one`);
    const from = await this.beginningOf(id);
    if (from === 0) return;
    const position = this.position - from;
    await this.index.dropBefore(id);
    this.position = 0;
    await this.journal.replace({ from });
    await this.index.save([], position);
    this.position = position;
  }

  /** Where the first line of that number or a higher one begins; 0 if there is none. */
  private async beginningOf(id: number): Promise<number> {
    for await (const line of this.journal.read(0)) if ("entry" in line && line.id >= id) return line.start;
    return 0;
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
    return (line.entry as unknown as Entry).of ?? line.id;
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
    await this.index.save(records.map(this.rowOf), end);
    this.position = end;
  }

  private async take(line: JournalLine, changed: Map<number, IndexedRecord<Rec>>): Promise<void> {
    if ("damaged" in line) return this.lose(line);
    const entry = line.entry as unknown as Entry;
    const earlier = entry.of;
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

  private readonly rowOf = ({ id, at, subject, record }: IndexedRecord<Rec>): RecordRow => {
    const text = this.definition.searchText?.(record);
    const search = text === undefined ? null : searchable(text);
    return { id, at, subject, body: JSON.stringify(record), search };
  };
}
