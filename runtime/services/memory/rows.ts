import type { z } from "zod";
import { errorTable, excerpt, final, notFound, refuseIf } from "../../errors.js";
import { jsonBytes, type Stored, uuidOf } from "../../store/records.js";
import type { Tainted } from "../../tools/taint.js";
import type { memory } from "../../wire/agenda.js";
import { folded } from "../../word-stems.js";
import { alreadyThere, HOUSEHOLD, type View } from "../household/household.js";
import type { EntryRef } from "../household/recalls.js";
import { EMPTY_ITEM, ITEM_LOG, type ItemRecord, type MemoryItem, type SharedWith } from "./item.js";
import { timeOf } from "./settle.js";
import type { MemoryTexts, Text } from "./texts.js";

export const MEMORY_ERRORS = errorTable({
  UNKNOWN_MEMORY: final("list the memories and use one of their ids", "nothing"),
  TOO_MANY_MEMORIES: final(
    "use the notes, or delete memories that nobody needs; a person can take back and erase them",
    "nothing",
  ),
});

/** Choices: of one owner, what a long life writes down; in all, what makes some 10 MB of rows in memory. */
export const MAX_OF_ONE = 5000;
export const MAX_IN_ALL = 20_000;
/** Choices: bytes of memories as JSON. Names of tags and people are in memory, and the largest memory has 150 kB. */
export const MAX_BYTES_OF_ONE = 10_485_760;
export const MAX_BYTES_IN_ALL = 41_943_040;

/** What is asked for beside words. */
export interface Filters {
  readonly section?: string | undefined;
  readonly status: string;
  readonly tags: readonly string[];
  readonly people: readonly string[];
  /** Epoch milliseconds, both included. */
  readonly from: number;
  readonly to: number;
}

/** Asks for nothing. */
export const ANY = { tags: [], people: [], from: -Infinity, to: Infinity } as const;

/** What is known of a memory without reading it. Tags and people are folded. */
export interface Row extends Tainted, Pick<MemoryItem, "section" | "status" | "tags" | "people"> {
  readonly key: string;
  readonly owner: string;
  readonly at: number;
  /** As JSON. */
  readonly bytes: number;
  /** The number of its record. */
  readonly id: number;
  readonly remembered: Remembered | undefined;
  readonly shared: SharedWith | undefined;
}

/** What `add_memory` remembers, as `list_memories` shows it. */
export type Remembered = z.output<typeof memory>;

interface Amount {
  readonly memories: number;
  readonly bytes: number;
}

/** All memories that are not erased, as rows. */
export class MemoryRows {
  private readonly rows = new Map<string, Row>();
  private readonly byRecord = new Map<number, Row>();
  private lastNumber = 0;

  all(): readonly Row[] {
    return [...this.rows.values()];
  }

  get(key: string): Row | undefined {
    return this.rows.get(key);
  }

  /** Throws NOT_FOUND. */
  find(key: string, view: View): Row {
    const row = this.rows.get(key);
    if (row && view.sees(row.owner)) return row;
    throw notFound(`there is no memory ${excerpt(key)}`);
  }

  at(id: number): Row | undefined {
    return this.byRecord.get(id);
  }

  /** What is remembered, by its number; deleted ones too. */
  remembered(number: number): Row | undefined {
    return this.all().find(({ remembered }) => remembered?.id === number);
  }

  /** Not deleted, in the order of their numbers. */
  allRemembered(): readonly (Row & { readonly remembered: Remembered })[] {
    const isKept = (row: Row): row is Row & { remembered: Remembered } =>
      row.remembered !== undefined && row.status !== "DELETED";
    return this.all()
      .filter(isKept)
      .sort((a, b) => a.remembered.id - b.remembered.id);
  }

  /** No number is given twice. */
  nextNumber(): number {
    return this.lastNumber + 1;
  }

  takeNumber(number: number | null): void {
    this.lastNumber = Math.max(this.lastNumber, number ?? 0);
  }

  keep(row: Row): void {
    const before = this.rows.get(row.key);
    if (before) this.drop(before);
    this.rows.set(row.key, row);
    this.byRecord.set(row.id, row);
    this.takeNumber(row.remembered?.id ?? null);
  }

  drop(row: Row): void {
    this.rows.delete(row.key);
    this.byRecord.delete(row.id);
  }

  /** Throws ALREADY_EXISTS. */
  assertNew(key: string): void {
    if (this.rows.has(key)) throw alreadyThere(`there is a memory ${key} already`, { id: key });
  }

  /** For so many more memories and bytes. Throws TOO_MANY_MEMORIES. */
  assertRoom(owner: string, more: Amount): void {
    const rows = this.all();
    const own = rows.filter((row) => row.owner === owner);
    const kept = own.filter(({ status }) => status !== "DELETED").length;
    refuseIf(MEMORY_ERRORS.TOO_MANY_MEMORIES, [
      kept + more.memories > MAX_OF_ONE && `${owner} has ${MAX_OF_ONE} memories already`,
      rows.length + more.memories > MAX_IN_ALL &&
        `${MAX_IN_ALL} memories are kept already, those that were deleted among them`,
      sizeOf(own) + more.bytes > MAX_BYTES_OF_ONE &&
        `the memories of ${owner}, deleted ones too, would have more than ${MAX_BYTES_OF_ONE} bytes`,
      sizeOf(rows) + more.bytes > MAX_BYTES_IN_ALL &&
        `all memories, deleted ones too, would have more than ${MAX_BYTES_IN_ALL} bytes`,
    ]);
  }
}

