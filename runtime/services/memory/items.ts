import { randomUUID } from "node:crypto";
import { Mutex } from "../../../drivers/mutex.js";
import type { Clock } from "../../../drivers/ports.js";
import { invalidArgument, TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import { jsonBytes, type Stored } from "../../store/records.js";
import type { Store } from "../../store/store.js";
import { isoNow } from "../../tools/iso-time.js";
import { bothTainted, type Tainted } from "../../tools/taint.js";
import { HOUSEHOLD, type View } from "../household/household.js";
import type { EntryRef } from "../household/recalls.js";
import { FORMER_LOG } from "./carried-over.js";
import { Erasing } from "./erasing.js";
import {
  type GivenFields,
  ITEM_LOG,
  type ItemEntry,
  type ItemRecord,
  lineOf,
  type MemoryItem,
  type Pending,
  type Writer,
} from "./item.js";
import {
  ANY,
  differences,
  EMPTY,
  type Filters,
  type Found,
  MEMORY_ERRORS,
  MemoryRows,
  type RankedRow,
  type Remembered,
  type Row,
  rankedRows,
  rememberedItem,
  rowOfItem,
  textOfItem,
} from "./rows.js";
import { type Settling, settled } from "./settle.js";
import type { SharedMemories, Sharer } from "./shared.js";
import type { MemoryTexts, Text } from "./texts.js";

/** A choice: a model that loops must not fill the disk, and no prompt holds more. */
const MAX_REMEMBERED = 500;
/** A choice: so many memories are read at once. */
const PAGE = 200;

/** Who makes the change, whose rows this caller sees, and who owns the new ones. */
export type MemoryActor = Sharer;

/** Memories of people, of the household and of the agent: what `save_memory` and `add_memory` write. */
export class MemoryItems {
  private readonly rows = new MemoryRows();
  private readonly turns = new Mutex();
  private readonly erasing: Erasing;
  private loading: Promise<void> | undefined;
  /** What other tools have changed of shared records, and is not noted here yet. */
  private following: Promise<void> = Promise.resolve();
  /** Numbers of their records. */
  private readonly changedByOthers = new Set<number>();

  constructor(
    private readonly log: RecordLog<ItemEntry, ItemRecord>,
    private readonly texts: MemoryTexts,
    private readonly around: Surroundings,
  ) {
    const timestamp = () => isoNow(this.around.clock);
    this.erasing = new Erasing({ log, texts, store: around.store, timestamp });
  }

  /** Ends the erasures and the changes that a crash has interrupted. Once every journal is open. */
  async endInterrupted(): Promise<void> {
    await this.erasing.endAll();
    const begun: Stored<ItemRecord>[] = [];
    // a quote within a text has a backslash before it; metadata can have such a key
    for await (const stored of this.log.stored({ containing: '"pending":{' }))
      if (stored.record.pending) begun.push(stored);
    const begunBy = await this.writersOf(begun);
    for (const { id, record } of begun)
      await this.inTurn(() => this.endChange(id, record, sharerAfterCrash(record, begunBy.get(id)))).catch(
        this.around.complain,
      );
  }

  /** Who began each of these changes: the writer of the last line of its memory. */
  private async writersOf(begun: readonly Stored<ItemRecord>[]): Promise<ReadonlyMap<number, string>> {
    const writers = new Map<number, string>();
    if (begun.length === 0) return writers;
    for await (const { id, entry } of this.log.lines(new Set(begun.map((each) => each.id))))
      if (typeof entry.by === "string") writers.set(typeof entry.of === "number" ? entry.of : id, entry.by);
    return writers;
  }

  /**
   * Erases a memory for good, and returns what it was. It goes from every journal with its former versions, from the
   * results of calls, and from the index. Throws NOT_FOUND; or STORE_FAILED, and then the erasing continues at the
   * next start.
   */
  erase(key: string, { by, view }: MemoryActor): Promise<{ item: MemoryItem }> {
    return this.inTurn(async () => {
      const row = this.rows.find(key, view);
      const item = await this.read(row);
      const begun = { timestamp: isoNow(this.around.clock), by, of: row.id, erased: true as const, key };
      const stored = await this.log.append(begun);
      this.rows.drop(row);
      if (row.shared) await this.around.shared.drop(item, row.shared);
      await this.erasing.everywhere(stored, [item.title, item.content]);
      return { item };
    });
  }

  /** Removes records from memory and index, since they are erased from the journal. */
  dropRecords(ids: readonly number[]): Promise<void> {
    return this.inTurn(async () => {
      for (const id of ids) {
        const row = this.rows.at(id);
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
      const now = isoNow(this.around.clock);
      const { id: _, ...fields } = given;
      const { source, title, content } = given;
      const empty = { ...EMPTY, source, title, content, created_at: now, updated_at: now };
      const whole = await settled(fields, empty, settling);
      const item = { ...whole, id: key, user_id: actor.owner };
      this.rows.assertRoom(actor.owner, { memories: 1, bytes: jsonBytes(item) });
      const line = { timestamp: now, ...lineOf(actor), item };
      const pending = await this.around.shared.planOfNew(item, actor);
      if (pending) return this.saveBoth({ ...line, pending }, actor);
      await this.write(line);
      return item;
    });
  }

  /** As `changeBoth`. If there is no room for the record, the memory is not kept either. */
  private async saveBoth(
    line: ItemEntry & { readonly item: MemoryItem },
    actor: MemoryActor,
  ): Promise<MemoryItem> {
    const { id: of, record } = await this.log.append(line);
    try {
      return await this.endChange(of, record, actor);
    } catch (error) {
      const { timestamp } = line;
      const begun = await this.log.append({ timestamp, by: actor.by, of, erased: true, key: line.item.id });
      await this.erasing.everywhere(begun, []);
      throw error;
    }
  }

  /**
   * The changed memory, the fields that changed, and which words of strangers its former writer had read. Throws
   * NOT_FOUND, TOO_MANY_MEMORIES, and what `settled` throws.
   */
  update(
    key: string,
    given: GivenFields,
    settling: Settling,
    actor: MemoryActor,
  ): Promise<{ item: MemoryItem; changed: readonly string[] } & Tainted> {
    return this.inTurn(async () => {
      const meant = await this.meant(key, given, settling, actor);
      this.assertRoomFor([meant]);
      return { ...(await this.updateAs(meant, actor)), ...bothTainted(meant.row) };
    });
  }

  /** If there is no room for all of these tags, none is changed. Throws what `update` throws. */
  updateTags(
    changes: readonly {
      readonly key: string;
      readonly tags: readonly string[];
      readonly settling: Settling;
    }[],
    actor: MemoryActor,
  ): Promise<void> {
    return this.inTurn(async () => {
      const all: Meant[] = [];
      for (const { key, tags, settling } of changes)
        all.push(await this.meant(key, { tags: [...tags] }, settling, actor));
      this.assertRoomFor(all);
      for (const meant of all) await this.updateAs(meant, actor);
    });
  }

  /** The memory after the change. */
  private async meant(
    key: string,
    given: GivenFields,
    settling: Settling,
    { view }: MemoryActor,
  ): Promise<Meant> {
    const row = this.rows.find(key, view);
    if (row.remembered && row.status === "DELETED" && (given.status ?? "DELETED") !== "DELETED")
      throw invalidArgument(`memory ${key} was taken back: save it as a new one`);
    const before = await this.read(row);
    const { id, user_id, ...fields } = before;
    return { row, before, after: { ...(await settled(given, fields, settling)), id, user_id } };
  }

  /** Throws TOO_MANY_MEMORIES. */
  private assertRoomFor(all: readonly Meant[]): void {
    const more = new Map<string, number>();
    for (const { row, before, after } of all)
      if (isChanged(before, after))
        more.set(row.owner, (more.get(row.owner) ?? 0) + jsonBytes(after) - row.bytes);
    for (const [owner, bytes] of more) if (bytes > 0) this.rows.assertRoom(owner, { memories: 0, bytes });
  }

  private async updateAs(
    { row, before, after }: Meant,
    actor: MemoryActor,
  ): Promise<{ item: MemoryItem; changed: readonly string[] }> {
    if (!isChanged(before, after)) return { item: after, changed: [] };
    const pending = await this.around.shared.plan(before, after, row.shared, actor);
    const set = { ...differences(before, after), updated_at: isoNow(this.around.clock) };
    const item = pending
      ? await this.changeBoth(row, before, { set, pending }, actor)
      : await this.change(row, set, actor);
    return { item, changed: Object.keys(differences(before, { ...item, updated_at: before.updated_at })) };
  }

  /** It is hidden from then on; its record stays. Throws NOT_FOUND. */
  delete(key: string, actor: MemoryActor): Promise<MemoryItem & Tainted> {
    return this.inTurn(async () => {
      const row = this.rows.find(key, actor.view);
      const item = await this.read(row);
      if (row.shared) await this.around.shared.delete(item, row.shared, actor);
      return { ...(await this.deleteRow(row, actor.by)), ...bothTainted(row) };
    });
  }

  /** Notes what another tool has changed of a record that is a memory too. */
  follow(key: string): void {
    const row = this.rows.get(key);
    if (!row?.shared) return;
    this.changedByOthers.add(row.id);
    this.following = this.turns.run(() => this.refresh(key)).catch(this.around.complain);
  }

  /** Records of the memories that other tools have changed since this was asked last. */
  async takeChangedByOthers(): Promise<readonly Stored<ItemRecord>[]> {
    const changed: Stored<ItemRecord>[] = [];
    for (const id of this.changedByOthers) {
      this.changedByOthers.delete(id);
      const record = await this.log.get(id);
      if (record) changed.push({ id, record });
    }
    return changed;
  }

  /** A record as it is now: what another tool says of it counts. From then on changes of that are followed. */
  async current(record: ItemRecord): Promise<ItemRecord> {
    if (!record.shared) return record;
    await this.ready();
    return this.around.shared.read(record);
  }

  /**
   * Remembers a text: the household's, and in the prompts of care cycles. The same text is not remembered twice. Throws
   * TOO_MANY_MEMORIES.
   */
  add(text: string, writer: Writer): Promise<{ id: number; known: boolean }> {
    return this.inTurn(async () => {
      const kept = this.rows.allRemembered();
      const known = kept.find(({ remembered }) => remembered.text === text);
      if (known) return { id: known.remembered.id, known: true };
      if (kept.length >= MAX_REMEMBERED)
        throw new TendrilError(
          MEMORY_ERRORS.TOO_MANY_MEMORIES,
          `${MAX_REMEMBERED} memories are kept already`,
        );
      const timestamp = isoNow(this.around.clock);
      const item = rememberedItem(randomUUID(), text, timestamp);
      this.rows.assertRoom(HOUSEHOLD, { memories: 1, bytes: jsonBytes(item) });
      const memory = this.rows.nextNumber();
      await this.write({ timestamp, ...lineOf(writer), item, memory });
      return { id: memory, known: false };
    });
  }

  /** By the number of `list_memories`. Throws UNKNOWN_MEMORY. */
  forget(number: number, by: string): Promise<void> {
    return this.inTurn(async () => {
      const row = this.rows.remembered(number);
      if (!row || row.status === "DELETED")
        throw new TendrilError(MEMORY_ERRORS.UNKNOWN_MEMORY, `there is no memory ${number}`);
      await this.deleteRow(row, by);
    });
  }

  /** What `list_memories` shows: a page from the end, the newest last, and how many there are in all. */
  async remembered(
    n: number,
    offset: number,
  ): Promise<{ count: number; memories: readonly (Remembered & Tainted)[] }> {
    await this.ready();
    const all = this.rows.allRemembered().filter(({ status }) => status === "ACTIVE");
    const end = Math.max(0, all.length - offset);
    const page = all.slice(Math.max(0, end - n), end);
    return { count: all.length, memories: page.map((row) => ({ ...row.remembered, ...bothTainted(row) })) };
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

  /** The memory that is written there, or was before 2026-11-26; undefined if it is deleted, or gone for good. */
  async writtenAt({ log, id }: EntryRef): Promise<MemoryItem | undefined> {
    await this.ready();
    const row = log === FORMER_LOG ? this.rows.remembered(id) : this.rows.at(id);
    return row?.status === "DELETED" ? undefined : row && this.read(row);
  }

  /** The best first, and the newest first where nothing is asked. `read` reads one page of what was found. */
  async search(query: string | undefined, filters: Filters, view: View): Promise<Found> {
    await this.ready();
    await this.following;
    const ranked = await rankedRows({ query, filters, view }, this.rows, this.texts);
    const found = async ({ row, score, matched }: RankedRow) => {
      const ref = { log: ITEM_LOG.name, id: row.id };
      return { item: await this.read(row), ref, score, matched, ...bothTainted(row) };
    };
    return {
      count: ranked.length,
      read: (limit, offset) => Promise.all(ranked.slice(offset, offset + limit).map(found)),
    };
  }

  /** Each that fits, whatever it says; the newest first. */
  async *each(view: View, wanted: Pick<Filters, "status"> & Partial<Filters>): AsyncGenerator<MemoryItem> {
    const found = await this.search(undefined, { ...ANY, ...wanted }, view);
    for (let offset = 0; offset < found.count; offset += PAGE)
      for (const { item } of await found.read(PAGE, offset)) yield item;
  }

  private async deleteRow(row: Row, by: string): Promise<MemoryItem> {
    if (row.status === "DELETED") return this.read(row);
    return this.change(row, { status: "DELETED", updated_at: isoNow(this.around.clock) }, { by });
  }

  /**
   * Writes first the wanted state of both, then the record, then that it is done: a start completes what a crash has
   * interrupted.
   */
  private async changeBoth(
    row: Row,
    before: MemoryItem,
    wanted: { readonly set: Partial<MemoryItem>; readonly pending: Pending },
    actor: MemoryActor,
  ): Promise<MemoryItem> {
    const line = { timestamp: isoNow(this.around.clock), ...lineOf(actor), of: row.id, ...wanted };
    const { id, record } = await this.log.append(line);
    try {
      return await this.endChange(id, record, actor);
    } catch (error) {
      const back = Object.keys(wanted.set).map((key) => [key, before[key as keyof MemoryItem]]);
      await this.write({
        timestamp: isoNow(this.around.clock),
        by: actor.by,
        of: id,
        set: Object.fromEntries(back),
      });
      throw error;
    }
  }

  private async endChange(
    of: number,
    { item, pending, shared }: ItemRecord,
    actor: MemoryActor,
  ): Promise<MemoryItem> {
    if (!item || !pending)
      throw new TendrilError("STORE_FAILED", `memory ${of} cannot be read from its journal`);
    const made = await this.around.shared.carryOut(item, pending, shared, actor);
    const set = differences(item, made.item);
    await this.write({ timestamp: isoNow(this.around.clock), by: actor.by, of, set, shared: made.shared });
    return made.item;
  }

  private async change(row: Row, set: Partial<MemoryItem>, writer: Writer): Promise<MemoryItem> {
    const item = { ...(await this.read(row)), ...set };
    await this.write({ timestamp: isoNow(this.around.clock), ...lineOf(writer), of: row.id, set });
    return item;
  }

  private async refresh(key: string): Promise<void> {
    const row = this.rows.get(key);
    const record = row && (await this.log.get(row.id));
    if (record) await this.keep({ id: row.id, record });
  }

  private async write(entry: ItemEntry): Promise<void> {
    await this.keep(await this.log.append(entry));
  }

  /** What is not in the index yet is put in at the next start: the journal has it, so the call goes on. */
  private async keep(stored: Stored<ItemRecord>): Promise<void> {
    const text = await this.keepRow(stored);
    if (text) await this.texts.put(ITEM_LOG.name, [text]).catch(this.around.complain);
  }

  /** Returns what is to be found of it; undefined where there is no memory left. */
  private async keepRow(stored: Stored<ItemRecord>): Promise<Text | undefined> {
    const record = await this.around.shared.read(stored.record);
    if (!record.item) return undefined;
    this.rows.keep(rowOfItem(stored.id, record, record.item));
    return textOfItem({ id: stored.id, record });
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.turns.run(async () => {
      await this.ready();
      return work();
    });
  }

  /** Reads what there is at the first use and not at the start: thousands of memories take a while. */
  private ready(): Promise<void> {
    this.loading ??= this.texts.follow(ITEM_LOG.name, this.load()).catch((error: unknown) => {
      this.loading = undefined;
      throw error;
    });
    return this.loading;
  }

  private async *load(): AsyncGenerator<Text> {
    for await (const stored of this.log.stored()) {
      this.rows.takeNumber(stored.record.memory);
      const text = await this.keepRow(stored);
      if (text) yield text;
    }
  }

  private async read(row: Row): Promise<MemoryItem> {
    const known = await this.log.get(row.id);
    const item = known && (await this.around.shared.read(known)).item;
    if (item) return item;
    throw new TendrilError("STORE_FAILED", `memory ${row.key} cannot be read from its journal`);
  }
}

/** A memory as it is, and as it is to be. */
interface Meant {
  readonly row: Row;
  readonly before: MemoryItem;
  readonly after: MemoryItem;
}

const isChanged = (before: MemoryItem, after: MemoryItem): boolean =>
  Object.keys(differences(before, after)).length > 0;

/** Whoever began it is not asked again, and it is still theirs. */
function sharerAfterCrash(record: ItemRecord, by = "runtime"): MemoryActor {
  const owner = record.item?.user_id ?? HOUSEHOLD;
  const view = { sees: (other: string) => other === owner || other === HOUSEHOLD, first: owner };
  return { by, identity: { name: by, role: "human" }, owner, view, ...bothTainted(record) };
}

/** What a store of memories needs beside its journals. */
interface Surroundings {
  readonly clock: Clock;
  readonly store: Pick<Store, "erase">;
  readonly shared: SharedMemories;
  /** Told of what goes wrong where nobody waits for it. */
  complain(error: unknown): void;
}

/** A new memory: what it must have, and what was given beside. */
type NewItem = GivenFields &
  Pick<MemoryItem, "source" | "title" | "content"> & { readonly id?: string | undefined };
