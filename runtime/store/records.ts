import { createHash } from "node:crypto";
import { TendrilError } from "../errors.js";

/** A line of a journal, before it is numbered. */
export interface LogEntry {
  /** Wall time, ISO 8601. */
  readonly timestamp: string;
  readonly plant?: string;
  /** The number of the record that it extends; without it, it is a record of its own. */
  readonly of?: number;
  /** The line's number is the journal's to give. */
  readonly id?: never;
}

/** How the lines of one journal become records. */
export interface LogDefinition<Entry extends LogEntry, Rec extends object> {
  /** The journal is `<name>.jsonl`. */
  readonly name: string;
  /**
   * A record from its first entry, or from what it was and a later entry. Throws if the entry makes no sense
   * (the line that it extends is lost): such a line counts as damaged.
   */
  fold(previous: Rec | undefined, entry: Entry): Rec;
  /** What the record is about, for pages of one subject alone; by default the entry's plant. */
  subject?(entry: Entry): string | undefined;
  /**
   * How far the journal reaches is also in a file beside it, written with each new record: for what must not be forgotten where the
   * journal was cut short and the database is lost. Not for a log of which lines are dropped.
   */
  readonly keepsEnd?: boolean;
  /** No line extends another, now or later: old ones may go without the newer ones (`dropBefore`). */
  readonly standAlone?: boolean;
  /**
   * Whether a person may erase what lines say: all of them, or which. `fold` takes lines of which only time, `of` and `erased: true`
   * are left.
   */
  readonly erasable?: boolean | ((entry: Entry) => boolean);
  /** What a search looks through; without it nothing is found. */
  searchText?(record: Rec): string;
  /**
   * Indexes over fields of the records: by which they are chosen, and then the order that they are asked for in, as a `Choice` has it.
   */
  readonly indexes?: readonly (readonly string[])[];
}

/** The `fold` of logs whose records are their lines, as they were written. */
export const asWritten = <Entry>(_: Entry | undefined, entry: Entry): Entry => entry;

/** A record with its number: that of its first line. */
export interface Stored<Rec> {
  readonly id: number;
  readonly record: Rec;
}

/** A record as the index and the window keep it. */
export interface IndexedRecord<Rec> extends Stored<Rec> {
  /** Wall time of the first entry, epoch milliseconds. */
  readonly at: number;
  readonly subject: string | null;
  /** Length of the record as JSON. */
  readonly bytes: number;
}

/** The record that an entry makes, or makes of what it was. Throws where the entry makes no sense. */
export function foldEntry<Entry extends LogEntry, Rec extends object>(
  definition: LogDefinition<Entry, Rec>,
  id: number,
  entry: Entry,
  known: IndexedRecord<Rec> | undefined,
): IndexedRecord<Rec> {
  const at = Date.parse(entry.timestamp);
  const subject = (definition.subject ? definition.subject(entry) : entry.plant) ?? null;
  const record = definition.fold(known?.record, entry);
  return { id, at, subject, ...known, record, bytes: jsonBytes(record) };
}

export const jsonBytes = (value: object): number => Buffer.byteLength(JSON.stringify(value));

/** One form for what is searched and what is searched for: any case, any composition of accents. */
export const searchable = (text: string): string => text.normalize("NFC").toLowerCase();

/** The id of a record that was written by a version that gave none: always the same one for the same text. */
export function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The last 1000 stay in memory. */
export const WINDOW_SIZE = 1000;
/** A choice: 1000 records of an ordinary agent are a megabyte; longer ones are read from the index when they are asked for. */
const WINDOW_BYTES = 2_097_152;

/** The newest records of a log in memory. */
export class RecordWindow<Rec> {
  /** By rising id. */
  private readonly records: IndexedRecord<Rec>[] = [];
  private lastId = 0;
  private bytes = 0;

  /** `newest` holds the newest records, oldest first; `complete` says that there are no others. */
  constructor(
    newest: readonly IndexedRecord<Rec>[],
    private complete: boolean,
  ) {
    for (const each of newest) this.put(each);
  }

  get(id: number): IndexedRecord<Rec> | undefined {
    const found = this.records[this.placeOf(id)];
    return found?.id === id ? found : undefined;
  }

