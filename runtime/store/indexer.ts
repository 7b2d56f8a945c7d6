import type { Journal } from "./journal.js";
import type { JournalLine } from "./journal-lines.js";
import { type IndexedRecord, type LogDefinition, type LogEntry, searchable } from "./log-definition.js";
import type { LossMark } from "./loss-mark.js";
import type { RecordIndex, RecordRow } from "./record-index.js";
import type { RecordWindow } from "./record-window.js";

/** So many lines are indexed in one transaction. */
const BATCH = 500;

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

  /** Resolves once everything that is in the journal at the call is in the index, and in the window if there is one. */
  async catchUp(window?: RecordWindow<Rec>): Promise<void> {
    while (this.position < this.journal.size) {
      this.catching ??= this.indexAll(window).finally(() => {
        this.catching = undefined;
      });
      await this.catching;
    }
  }

  private async indexAll(window: RecordWindow<Rec> | undefined): Promise<void> {
    const batch: JournalLine[] = [];
    for await (const line of this.journal.read(this.position)) {
      batch.push(line);
      if (batch.length === BATCH) await this.indexBatch(batch.splice(0), window);
    }
    await this.indexBatch(batch, window);
  }

  private async indexBatch(
    lines: readonly JournalLine[],
    window: RecordWindow<Rec> | undefined,
  ): Promise<void> {
    const end = lines.at(-1)?.end;
    if (end === undefined) return;
    const changed = new Map<number, IndexedRecord<Rec>>();
    for (const line of lines) await this.take(line, changed, window);
    const records = [...changed.values()].sort((a, b) => a.id - b.id);
    await this.index.save(
      records.map((each) => this.rowOf(each)),
      end,
    );
    this.position = end;
    for (const each of records) window?.put(each);
  }

  private async take(
    line: JournalLine,
    changed: Map<number, IndexedRecord<Rec>>,
    window: RecordWindow<Rec> | undefined,
  ): Promise<void> {
    if ("damaged" in line) return this.lose(line);
    const entry = line.entry as unknown as Entry;
    const earlier = this.definition.recordId?.(entry);
    const id = earlier ?? line.id;
    const known =
      earlier === undefined ? undefined : (changed.get(id) ?? window?.get(id) ?? (await this.index.get(id)));
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
      const at = Date.parse(entry.timestamp);
      if (Number.isNaN(at)) return undefined;
      const subject = (this.definition.subject ? this.definition.subject(entry) : entry.plant) ?? null;
      return { id, at, subject, ...known, record: this.definition.fold(known?.record, entry) };
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
