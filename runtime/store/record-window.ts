import type { IndexedRecord } from "./log-definition.js";

/** CONTRACT.md "Records": the last 1000 stay in memory. */
export const WINDOW_SIZE = 1000;
/** A choice: 1000 records of an ordinary agent are a megabyte; longer ones are read from the index when they are asked for. */
const WINDOW_BYTES = 2_097_152;

/** The newest records of a log in memory, by rising id. */
export class RecordWindow<Rec> {
  private readonly records = new Map<number, IndexedRecord<Rec>>();
  private lastId = 0;
  private bytes = 0;

  /** `newest` holds the newest records, oldest first; `complete` says that there are no others. */
  constructor(
    newest: readonly IndexedRecord<Rec>[],
    private complete: boolean,
  ) {
    for (const each of newest) this.keep(each);
    this.lastId = newest.at(-1)?.id ?? 0;
    this.forgetTooMany();
  }

  get(id: number): IndexedRecord<Rec> | undefined {
    return this.records.get(id);
  }

  /** Takes in a new record or a new form of one; an old one that is not in the window stays outside. */
  put(record: IndexedRecord<Rec>): IndexedRecord<Rec> {
    const isNew = record.id > this.lastId;
    if (!isNew && !this.records.has(record.id)) return record;
    this.keep(record);
    this.lastId = Math.max(this.lastId, record.id);
    this.forgetTooMany();
    return record;
  }

  /** Newest first; undefined if the page reaches beyond what is in memory. */
  newest(limit: number, offset: number, subject?: string): IndexedRecord<Rec>[] | undefined {
    const all = [...this.records.values()];
    const ours = subject === undefined ? all : all.filter((each) => each.subject === subject);
    if (!this.complete && offset + limit > ours.length) return undefined;
    return ours.slice(Math.max(0, ours.length - offset - limit), Math.max(0, ours.length - offset)).reverse();
  }

  private keep(record: IndexedRecord<Rec>): void {
    this.bytes += record.bytes - (this.records.get(record.id)?.bytes ?? 0);
    this.records.set(record.id, record);
  }

  /** The newest stays, however long it is. */
  private forgetTooMany(): void {
    for (const [id, { bytes }] of this.records) {
      const tooMany = this.records.size > WINDOW_SIZE || this.bytes > WINDOW_BYTES;
      if (!tooMany || this.records.size === 1) return;
      this.records.delete(id);
      this.bytes -= bytes;
      this.complete = false;
    }
  }
}
