import type { Journal } from "./journal.js";
import type { JournalLine } from "./journal-lines.js";
import {
  foldEntry,
  type IndexedRecord,
  type LogDefinition,
  type LogEntry,
  searchable,
} from "./log-definition.js";
import type { LossMark } from "./loss-mark.js";
import type { RecordIndex, RecordRow } from "./record-index.js";

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
    this.position = await this.index.position();
    const rebuilt = this.position > this.journal.size;
    if (rebuilt) {
      await this.loss.set(`the journal ${this.definition.name} had lost lines that its index knew of`);
      await this.index.clear();
      this.position = 0;
    }
    await this.catchUp();
    this.journal.reserve(await this.index.lastId());
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