  /** Takes in a new record or a new form of one; an old one that is not in the window stays outside. */
  put(record: IndexedRecord<Rec>): IndexedRecord<Rec> {
    const known = this.get(record.id);
    if (!known && record.id <= this.lastId) return record;
    this.records[this.placeOf(record.id)] = record;
    this.bytes += record.bytes - (known?.bytes ?? 0);
    this.lastId = Math.max(this.lastId, record.id);
    this.forgetTooMany();
    return record;
  }

  dropBefore(id: number): void {
    this.forget(this.placeOf(id));
  }

  /** Newest first; undefined if the page reaches beyond what is in memory. */
  newest(limit: number, offset: number, subject?: string): IndexedRecord<Rec>[] | undefined {
    const found: IndexedRecord<Rec>[] = [];
    let toSkip = offset;
    for (let at = this.records.length - 1; at >= 0 && found.length < limit; at--) {
      const record = this.records[at];
      if (!record || (subject !== undefined && record.subject !== subject)) continue;
      if (toSkip > 0) toSkip--;
      else found.push(record);
    }
    return this.complete || found.length === limit ? found : undefined;
  }

  /** The place of the first record that is not before this one. */
  private placeOf(id: number): number {
    let [from, to] = [0, this.records.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.records[middle]?.id ?? id) < id) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  private forget(count: number): void {
    for (const { bytes } of this.records.splice(0, count)) this.bytes -= bytes;
  }

  /** The newest stays, however long it is. */
  private forgetTooMany(): void {
    while (this.records.length > 1 && (this.records.length > WINDOW_SIZE || this.bytes > WINDOW_BYTES)) {
      this.forget(1);
      this.complete = false;
    }
  }
}

/** Records in one answer, but for those of a history, whose buckets are bounded. A choice: more than a model reads at once. */
export const MAX_ANSWER_ROWS = 1000;
/**
 * Bytes of the records in one answer. A choice: as many as a frame has, more than any model reads; twenty of the longest
 * messages fit, which is what our agent asks for. It goes out twice, as text and as an object: some 2.2 MB in all.
 */
export const MAX_ANSWER_BYTES = 1_048_576;

/** The bytes of each, for the functions below. */
export const sizesOf = (records: readonly { readonly bytes: number }[]): number[] =>
  records.map(({ bytes }) => bytes);

/** How many of the first records fit into one answer; always one, as whatever was written must also be readable. */
export function fitting(sizes: readonly number[]): number {
  let bytes = 0;
  const tooMany = sizes.findIndex((size, at) => {
    bytes += size;
    return at >= MAX_ANSWER_ROWS || (at > 0 && bytes > MAX_ANSWER_BYTES);
  });
  return tooMany < 0 ? sizes.length : tooMany;
}

/** Throws RESULT_TOO_LARGE where the records do not fit into one answer; `instead` says what to ask, where so many of them do. */
export function assertFits(sizes: readonly number[], instead: (fits: number) => Alternative): void {
  const fits = fitting(sizes);
  if (fits === sizes.length) return;
  const records = sizes.length > MAX_ANSWER_ROWS ? `more than ${MAX_ANSWER_ROWS}` : sizes.length;
  throw tooLarge(records, sizes, instead(fits), { fits });
}

/** As `assertFits`, for records of which the bytes alone are bounded. */
export function assertFewBytes(sizes: readonly number[], instead: (ratio: number) => Alternative): void {
  const bytes = total(sizes);
  if (bytes > MAX_ANSWER_BYTES && sizes.length > 1)
    throw tooLarge(sizes.length, sizes, instead(MAX_ANSWER_BYTES / bytes));
}

export interface Alternative {
  readonly words: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

const total = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

function tooLarge(
  records: string | number,
  sizes: readonly number[],
  { words, details: more }: Alternative,
  fits: { readonly fits?: number } = {},
): TendrilError {
  const bytes = total(sizes);
  const most = { most_records: MAX_ANSWER_ROWS, most_bytes: MAX_ANSWER_BYTES };
  const what = `${records} records match, ${bytes} bytes in all; one answer has at most ${MAX_ANSWER_ROWS} records and ${MAX_ANSWER_BYTES} bytes: ${words}`;
  const details = { records: sizes.length, bytes, ...fits, ...most, ...more };
  return new TendrilError("RESULT_TOO_LARGE", what, { details });
}
