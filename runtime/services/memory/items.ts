import { randomUUID } from "node:crypto";
import { Mutex } from "../../../drivers/mutex.js";
import type { Clock } from "../../../drivers/ports.js";
import { excerpt, TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import { type Stored, uuidOf } from "../../store/records.js";
import type { Store } from "../../store/store.js";
import { isoUtc } from "../../tools/iso-time.js";
import { bothTainted, type Tainted } from "../../tools/taint.js";
import { folded } from "../../word-stems.js";
import { HOUSEHOLD, HOUSEHOLD_ERRORS, type View } from "../household/household.js";
import { EMPTY_ITEM, type GivenFields, type MemoryItem } from "./item.js";
import { lineOf, MEMORY_ERRORS, MEMORY_LOG, type Memories, type Memory, type Writer } from "./memories.js";
import { type Settling, settled, timeOf } from "./settle.js";
import type { MemoryTexts, Text } from "./texts.js";

/**
 * A line of journal/memory-items.jsonl: a memory, or what became of it. `memory` is the number of what `add_memory` wrote into
 * journal/memories.jsonl, where this is its changed form. That journal stays as it is: older versions show all of it to their agent,
 * and take any line about a memory for its end.
 */
export type ItemEntry = { readonly timestamp: string; readonly by?: string } & Tainted &
  (
    | { readonly item: MemoryItem; readonly memory?: number }
    | { readonly of: number; readonly set: Partial<MemoryItem> }
    | Erasure
  );

/**
 * `key` begins an erasure, `finished` says that it has gone through all journals. A line with neither is what was left of another
 * line. `memory` is as above; without `of` it is of a memory that only journal/memories.jsonl has.
 */
interface Erasure {
  readonly erased: true;
  readonly of?: number;
  readonly key?: string;
  readonly memory?: number;
  readonly finished?: true;
}

export interface ItemRecord extends Tainted {
  /** Null: erased. */
  readonly item: MemoryItem | null;
  readonly memory: number | null;
  /** How many lines it is made of. */
  readonly version: number;
  /** Of a memory whose erasure has not gone through all journals yet: its id. */
  readonly erasing: string | null;
}

export const ITEM_LOG = {
  name: "memory-items",
  erasable: true,
  recordId: (entry: ItemEntry) => ("of" in entry ? entry.of : undefined),
  fold: (previous: ItemRecord | undefined, entry: ItemEntry): ItemRecord => {
    const version = (previous?.version ?? 0) + 1;
    const memory = ("memory" in entry ? entry.memory : undefined) ?? previous?.memory ?? null;
    const read = bothTainted(previous ?? {}, entry);
    if ("item" in entry) return { item: entry.item, memory, version, erasing: null, ...read };
    if ("erased" in entry) {
      const erasing = entry.finished ? null : (entry.key ?? previous?.erasing ?? null);
      return { item: null, memory, version, erasing };
    }
    if (!previous) throw new Error(`memory-items.jsonl: memory ${entry.of} changed before it was added`);
    return { ...previous, ...read, version, item: previous.item && { ...previous.item, ...entry.set } };
  },
};

/** Choices: of one owner, what a long life writes down; in all, what makes some 10 MB of rows in memory. */
export const MOST_OF_ONE = 5000;
export const MOST_IN_ALL = 20_000;

/** Who does it, whose rows that one sees, and whose new ones are. */
export interface MemoryActor extends Writer {
  readonly owner: string;
  readonly view: View;
}

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

/** What is known of a memory without reading it. Tags and people are folded. */
interface Row extends Tainted, Pick<MemoryItem, "section" | "status" | "tags" | "people"> {
  readonly key: string;
  readonly owner: string;
  readonly at: number;
  /** Where it is written: its journal, and its number there. */
  readonly source: string;
  readonly id: number;
  /** The number by which list_memories and forget_memory know it. */
  readonly memory: number | null;
}

export interface FoundMemory extends Tainted {
  readonly item: MemoryItem;
  /** Above 0, up to 1. */
  readonly score: number;
  /** Why it was found: "title: fern". */
  readonly matched: readonly string[];
}

/** Memories of people, of the household and of the agent: one store over what `save_memory` and `add_memory` write. */
export class MemoryItems {
  private readonly rows = new Map<string, Row>();
  /** By journal and number. */
  private readonly written = new Map<string, Row>();
  private readonly turns = new Mutex();

  private constructor(
    private readonly log: RecordLog<ItemEntry, ItemRecord>,
    private readonly memories: Memories,
    private readonly texts: MemoryTexts,
    private readonly clock: Clock,
    private readonly store: Pick<Store, "erase">,
    private readonly complain: (error: unknown) => void,
  ) {}

  static async open(
    log: RecordLog<ItemEntry, ItemRecord>,
    memories: Memories,
    texts: MemoryTexts,
    { clock, store, complain }: Surroundings,
  ): Promise<MemoryItems> {
    const items = new MemoryItems(log, memories, texts, clock, store, complain);
    const known = memories.all();
    for (const memory of known) items.keep(rowOfMemory(memory));
    await texts.follow(MEMORY_LOG.name, known.map(textOfMemory));
    await texts.follow(ITEM_LOG.name, items.load());
    return items;
  }

  /** Ends the erasures that a crash has interrupted. Once every journal is open. */
  async endErasures(): Promise<void> {
    const begun: Stored<ItemRecord>[] = [];
    for await (const stored of this.log.stored()) if (stored.record.erasing !== null) begun.push(stored);
    for (const stored of begun) await this.eraseEverywhere(stored, []);
  }

  /**
   * It is gone for good: out of every journal with its former versions, out of the results of calls, out of the index. Throws
   * NOT_FOUND; STORE_FAILED, and then it goes on at the next start.
   */
  erase(key: string, { by, view }: MemoryActor): Promise<void> {
    return this.turns.run(async () => {
      const row = this.row(key, view);
      const item = await this.read(row);
      const of = row.source === ITEM_LOG.name ? { of: row.id } : {};
      const memory = row.memory === null ? {} : { memory: row.memory };
      const begun = { timestamp: this.timestamp(), by, ...of, ...memory, erased: true as const, key };
      const stored = await this.log.append(begun);
      this.drop(row);
      if (row.memory !== null) await this.memories.forgetIfKnown(row.memory, by);
      await this.eraseEverywhere(stored, [item.title, item.content]);
    });
  }

  /** `words` are looked for in the results of calls too. */
  private async eraseEverywhere({ id, record }: Stored<ItemRecord>, words: readonly string[]): Promise<void> {
    const { memory, erasing: key } = record;
    const inCalls = [key ?? "", ...words.filter(isTelling)].map((each) => JSON.stringify(each).slice(1, -1));
    await this.store.erase((log, { id: line, entry }) => {
      if (entry.erased === true) return false;
      if (log === ITEM_LOG.name) return line === id || entry.of === id;
      if (log === MEMORY_LOG.name) return line === memory;
      const text = JSON.stringify(entry.result ?? null);
      return inCalls.some((each) => text.includes(each));
    });
    await this.texts.remove(ITEM_LOG.name, id);
    if (memory !== null) await this.texts.remove(MEMORY_LOG.name, memory);
    await this.log.append({ timestamp: this.timestamp(), of: id, erased: true, finished: true });
  }

  /** What is not given is derived or empty. Throws ALREADY_EXISTS, TOO_MANY_MEMORIES, and what `settled` throws. */
  save(given: NewItem, settling: Settling, actor: MemoryActor): Promise<MemoryItem> {
    return this.turns.run(async () => {
      const key = given.id ?? randomUUID();
      this.assertNew(key);
      this.assertRoom(actor.owner);
      const now = this.timestamp();
      const { id: _, ...fields } = given;
      const { source, title, content } = given;
      const empty = { ...EMPTY, source, title, content, created_at: now, updated_at: now };
      const whole = await settled(fields, empty, settling);
      const item = { ...whole, id: key, user_id: actor.owner };
      await this.write({ timestamp: now, ...lineOf(actor), item });
      return item;
    });
  }

  /** The memory as it is then, and which fields are others now. Throws NOT_FOUND, and what `settled` throws. */
  update(
    key: string,
    given: GivenFields,
    settling: Settling,
    actor: MemoryActor,
  ): Promise<{ item: MemoryItem; changed: readonly string[] }> {
    return this.turns.run(async () => {
      const row = this.row(key, actor.view);
      if (this.isForgotten(row.memory) && (given.status ?? "DELETED") !== "DELETED")
        throw new TendrilError("INVALID_ARGUMENT", `memory ${key} was taken back: save it as a new one`);
      const { id, user_id, ...before } = await this.read(row);
      const after = await settled(given, before, settling);
      const set = differences(before, after);
      if (Object.keys(set).length === 0) return { item: { ...after, id, user_id }, changed: [] };
      const item = await this.change(row, { ...set, updated_at: this.timestamp() }, actor);
      return { item, changed: Object.keys(set) };
    });
  }

  /** It is hidden from then on; its record stays. Throws NOT_FOUND. */
  delete(key: string, { by, view }: MemoryActor): Promise<MemoryItem & Tainted> {
    return this.turns.run(async () => {
      const row = this.row(key, view);
      return { ...(await this.deleteRow(row, by)), ...bothTainted(row) };
    });
  }

  /** What `add_memory` remembers: the household's, and in the prompts of care cycles. Throws TOO_MANY_MEMORIES. */
  add(text: string, writer: Writer): Promise<{ memory: Memory; known: boolean }> {
    return this.turns.run(async () => {
      const added = await this.memories.add(text, writer);
      if (added.known) return added;
      this.keep(rowOfMemory(added.memory));
      await this.index(MEMORY_LOG.name, textOfMemory(added.memory));
      return added;
    });
  }

  /** By the number of `list_memories`. Throws UNKNOWN_MEMORY. */
  forget(memory: number, by: string): Promise<void> {
    return this.turns.run(async () => {
      const known = this.memories.get(memory);
      const row = known && this.rows.get(keyOfMemory(known));
      if (row?.source === ITEM_LOG.name && row.status !== "DELETED")
        return void (await this.deleteRow(row, by));
      await this.memories.forget(memory, by);
      if (row?.source === MEMORY_LOG.name) this.drop(row);
    });
  }

  /** What `list_memories` shows: a page from the end, the newest last, and how many there are in all. */
  async remembered(n: number, offset: number): Promise<{ count: number; memories: readonly Memory[] }> {
    const all = this.memories.all().filter((each) => this.rows.get(keyOfMemory(each))?.status === "ACTIVE");
    const end = Math.max(0, all.length - offset);
    const page = all.slice(Math.max(0, end - n), end).map((each) => this.asItIsNow(each));
    return { count: all.length, memories: await Promise.all(page) };
  }

  /** Throws NOT_FOUND. */
  async find(key: string, view: View): Promise<MemoryItem> {
    return this.read(this.row(key, view));
  }

  /** The best first, and the newest first where nothing is asked. `read` reads one page of what was found. */
  async search(query: string | undefined, filters: Filters, view: View): Promise<Found> {
    const rows = [...this.rows.values()].filter((row) => view.sees(row.owner) && fits(row, filters));
    const why = filtersInWords(filters);
    const ranked =
      query === undefined
        ? rows.map((row) => ({ row, score: 1, matched: why }))
        : await this.ranked(query, new Set(rows), why);
    ranked.sort((a, b) => b.score - a.score || b.row.at - a.row.at || b.row.id - a.row.id);
    return {
      count: ranked.length,
      read: async (limit, offset) => {
        const page = ranked.slice(offset, offset + limit);
        return Promise.all(
          page.map(async ({ row, score, matched }) => ({
            item: await this.read(row),
            score,
            matched,
            ...bothTainted(row),
          })),
        );
      },
    };
  }

  private async ranked(query: string, rows: ReadonlySet<Row>, why: readonly string[]): Promise<RankedRow[]> {
    const rowOf = (source: string, id: number) => {
      const row = this.written.get(`${source} ${id}`);
      return row && rows.has(row) ? row : undefined;
    };
    const found = await this.texts.search(query, {
      sources: [MEMORY_LOG.name, ITEM_LOG.name],
      isWanted: (source, id) => rowOf(source, id) !== undefined,
      among: rows.size,
    });
    return found.flatMap(({ source, id, score, matched }) => {
      const row = rowOf(source, id);
      return row ? [{ row, score, matched: [...matched, ...why] }] : [];
    });
  }

  private async asItIsNow(memory: Memory): Promise<Memory> {
    const row = this.rows.get(keyOfMemory(memory));
    if (row?.source !== ITEM_LOG.name) return memory;
    const record = { ...memory.record, ...bothTainted(memory.record, row) };
    return { id: memory.id, record: { ...record, text: (await this.read(row)).content } };
  }

  private async deleteRow(row: Row, by: string): Promise<MemoryItem> {
    const item =
      row.status === "DELETED"
        ? await this.read(row)
        : await this.change(row, { status: "DELETED", updated_at: this.timestamp() }, { by });
    if (row.memory !== null) await this.memories.forgetIfKnown(row.memory, by);
    return item;
  }

  private async change(row: Row, set: Partial<MemoryItem>, writer: Writer): Promise<MemoryItem> {
    const made = {
      timestamp: this.timestamp(),
      ...lineOf(writer),
      ...bothTainted(row, lineOf(writer)),
    };
    const item = { ...(await this.read(row)), ...set };
    if (row.source === ITEM_LOG.name) await this.write({ ...made, of: row.id, set });
    else await this.write({ ...made, item, memory: row.id });
    return item;
  }

  private async write(entry: ItemEntry): Promise<void> {
    const stored = await this.log.append(entry);
    if (!stored.record.item) return;
    this.keep(rowOfItem(stored.id, stored.record, stored.record.item));
    await this.index(ITEM_LOG.name, textOfItem(stored));
  }

  /** What is not in the index yet is put in at the next start: the journal has it, so the call goes on. */
  private async index(source: string, text: Text): Promise<void> {
    await this.texts.put(source, [text]).catch(this.complain);
  }

  private async *load(): AsyncGenerator<Text> {
    for await (const stored of this.log.stored()) {
      const { item } = stored.record;
      if (!item) continue;
      const row = rowOfItem(stored.id, stored.record, item);
      this.keep(this.isForgotten(row.memory) ? { ...row, status: "DELETED" } : row);
      yield textOfItem(stored);
    }
  }

  private async read(row: Row): Promise<MemoryItem> {
    if (row.source === MEMORY_LOG.name) {
      const memory = this.memories.get(row.id);
      if (memory) return itemOfMemory(memory);
    }
    const record = await this.log.get(row.id);
    if (record?.item) return { ...record.item, status: row.status };
    throw new TendrilError("STORE_FAILED", `memory ${row.key} cannot be read from its journal`);
  }

  /** What `add_memory` wrote and a person has taken back, perhaps in an older version, is deleted for good. */
  private isForgotten(memory: number | null): boolean {
    return memory !== null && this.memories.get(memory) === undefined;
  }

  /** Throws NOT_FOUND. */
  private row(key: string, view: View): Row {
    const row = this.rows.get(key);
    if (row && view.sees(row.owner)) return row;
    throw new TendrilError("NOT_FOUND", `there is no memory ${excerpt(key)}`);
  }

  private keep(row: Row): void {
    const before = this.rows.get(row.key);
    if (before) this.drop(before);
    this.rows.set(row.key, row);
    this.written.set(`${row.source} ${row.id}`, row);
  }

  private drop(row: Row): void {
    this.rows.delete(row.key);
    this.written.delete(`${row.source} ${row.id}`);
  }

  private assertNew(key: string): void {
    if (!this.rows.has(key)) return;
    throw new TendrilError(HOUSEHOLD_ERRORS.ALREADY_EXISTS, `there is a memory ${key} already`, {
      details: { id: key },
    });
  }

  private assertRoom(owner: string): void {
    const kept = [...this.rows.values()].filter((row) => row.owner === owner && row.status !== "DELETED");
    const full =
      kept.length >= MOST_OF_ONE
        ? `${owner} has ${MOST_OF_ONE} memories already`
        : this.rows.size >= MOST_IN_ALL
          ? `${MOST_IN_ALL} memories are kept already, those that were deleted among them`
          : undefined;
    if (full !== undefined) throw new TendrilError(MEMORY_ERRORS.TOO_MANY_MEMORIES, full);
  }

  private timestamp(): string {
    return isoUtc(this.clock.now());
  }
}

/** What a store of memories needs beside its journals. */
export interface Surroundings {
  readonly clock: Clock;
  readonly store: Pick<Store, "erase">;
  /** Told of what goes wrong where nobody waits for it. */
  complain(error: unknown): void;
}

/** A choice: shorter words stand in too many results that have nothing to do with the memory. */
const isTelling = (text: string): boolean => text.length >= 8;

/** A new memory: what it must have, and what was given beside. */
export type NewItem = GivenFields &
  Pick<MemoryItem, "source" | "title" | "content"> & { readonly id?: string | undefined };

export interface Found {
  readonly count: number;
  read(limit: number, offset: number): Promise<readonly FoundMemory[]>;
}

interface RankedRow extends Omit<FoundMemory, "item"> {
  readonly row: Row;
}

/** An empty memory, with arrays and objects of its own. */
const EMPTY = { ...EMPTY_ITEM, tags: [], people: [], attendees: [], attachments: [], metadata: {} };

const rowOfItem = (id: number, { memory, tainted }: ItemRecord, item: MemoryItem): Row => ({
  key: item.id,
  owner: item.user_id,
  section: item.section,
  status: item.status,
  tags: item.tags.map(folded),
  people: item.people.map(folded),
  at: timeOf(item),
  source: ITEM_LOG.name,
  id,
  memory,
  ...(tainted && { tainted }),
});

const rowOfMemory = (memory: Memory): Row => ({
  ...rowOfItem(memory.id, { item: null, memory: memory.id, version: 1, erasing: null }, itemOfMemory(memory)),
  ...bothTainted(memory.record),
  source: MEMORY_LOG.name,
});

const keyOfMemory = ({ id, record }: Memory): string => uuidOf(`memory ${id} ${record.timestamp}`);

/** A choice: as much of what the agent remembers as makes a title. */
const TITLE_OF_MEMORY = 60;

/** What `add_memory` wrote, as a memory like the others. */
function itemOfMemory(memory: Memory): MemoryItem {
  const { text, timestamp } = memory.record;
  const line = text.split("\n", 1)[0] ?? "";
  const title = line.length > TITLE_OF_MEMORY ? `${[...line].slice(0, TITLE_OF_MEMORY).join("")}…` : line;
  const made = { created_at: timestamp, updated_at: timestamp, date_bucket: timestamp.slice(0, 10) };
  return {
    ...EMPTY,
    ...made,
    id: keyOfMemory(memory),
    source: "CAPTURE",
    title,
    content: text,
    user_id: HOUSEHOLD,
  };
}

const textOfMemory = (memory: Memory): Text => ({
  id: memory.id,
  version: 1,
  fields: () => ({ content: memory.record.text }),
});

const textOfItem = ({ id, record: { version, item } }: Stored<ItemRecord>): Text => ({
  id,
  version,
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
function differences<T extends object>(before: T, after: T): Partial<T> {
  const entries = Object.entries(after) as [keyof T, unknown][];
  return Object.fromEntries(
    entries.filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key])),
  ) as Partial<T>;
}