const sizeOf = (rows: readonly Row[]): number => rows.reduce((sum, { bytes }) => sum + bytes, 0);

export const rowOfItem = (
  id: number,
  { memory, by = "", shared, tainted }: Pick<ItemRecord, "memory" | "by" | "shared" | "tainted">,
  item: MemoryItem,
): Row => ({
  key: item.id,
  owner: item.user_id,
  section: item.section,
  status: item.status,
  tags: item.tags.map(folded),
  people: item.people.map(folded),
  at: timeOf(item),
  bytes: jsonBytes(item),
  id,
  remembered:
    memory === null ? undefined : { id: memory, timestamp: item.created_at, text: item.content, by },
  shared,
  ...(tainted && { tainted }),
});

/** A choice: as much of what the agent remembers as makes a title. */
const TITLE_OF_MEMORY = 60;

/** An empty memory, with arrays and objects of its own. */
export const EMPTY = { ...EMPTY_ITEM, tags: [], people: [], attendees: [], attachments: [], metadata: {} };

/** What `add_memory` remembers, as a memory like the others. */
export function rememberedItem(id: string, text: string, timestamp: string): MemoryItem {
  const line = text.split("\n", 1)[0] ?? "";
  const title = line.length > TITLE_OF_MEMORY ? `${[...line].slice(0, TITLE_OF_MEMORY).join("")}…` : line;
  const made = { created_at: timestamp, updated_at: timestamp, date_bucket: timestamp.slice(0, 10) };
  return {
    ...EMPTY,
    ...made,
    id,
    source: "CAPTURE",
    title,
    content: text,
    user_id: HOUSEHOLD,
  };
}

export const textOfItem = ({ id, record: { version, item, shared } }: Stored<ItemRecord>): Text => ({
  id,
  // another tool changes the words of a shared one without a line here
  version: shared ? Number.parseInt(uuidOf(JSON.stringify([version, item])).slice(0, 7), 16) : version,
  fields: () => ({
    title: item?.title ?? "",
    content: item?.content ?? "",
    people: [...(item?.people ?? []), ...(item?.attendees ?? [])].join(" "),
    tags: item?.tags.join(" ") ?? "",
    location: [item?.location ?? "", item?.list_name ?? ""].join(" "),
  }),
});

const fits = (row: Row, { section, status, tags, people, from, to }: Filters): boolean =>
  row.status === status &&
  (section === undefined || row.section === section) &&
  tags.every((tag) => row.tags.includes(folded(tag))) &&
  people.every((person) => row.people.includes(folded(person))) &&
  row.at >= from &&
  row.at <= to;

const filtersInWords = ({ tags, people }: Filters): readonly string[] => [
  ...tags.map((tag) => `tag: ${tag}`),
  ...people.map((person) => `person: ${person}`),
];

/** The fields of the second that are not as in the first. */
export function differences<T extends object>(before: T, after: T): Partial<T> {
  const entries = Object.entries(after) as [keyof T, unknown][];
  return Object.fromEntries(
    entries.filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key])),
  ) as Partial<T>;
}

export interface FoundMemory extends Tainted {
  /** Where it is written. */
  readonly ref: EntryRef;
  readonly item: MemoryItem;
  /** Above 0, up to 1. */
  readonly score: number;
  /** Why it was found: "title: fern". */
  readonly matched: readonly string[];
}

export interface Found {
  readonly count: number;
  read(limit: number, offset: number): Promise<readonly FoundMemory[]>;
}

export interface RankedRow extends Omit<FoundMemory, "item" | "ref"> {
  readonly row: Row;
}

interface Wanted {
  readonly query: string | undefined;
  readonly filters: Filters;
  readonly view: View;
}

/** The best first, and the newest first where nothing is asked. */
export async function rankedRows(
  { query, filters, view }: Wanted,
  memories: MemoryRows,
  texts: MemoryTexts,
): Promise<readonly RankedRow[]> {
  const rows = new Set(memories.all().filter((row) => view.sees(row.owner) && fits(row, filters)));
  const why = filtersInWords(filters);
  const found =
    query === undefined
      ? [...rows].map((row) => ({ row, score: 1, matched: [] }))
      : await answering(query, rows, memories, texts);
  return found
    .map((each) => ({ ...each, matched: [...each.matched, ...why] }))
    .sort((a, b) => b.score - a.score || b.row.at - a.row.at || b.row.id - a.row.id);
}

async function answering(
  query: string,
  rows: ReadonlySet<Row>,
  memories: MemoryRows,
  texts: MemoryTexts,
): Promise<readonly RankedRow[]> {
  const rowOf = (id: number) => {
    const row = memories.at(id);
    return row && rows.has(row) ? row : undefined;
  };
  const found = await texts.search(query, {
    source: ITEM_LOG.name,
    isWanted: (id) => rowOf(id) !== undefined,
    among: rows.size,
  });
  return found.flatMap(({ id, score, matched }) => {
    const row = rowOf(id);
    return row ? [{ row, score, matched }] : [];
  });
}
