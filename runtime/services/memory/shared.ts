import { TendrilError } from "../../errors.js";
import { bothTainted } from "../../tools/taint.js";
import type { RecordKeeper, SharedActor, SharedFields, SharedRecord } from "../shared-records.js";
import type { MemoryItem } from "./item.js";
import type { ItemRecord, SharedWith } from "./item-log.js";
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

  /** The record of a new memory, or of one that becomes a task: undefined where it needs none. Throws INVALID_ARGUMENT. */
  async create(item: MemoryItem, sharer: Sharer): Promise<Shared | undefined> {
    if (!needsRecord(item)) return undefined;
    const keeper = this.keeper(item.section);
    const record = await keeper.create(item.id, fieldsOf(item), withChat(sharer, item));
    return { item: this.overlaid(item, keeper, record), shared: { log: keeper.log, id: record.id } };
  }

  /** The memory as its record is now. Where the tool of the record is switched off, it is shown as it was written. */
  async read<R extends Readable>(known: R): Promise<R> {
    const { item, shared } = known;
    const keeper = item && shared && this.keeperOf(item.section);
    const record = await keeper?.get(shared?.id ?? 0);
    if (!keeper || !record) return known;
    return { ...known, item: this.overlaid(item, keeper, record), ...bothTainted(known, record) };
  }

  /** `before` becomes `after`, in its record too. Throws INVALID_ARGUMENT, and then nothing has changed. */
  async change(
    before: MemoryItem,
    after: MemoryItem,
    shared: SharedWith,
    sharer: Sharer,
  ): Promise<MemoryItem> {
    const keeper = this.keeper(before.section);
    if (this.keeperOf(after.section)?.log !== keeper.log)
      throw wrong(`section ${before.section} cannot become ${after.section}: delete it and save a new one`);
    const record = await this.record(keeper, shared);
    if (record.isDeleted && after.status !== "DELETED")
      throw wrong(`memory ${after.id} was deleted: save it as a new one`);
    const actor = withChat(sharer, before);
    const set = changedFields(before, after, keeper.fields);
    const changed = Object.keys(set).length > 0 ? await keeper.change(record, set, actor) : record;
    if (after.status !== "DELETED") return this.overlaid(after, keeper, changed);
    await keeper.delete(changed, actor);
    return this.overlaid(after, keeper, { ...changed, isDeleted: true });
  }

  async drop(item: MemoryItem, shared: SharedWith): Promise<void> {
    await this.keeperOf(item.section)?.drop(shared.id);
  }

  private keeper(section: string): RecordKeeper {
    const keeper = this.keeperOf(section);
    if (keeper) return keeper;
    throw wrong(`section ${section} needs a module that is switched off: planner for tasks, lists for lists`);
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

const withChat = (sharer: Sharer, { chat_id }: MemoryItem): SharedActor => ({
  ...sharer,
  ...(chat_id !== null && { chat: chat_id }),
});

const wrong = (what: string): TendrilError => new TendrilError("INVALID_ARGUMENT", what);
