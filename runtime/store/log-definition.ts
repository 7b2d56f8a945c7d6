/** A line of a journal, before it is numbered. */
export interface LogEntry {
  /** Wall time, ISO 8601. */
  readonly timestamp: string;
  readonly plant?: string;
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
  /** The id of the earlier record that the entry extends; by default an entry is a record of its own. */
  recordId?(entry: Entry): number | undefined;
  /** What the record is about, for pages of one subject alone; by default the entry's plant. */
  subject?(entry: Entry): string | undefined;
  /** What a search looks through; without it nothing is found. */
  searchText?(record: Rec): string;
}

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
  return { id, at, subject, ...known, record, bytes: Buffer.byteLength(JSON.stringify(record)) };
}

/** One form for what is searched and what is searched for: any case, any composition of accents. */
export const searchable = (text: string): string => text.normalize("NFC").toLowerCase();
