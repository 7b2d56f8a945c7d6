import type { RecordLog } from "../../store/record-log.js";
import { bothTainted, type Tainted } from "../../tools/taint.js";
import { HOUSEHOLD } from "../household/household.js";
import type { PersonalRecord } from "../module.js";

/** Whose a row is, and from which chat it came. */
export interface Origin extends Tainted {
  readonly owner: string;
  readonly chat?: string;
}

/**
 * A line of journal/lists.jsonl: a list, an item of one, or what became of them. `made_for`: the item that the list was made for. A
 * start deletes the list where a crash has left it without that item.
 */
export type ListEntry = {
  readonly timestamp: string;
  readonly by: string;
} & (
  | (Origin & { readonly list: string; readonly name: string; readonly made_for?: string })
  | (Origin & { readonly item: string; readonly in: string; readonly text: string })
  | {
      readonly of: number;
      readonly change: "deleted" | "completed" | "reopened" | "removed";
      /** When it was completed, if that is not the time of the line. */
      readonly at?: string;
    }
  | (Tainted & { readonly of: number; readonly change: "renamed"; readonly text: string })
  // what an erasure has left of any of these
  | { readonly erased: true }
);

interface RowRecord extends Origin {
  readonly timestamp: string;
  /** The token that added it. */
  readonly by: string;
  /** The list was deleted, or the item removed. */
  readonly gone: boolean;
}

export interface ListRecord extends RowRecord {
  readonly list: string;
  readonly name: string;
  readonly made_for?: string;
}

export interface ItemRecord extends RowRecord {
  readonly item: string;
  readonly in: string;
  readonly text: string;
  readonly completed_at: string | null;
  readonly updated_at?: string;
}

export type Row = ListRecord | ItemRecord;

/** A row whose lines were erased. */
const ERASED = { list: "", name: "", by: "", owner: HOUSEHOLD, gone: true } as const;

export const isErased = (record: Row): boolean => "list" in record && record.list === ERASED.list;

export const LIST_LOG = {
  name: "lists",
  erasable: true,
  fold: (previous: Row | undefined, entry: ListEntry): Row => {
    if ("erased" in entry) return { ...ERASED, timestamp: entry.timestamp };
    if ("item" in entry) return { ...entry, completed_at: null, gone: false };
    if ("list" in entry) return { ...entry, gone: false };
    if (!previous) throw new Error(`lists.jsonl: row ${entry.of} was ${entry.change} before it was added`);
    if (entry.change === "deleted" || entry.change === "removed") return { ...previous, gone: true };
    return "item" in previous ? changedItem(previous, entry) : previous;
  },
};

function changedItem(item: ItemRecord, entry: Extract<ListEntry, { of: number }>): ItemRecord {
  const updated_at = entry.timestamp;
  if (entry.change === "renamed")
    return { ...item, text: entry.text, updated_at, ...bothTainted(item, entry) };
  if (entry.change === "reopened") return { ...item, completed_at: null, updated_at };
  return { ...item, completed_at: item.completed_at ?? entry.at ?? entry.timestamp, updated_at };
}

/** Whose an item is: on a person's list it is that person's, whoever has added it. */
export const ownerOnList = (ofList: string, ofItem: string): string =>
  ofList === HOUSEHOLD ? ofItem : ofList;

/** Each row of a person: a list, or an item that is the person's or on the person's list. */
export async function* personalRows(log: RecordLog<ListEntry, Row>): AsyncGenerator<PersonalRecord> {
  const owners = new Map<string, string>();
  for await (const { id, record } of log.stored()) {
    if ("list" in record) owners.set(record.list, record.owner);
    const listOwner = "item" in record ? (owners.get(record.in) ?? HOUSEHOLD) : HOUSEHOLD;
    const owner = ownerOnList(listOwner, record.owner);
    yield { log: LIST_LOG.name, id, owner, names: ["item" in record ? record.item : record.list] };
  }
}
