import type { IndexedRecord } from "./log-definition.js";

/** CONTRACT.md "Records": the last 1000 stay in memory. */
export const WINDOW_SIZE = 1000;

/** The newest records of a log in memory, by rising id. */
export class RecordWindow<Rec> {
  private readonly records = new Map<number, IndexedRecord<Rec>>();
  private lastId = 0;

  /** `newest` holds the newest records, oldest first; `complete` says that there are no others. */
  constructor(
    newest: readonly IndexedRecord<Rec>[],
    private complete: boolean,
  ) {
    for (const each of newest) this.records.set(each.id, each);
    this.lastId = newest.at(-1)?.id ?? 0;
  }

  get(id: number): IndexedRecord<Rec> | undefined {
    return this.records.get(id);
  }

  /** Takes in a new record or a new form of one; an old one that is not in the window stays outside. */
  put(record: IndexedRecord<Rec>): IndexedRecord<Rec> {
    const isNew = record.id > this.lastId;
    if (!isNew && !this.records.has(record.id)) return record;
    this.records.set(record.id, record);
    this.lastId = Math.max(this.lastId, record.id);
    if (this.records.size > WINDOW_SIZE) this.forgetOldest();
    return record;
  }

  /** Newest first; undefined if the page reaches beyond what is in memory. */
  newest(limit: number, offset: number, subject?: string): IndexedRecord<Rec>[] | undefined {
    const all = [...this.records.values()];
    const ours = subject === undefined ? all : all.filter((each) => each.subject === subject);
    if (!this.complete && offset + limit > ours.length) return undefined;
    return ours.slice(Math.max(0, ours.length - offset - limit), Math.max(0, ours.length - offset)).reverse();
  }

  private forgetOldest(): void {
    const [oldest] = this.records.keys();
    if (oldest !== undefined) this.records.delete(oldest);
    this.complete = false;
  }
}
