import { randomUUID } from "node:crypto";
import { Mutex } from "../../../drivers/mutex.js";
import type { Clock } from "../../../drivers/ports.js";
import { TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import type { Store } from "../../store/store.js";
import { isoUtc } from "../../tools/iso-time.js";
import { bothTainted, type Tainted } from "../../tools/taint.js";
import type { View } from "../household/household.js";
import type { EntryRef } from "../household/recalls.js";
import { Erasing } from "./erasing.js";
import type { GivenFields, MemoryItem } from "./item.js";
import { ITEM_LOG, type ItemEntry, type ItemRecord, type SharedWith } from "./item-log.js";
import { lineOf, MEMORY_LOG, type Memories, type Memory, type Writer } from "./memories.js";
import {
  bytesOf,
  differences,
  EMPTY,
  type Filters,
  itemOfMemory,
  keyOfMemory,
  MemoryRows,
  type Row,
  rowOfItem,
  rowOfMemory,
  textOfItem,
  textOfMemory,
} from "./rows.js";
import { type Found, type RankedRow, rankedRows } from "./search.js";
import { type Settling, settled } from "./settle.js";
import type { SharedMemories, Sharer } from "./shared.js";
import type { MemoryTexts, Text } from "./texts.js";

/** Who does it, whose rows that one sees, and whose new ones are. */
export type MemoryActor = Sharer;

/** Memories of people, of the household and of the agent: one store over what `save_memory` and `add_memory` write. */
export class MemoryItems {
  private readonly rows = new MemoryRows();
  private readonly turns = new Mutex();
  private readonly erasing: Erasing;
  private loading: Promise<void> | undefined;
  /** What other tools have changed of shared records, and is not noted here yet. */
  private following: Promise<void> = Promise.resolve();

  constructor(
    private readonly log: RecordLog<ItemEntry, ItemRecord>,
    private readonly memories: Memories,
    private readonly texts: MemoryTexts,
    private readonly around: Surroundings,
  ) {
    const timestamp = () => this.timestamp();
    this.erasing = new Erasing({ log, texts, store: around.store, timestamp });
  }

  /** Ends the erasures that a crash has interrupted. Once every journal is open. */
  endErasures(): Promise<void> {
    return this.erasing.endAll();
  }

  /**
   * It is gone for good, and this is what it was: out of every journal with its former versions, out of the results of calls, out of the index. Throws
   * NOT_FOUND; STORE_FAILED, and then it goes on at the next start.
   */
  erase(key: string, { by, view }: MemoryActor): Promise<{ item: MemoryItem }> {
    return this.inTurn(async () => {
      const row = this.rows.find(key, view);
      const item = await this.read(row);
      const of = row.source === ITEM_LOG.name ? { of: row.id } : {};
      const memory = row.memory === null ? {} : { memory: row.memory };
      const shared = row.shared === undefined ? {} : { shared: row.shared };
      const begun = {
        timestamp: this.timestamp(),
        by,
        ...of,
        ...memory,
        ...shared,
        erased: true as const,
        key,
      };
      const stored = await this.log.append(begun);
      this.rows.drop(row);
      if (row.shared) await this.around.shared.drop(item, row.shared);
      if (row.memory !== null) await this.memories.forgetIfKnown(row.memory, by);
      await this.erasing.everywhere(stored, [item.title, item.content]);
      return { item };
    });
  }

  /** Takes records out of memory and index: what is erased of the journal. */
  dropRecords(ids: readonly number[]): Promise<void> {
    return this.inTurn(async () => {
      for (const id of ids) {
        const row = this.rows.at(ITEM_LOG.name, id);
        if (row) this.rows.drop(row);
      }
      await this.texts.remove(ITEM_LOG.name, ids);
    });
  }

  /** What is not given is derived or empty. Throws ALREADY_EXISTS, TOO_MANY_MEMORIES, and what `settled` throws. */
  save(given: NewItem, settling: Settling, actor: MemoryActor): Promise<MemoryItem> {
    return this.inTurn(async () => {
      const key = given.id ?? randomUUID();
      this.rows.assertNew(key);
      const now = this.timestamp();
      const { id: _, ...fields } = given;
      const { source, title, content } = given;
      const empty = { ...EMPTY, source, title, content, created_at: now, updated_at: now };
      const whole = await settled(fields, empty, settling);
      const item = { ...whole, id: key, user_id: actor.owner };
      this.rows.assertRoom(actor.owner, { memories: 1, bytes: bytesOf(item) });
      const made = (await this.around.shared.create(item, actor)) ?? { item };
      await this.write({ timestamp: now, ...lineOf(actor), ...made });
      return made.item;
    });
  }

  /** The memory as it is then, and which fields are others now. Throws NOT_FOUND, TOO_MANY_MEMORIES, and what `settled` throws. */
  update(
    key: string,
    given: GivenFields,
    settling: Settling,
    actor: MemoryActor,
  ): Promise<{ item: MemoryItem; changed: readonly string[] }> {
    return this.inTurn(async () => {
      const row = this.rows.find(key, actor.view);
      if (this.isForgotten(row.memory) && (given.status ?? "DELETED") !== "DELETED")
        throw new TendrilError("INVALID_ARGUMENT", `memory ${key} was taken back: save it as a new one`);
      const before = await this.read(row);
      const { id, user_id, ...fields } = before;
      const after = { ...(await settled(given, fields, settling)), id, user_id };
      if (Object.keys(differences(before, after)).length === 0) return { item: after, changed: [] };
      const more = bytesOf(after) - row.bytes;
      if (more > 0) this.rows.assertRoom(user_id, { memories: 0, bytes: more });
      const { item: wanted, shared } = await this.share(row, before, after, actor);
      const set = differences(before, wanted);
      const item = await this.change(row, { ...set, updated_at: this.timestamp() }, actor, shared);
      return { item, changed: Object.keys(set) };
    });
  }

  /** It is hidden from then on; its record stays. Throws NOT_FOUND. */
  delete(key: string, actor: MemoryActor): Promise<MemoryItem & Tainted> {
    return this.inTurn(async () => {
      const row = this.rows.find(key, actor.view);
      const item = await this.read(row);
      if (row.shared) await this.share(row, item, { ...item, status: "DELETED" }, actor);
      return { ...(await this.deleteRow(row, actor.by)), ...bothTainted(row) };
    });
  }

  /** Notes what another tool has changed of a record that is a memory too. */
  follow(key: string): void {
    const row = this.rows.get(key);
    if (!row?.shared) return;
    this.following = this.turns.run(() => this.refresh(key)).catch(this.around.complain);
  }

  /** What `add_memory` remembers: the household's, and in the prompts of care cycles. Throws TOO_MANY_MEMORIES. */
  add(text: string, writer: Writer): Promise<{ memory: Memory; known: boolean }> {
    return this.inTurn(async () => {
      const added = await this.memories.add(text, writer);
      if (added.known) return added;
      this.rows.keep(rowOfMemory(added.memory));
      await this.index(MEMORY_LOG.name, textOfMemory(added.memory));
      return added;
    });
  }

  /** By the number of `list_memories`. Throws UNKNOWN_MEMORY. */
  forget(memory: number, by: string): Promise<void> {
    return this.inTurn(async () => {
      const known = this.memories.get(memory);
      const row = known && this.rows.get(keyOfMemory(known));
      if (row?.source === ITEM_LOG.name && row.status !== "DELETED")
        return void (await this.deleteRow(row, by));
      await this.memories.forget(memory, by);
      if (row?.source === MEMORY_LOG.name) this.rows.drop(row);
    });
  }

  /** What `list_memories` shows: a page from the end, the newest last, and how many there are in all. */
  async remembered(n: number, offset: number): Promise<{ count: number; memories: readonly Memory[] }> {
    await this.ready();
    const all = this.memories.all().filter((each) => this.rows.get(keyOfMemory(each))?.status === "ACTIVE");
    const end = Math.max(0, all.length - offset);
    const page = all.slice(Math.max(0, end - n), end).map((each) => this.asItIsNow(each));
    return { count: all.length, memories: await Promise.all(page) };
  }

  /** Everybody whom a memory names, in lower case. */
  async people(): Promise<ReadonlySet<string>> {
    await this.ready();
    return new Set(this.rows.all().flatMap(({ people }) => people));
  }

  /** Throws NOT_FOUND. */
  async find(key: string, view: View): Promise<MemoryItem> {
    await this.ready();
    return this.read(this.rows.find(key, view));
  }

  /** The memory that is written there, or was before it was changed; undefined if it is deleted, or gone for good. */
  async writtenAt({ log, id }: EntryRef): Promise<MemoryItem | undefined> {
    await this.ready();
    const row = this.rows.at(log, id) ?? (log === MEMORY_LOG.name ? this.rows.ofMemory(id) : undefined);
    return row?.status === "DELETED" ? undefined : row && this.read(row);
  }

  /** The best first, and the newest first where nothing is asked. `read` reads one page of what was found. */
  async search(query: string | undefined, filters: Filters, view: View): Promise<Found> {
    await this.ready();
    await this.following;
    const ranked = await rankedRows({ query, filters, view }, this.rows, this.texts);
    const found = async ({ row, score, matched }: RankedRow) => {
      const ref = { log: row.source, id: row.id };
      return { item: await this.read(row), ref, score, matched, ...bothTainted(row) };
    };
    return {
      count: ranked.length,
      read: (limit, offset) => Promise.all(ranked.slice(offset, offset + limit).map(found)),
    };
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

  /** What a memory becomes, in its record too where it is one, or becomes one now. */
  private async share(
    row: Row,
    before: MemoryItem,
    after: MemoryItem,
    actor: MemoryActor,
  ): Promise<{ item: MemoryItem; shared?: SharedWith }> {
    const { shared } = this.around;
    if (row.shared) return { item: await shared.change(before, after, row.shared, actor) };
    const made = after.status === "DELETED" ? undefined : await shared.create(after, actor);
    return made ?? { item: after };
  }

  private async change(
    row: Row,
    set: Partial<MemoryItem>,
    writer: Writer,
    shared?: SharedWith,
  ): Promise<MemoryItem> {
    const read = bothTainted(row, lineOf(writer));
    const line = { timestamp: this.timestamp(), ...lineOf(writer), ...read, ...(shared && { shared }) };
    const item = { ...(await this.read(row)), ...set };
    if (row.source === ITEM_LOG.name) await this.write({ ...line, of: row.id, set });
    else await this.write({ ...line, item, memory: row.id });
    return item;
  }

  private async refresh(key: string): Promise<void> {
    const row = this.rows.get(key);
    const known = row && (await this.log.get(row.id));
    const record = known && (await this.around.shared.read(known));
    if (!row || !record?.item) return;
    this.rows.keep(rowOfItem(row.id, record, record.item));
    await this.index(ITEM_LOG.name, textOfItem({ id: row.id, record }));
  }

  private async write(entry: ItemEntry): Promise<void> {
    const stored = await this.log.append(entry);
    const record = await this.around.shared.read(stored.record);
    if (!record.item) return;
    this.rows.keep(rowOfItem(stored.id, record, record.item));
    await this.index(ITEM_LOG.name, textOfItem({ id: stored.id, record }));
  }

  /** What is not in the index yet is put in at the next start: the journal has it, so the call goes on. */
  private async index(source: string, text: Text): Promise<void> {
    await this.texts.put(source, [text]).catch(this.around.complain);
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.turns.run(async () => {
      await this.ready();
      return work();
    });
  }

  /** Reads what there is at the first use and not at the start: thousands of memories take a while. */
  private ready(): Promise<void> {
    this.loading ??= this.loadAll().catch((error: unknown) => {
      this.loading = undefined;
      throw error;
    });
    return this.loading;
  }

  private async loadAll(): Promise<void> {
    const known = this.memories.all();
    for (const memory of known) this.rows.keep(rowOfMemory(memory));
    await this.texts.follow(MEMORY_LOG.name, known.map(textOfMemory));
    await this.texts.follow(ITEM_LOG.name, this.load());
  }

  private async *load(): AsyncGenerator<Text> {
    for await (const stored of this.log.stored()) {
      const record = await this.around.shared.read(stored.record);
      if (!record.item) continue;
      const row = rowOfItem(stored.id, record, record.item);
      this.rows.keep(this.isForgotten(row.memory) ? { ...row, status: "DELETED" } : row);
      yield textOfItem({ id: stored.id, record });
    }
  }

  private async read(row: Row): Promise<MemoryItem> {
    if (row.source === MEMORY_LOG.name) {
      const memory = this.memories.get(row.id);
      if (memory) return itemOfMemory(memory);
    }
    const known = await this.log.get(row.id);
    const item = known && (await this.around.shared.read(known)).item;
    if (item) return this.isForgotten(row.memory) ? { ...item, status: "DELETED" } : item;
    throw new TendrilError("STORE_FAILED", `memory ${row.key} cannot be read from its journal`);
  }

  /** What `add_memory` wrote and a person has taken back, perhaps in an older version, is deleted for good. */
  private isForgotten(memory: number | null): boolean {
    return memory !== null && this.memories.get(memory) === undefined;
  }

  private timestamp(): string {
    return isoUtc(this.around.clock.now());
  }
}

/** What a store of memories needs beside its journals. */
export interface Surroundings {
  readonly clock: Clock;
  readonly store: Pick<Store, "erase">;
  readonly shared: SharedMemories;
  /** Told of what goes wrong where nobody waits for it. */
  complain(error: unknown): void;
}

/** A new memory: what it must have, and what was given beside. */
type NewItem = GivenFields &
  Pick<MemoryItem, "source" | "title" | "content"> & { readonly id?: string | undefined };
