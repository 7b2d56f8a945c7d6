import { invalidArgument, TendrilError } from "../../errors.js";
import { bothTainted } from "../../tools/taint.js";
import type { RecordKeeper, SharedActor, SharedFields, SharedRecord } from "../shared-records.js";
import type { ItemRecord, MemoryItem, Pending, SharedWith } from "./item.js";
import { bucketOf } from "./settle.js";

/** A memory, and the record that it is too. */
interface Shared {
  readonly item: MemoryItem;
  readonly shared: SharedWith;
}

/** What the journal of memories has of one. */
type Readable = Pick<ItemRecord, "item" | "shared" | "tainted">;

/** Whose memory a record would be, and who asks. */
export type Sharer = Omit<SharedActor, "chat">;

/**
 * Memories that are a task or an item of a list: one record with one id, which both tools see. What the record says counts; the
 * memory adds tags, people, places and the like.
 */
export class SharedMemories {
  constructor(
    private readonly keeperOf: (section: string) => RecordKeeper | undefined,
    private readonly zoneOf: (owner: string) => string,
  ) {}

  /**
   * The record of a new memory, or of one that becomes a task: undefined where it needs none. Throws what `assertNew` of its keeper
   * throws: a record that has the id already is somebody's, and no part of this memory.
   */
  async planOfNew(item: MemoryItem, sharer: Sharer): Promise<Pending | undefined> {
    if (!needsRecord(item)) return undefined;
    await this.keeper(item.section).assertNew(item.id, fieldsOf(item), withChat(sharer, item));
    return { create: true };
  }

  /** The memory as its record is now. Where the tool of the record is switched off, it is shown as it was written. */
  async read<R extends Readable>(known: R): Promise<R> {
    const { item, shared } = known;
    const keeper = item && shared && this.keeperOf(item.section);
    const record = await keeper?.get(shared?.id ?? 0);
    if (!keeper || !record) return known;
    return { ...known, item: this.overlaid(item, keeper, record), ...bothTainted(known, record) };
  }

  /**
   * What has to become of the record where the memory changes so; undefined where it has none, or stays as it is. Throws
   * INVALID_ARGUMENT, and what `planOfNew` throws.
   */
  async plan(
    before: MemoryItem,
    after: MemoryItem,
    shared: SharedWith | undefined,
    sharer: Sharer,
  ): Promise<Pending | undefined> {
    if (!shared) return after.status === "DELETED" ? undefined : this.planOfNew(after, sharer);
    const keeper = this.keeper(before.section);
    if (this.keeperOf(after.section)?.log !== keeper.log)
      throw invalidArgument(
        `section ${before.section} cannot become ${after.section}: delete it and save a new one`,
      );
    const record = await this.record(keeper, shared);
    if (record.isDeleted && after.status !== "DELETED")
      throw invalidArgument(`memory ${after.id} was deleted: save it as a new one`);
    const set = changedFields(before, after, keeper.fields);
    if (Object.keys(set).length > 0) keeper.assertChange(record, set);
    const isToDelete = after.status === "DELETED" && !record.isDeleted;
    if (Object.keys(set).length === 0 && !isToDelete) return undefined;
    return { set, ...(isToDelete && { delete: true }) };
  }

  /** Does what was planned, and of what was done in part the rest. Throws INVALID_ARGUMENT, and then it did nothing. */
  async carryOut(
    item: MemoryItem,
    pending: Pending,
    shared: SharedWith | undefined,
    sharer: Sharer,
  ): Promise<Shared> {
    const keeper = this.keeper(item.section);
    const actor = withChat(sharer, item);
    const record = shared
      ? await this.record(keeper, shared)
      : ((await keeper.find(item.id)) ?? (await keeper.create(item.id, fieldsOf(item), actor)));
    const left = leftToDo(record, "create" in pending ? { completed_at: item.completed_at } : pending.set);
    const changed = Object.keys(left).length > 0 ? await keeper.change(record, left, actor) : record;
    const isToDelete = "delete" in pending;
    if (isToDelete) await keeper.delete(changed, actor);
    const now = { ...changed, isDeleted: changed.isDeleted || isToDelete };
    return { item: this.overlaid(item, keeper, now), shared: { log: keeper.log, id: record.id } };
  }

  /** Deletes the record. Throws INVALID_ARGUMENT. */
  async delete(item: MemoryItem, shared: SharedWith, sharer: Sharer): Promise<void> {
    const keeper = this.keeper(item.section);
    await keeper.delete(await this.record(keeper, shared), withChat(sharer, item));
  }

  async drop(item: MemoryItem, shared: SharedWith): Promise<void> {
    await this.keeperOf(item.section)?.drop(shared.id);
  }

  private keeper(section: string): RecordKeeper {
    const keeper = this.keeperOf(section);
    if (keeper) return keeper;
    throw invalidArgument(
      `section ${section} needs a module that is switched off: planner for tasks, lists for lists`,
    );
  }

  private async record(keeper: RecordKeeper, { log, id }: SharedWith): Promise<SharedRecord> {
    const record = await keeper.get(id);
    if (record) return record;
    throw new TendrilError("STORE_FAILED", `record ${id} of the journal ${log} cannot be read`);
  }

  private overlaid(item: MemoryItem, keeper: RecordKeeper, record: SharedRecord): MemoryItem {
    const known = Object.fromEntries(keeper.fields.map((key) => [key, record.fields[key] ?? null]));
    const now: MemoryItem = {
      ...item,
      ...known,
      content: keeper.fields.includes("content") ? (record.fields.content ?? item.title) : item.content,
      status: record.isDeleted ? "DELETED" : item.status,
      updated_at: [item.updated_at, record.updated_at ?? ""].sort().at(-1) ?? item.updated_at,
    };
    return { ...now, date_bucket: bucketOf(now, now.timezone ?? this.zoneOf(now.user_id)) };
  }
}

/** Done once is done: a recurring task would get a second next time. */
function leftToDo({ fields }: SharedRecord, set: Partial<SharedFields>): Partial<SharedFields> {
  const left = Object.entries(set).filter(
    ([key, value]) => value !== (fields[key as keyof SharedFields] ?? null),
  );
  return Object.fromEntries(
    left.filter(([key, value]) => key !== "completed_at" || (value !== null && fields.completed_at === null)),
  );
}

/** A reminder without a time rings at none: it is a memory alone. */
const needsRecord = ({ section, due_at }: MemoryItem): boolean =>
  section === "TASK" || section === "LIST" || (section === "REMINDER" && due_at !== null);

const fieldsOf = ({ title, content, due_at, completed_at, list_name }: MemoryItem): SharedFields => ({
  ...{ title, content, due_at, completed_at, list_name },
});

const changedFields = (
  before: MemoryItem,
  after: MemoryItem,
  keys: readonly (keyof SharedFields)[],
): Partial<SharedFields> =>
  Object.fromEntries(keys.filter((key) => before[key] !== after[key]).map((key) => [key, after[key]]));

/** The record is the memory's owner's, whoever makes it one. */
const withChat = (sharer: Sharer, { chat_id, user_id: owner }: MemoryItem): SharedActor => ({
  ...{ ...sharer, owner },
  ...(chat_id !== null && { chat: chat_id }),
});
