import { randomUUID } from "node:crypto";
import { Mutex } from "../../../drivers/mutex.js";
import type { Clock } from "../../../drivers/ports.js";
import {
  errorTable,
  excerpt,
  final,
  invalidArgument,
  notFound,
  refuseIf,
  TendrilError,
} from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import type { Stored } from "../../store/records.js";
import { isoNow } from "../../tools/iso-time.js";
import { codePoints } from "../../tools/parameters.js";
import { bothTainted, sourcesIn } from "../../tools/taint.js";
import { alreadyThere, HOUSEHOLD, HOUSEHOLD_ERRORS, type View } from "../household/household.js";
import { definePart } from "../module.js";
import {
  type ItemRecord,
  isErased,
  LIST_LOG,
  type ListEntry,
  type ListRecord,
  type Origin,
  ownerOnList,
  type Row,
} from "./list-log.js";

export const LIST_ERRORS = errorTable({
  TOO_MANY_LISTS: final("delete lists that nobody needs any more", "nothing"),
  LIST_FULL: final("remove items from the list, or begin another", "nothing"),
});

/**
 * Choices: a name is short as a heading (code points); a model in a loop must not fill the disk, and an answer shows
 * a whole list.
 */
export const LONGEST_NAME = 100;
export const MAX_LISTS_OF_ONE = 100;
export const MAX_ITEMS = 500;
/** Choices: items on all lists of one owner, and lists of all owners, since all of them are in memory. */
export const MAX_ITEMS_OF_ONE = 5000;
export const MAX_IN_ALL = { lists: 1000, items: 20_000 };

/** How a call says which list it means. */
export interface ListName {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

/** Who makes the change: the token, whose rows it sees, and who owns its new rows. */
export interface Actor extends Origin {
  readonly by: string;
  readonly view: View;
}

export interface Item {
  readonly row: number;
  readonly record: ItemRecord;
}

export interface List {
  readonly row: number;
  readonly record: ListRecord;
  /** In the order in which they were added. */
  readonly items: Map<string, Item>;
}

/** What decides whether a list has room. */
interface RoomOn {
  readonly record: Pick<ListRecord, "name" | "owner" | "tainted">;
  readonly items: ReadonlyMap<string, Item>;
}

/** An item, and the list that it is on now. */
export interface PlacedItem extends Item {
  readonly list: ListRecord | undefined;
}

/** The lists of all people. A name is looked up without regard to case and outer blanks; accents count. */
export class Lists {
  private readonly lists = new Map<string, List>();
  private readonly turns = new Mutex();
  private readonly watchers: ((item: PlacedItem) => void)[] = [];

  private constructor(
    private readonly log: RecordLog<ListEntry, Row>,
    private readonly clock: Clock,
  ) {}

  static async open(log: RecordLog<ListEntry, Row>, clock: Clock): Promise<Lists> {
    const lists = new Lists(log, clock);
    const cutOff = new Map<string, List>();
    for await (const row of log.stored()) {
      lists.keep(row);
      const { record } = row;
      // what was erased may be the item of any list before it
      if (isErased(record)) cutOff.clear();
      else if ("item" in record) cutOff.delete(record.item);
      else if (record.made_for !== undefined && !record.gone)
        cutOff.set(record.made_for, lists.lists.get(record.list) as List);
    }
    for (const { row, record } of cutOff.values()) await lists.change(row, "deleted", record.by);
    return lists;
  }

  /** Throws ALREADY_EXISTS where the name finds a list, TOO_MANY_LISTS. */
  create(name: string, actor: Actor): Promise<List> {
    return this.turns.run(async () => {
      const [known] = this.named(name, actor.view).filter(({ record }) => isFor(record.owner, actor.owner));
      if (known) {
        const { list: list_id, name: its } = known.record;
        throw alreadyThere(`there is a list "${its}" already: ${list_id}`, { list_id });
      }
      this.assertRoomForList(actor.owner);
      return this.append(name, actor);
    });
  }

  /** Deletes the list with its items. Throws NOT_FOUND, AMBIGUOUS_NAME. */
  delete(which: ListName, { by, view }: Actor): Promise<List> {
    return this.turns.run(async () => {
      const list = this.find(which, view);
      const items = new Map(list.items);
      await this.change(list.row, "deleted", by);
      return { ...list, items };
    });
  }

  /**
   * If a list is only named and there is none, it is made. `key`: the item's UUID. Throws NOT_FOUND, AMBIGUOUS_NAME,
   * LIST_FULL, TOO_MANY_LISTS, ALREADY_EXISTS.
   */
  add(
    text: string,
    which: ListName,
    actor: Actor,
    key: string = randomUUID(),
  ): Promise<{ list: List; item: Item; position: number; created: boolean }> {
    return this.turns.run(async () => {
      const known = this.assertMayAdd(key, which, actor);
      const list = known ?? (await this.append(which.name ?? "", actor, key));
      const owner = ownerOnList(list.record.owner, actor.owner);
      const entry = { item: key, in: list.record.list, text, ...originOf({ ...actor, owner }) };
      const line = { timestamp: isoNow(this.clock), by: actor.by, ...entry };
      this.keep(await (known ? this.log.append(line) : this.appendFirst(list, line)));
      const item = list.items.get(entry.item) as Item;
      return { list, item, position: list.items.size, created: known === undefined };
    });
  }

  /** Throws what `add` throws. The list, if there is one. */
  assertMayAdd(
    key: string,
    which: ListName,
    { view, owner }: Pick<Actor, "view" | "owner">,
  ): List | undefined {
    this.assertNew(key);
    const known = this.findOrNone(which, view);
    if (!known) this.assertRoomForList(owner);
    this.assertRoomOn(known ?? { record: { name: which.name ?? "", owner }, items: NO_ITEMS });
    return known;
  }

  /** Throws NOT_FOUND. */
  remove(itemId: string, { by, view }: Actor): Promise<Item> {
    return this.turns.run(async () => {
      const item = this.item(itemId, view);
      await this.change(item.row, "removed", by);
      return item;
    });
  }

  /** Completing twice keeps the first time. `at`: when it was completed, if not now. Throws NOT_FOUND. */
  complete(itemId: string, { by, view }: Actor, at?: string): Promise<Item> {
    return this.turns.run(async () => {
      const item = this.item(itemId, view);
      if (item.record.completed_at === null) await this.change(item.row, "completed", by, at);
      return this.item(itemId, view);
    });
  }

  /** Undoes a "done"; an open item stays as it is. Throws NOT_FOUND. */
  reopen(itemId: string, { by, view }: Actor): Promise<Item> {
    return this.turns.run(async () => {
      const item = this.item(itemId, view);
      if (item.record.completed_at !== null) await this.change(item.row, "reopened", by);
      return this.item(itemId, view);
    });
  }

  /** Throws NOT_FOUND. */
  rename(itemId: string, text: string, { by, view, ...read }: Actor): Promise<Item> {
    return this.turns.run(async () => {
      const { row: of } = this.item(itemId, view);
      const timestamp = isoNow(this.clock);
      this.keep(await this.log.append({ timestamp, by, of, change: "renamed", text, ...bothTainted(read) }));
      return this.item(itemId, view);
    });
  }

  /** The number of an item that is on a list. */
  rowOf(itemId: string): number | undefined {
    for (const { items } of this.lists.values()) {
      const item = items.get(itemId);
      if (item) return item.row;
    }
    return undefined;
  }

  /**
   * An item by its number, with its list; without the list if the item or its list was deleted. Undefined for a list.
   */
  async placed(row: number): Promise<PlacedItem | undefined> {
    const record = await this.log.get(row);
    return record && "item" in record ? this.place(row, record) : undefined;
  }

  /** Called for each item that is added, changed or deleted. */
  watchEach(watcher: (item: PlacedItem) => void): void {
    this.watchers.push(watcher);
  }

  /** Removes rows that were erased from the journal. */
  drop(rows: readonly number[]): Promise<void> {
    return this.turns.run(async () => {
      const gone = new Set(rows);
      for (const [id, list] of this.lists) {
        if (gone.has(list.row)) this.lists.delete(id);
        for (const [item, { row }] of list.items) if (gone.has(row)) list.items.delete(item);
      }
    });
  }

  /** In the order in which they were made. */
  all(view: View, chat: string | undefined): readonly List[] {
    return [...this.lists.values()].filter(
      ({ record }) => view.sees(record.owner) && (chat === undefined || record.chat === chat),
    );
  }

  /** Undefined if the list was deleted. */
  recordOf(id: string): ListRecord | undefined {
    return this.lists.get(id)?.record;
  }

  /** Throws NOT_FOUND, AMBIGUOUS_NAME; INVALID_ARGUMENT where id and name are of two lists. */
  find(which: ListName, view: View): List {
    const list = this.findOrNone(which, view);
    if (!list) throw notFound(`there is no list "${excerpt(which.name ?? "")}"`);
    return list;
  }

  /** Undefined if there is only a name, and no list has it. */
  private findOrNone({ id, name }: ListName, view: View): List | undefined {
    if (id === undefined) return name === undefined ? undefined : this.byName(name, view);
    const list = this.lists.get(id);
    if (!list || !view.sees(list.record.owner)) throw notFound(`there is no list ${excerpt(id)}`);
    if (name === undefined || nameKey(name) === nameKey(list.record.name)) return list;
    const what = `list_id is the list "${list.record.name}", but list_name is "${excerpt(name)}": leave one out`;
    throw invalidArgument(what, { untrusted: sourcesIn([list.record]) });
  }

  private byName(name: string, view: View): List | undefined {
    const found = this.named(name, view);
    const own = found.filter(({ record }) => record.owner === view.first);
    const candidates = own.length > 0 ? own : found;
    if (candidates.length <= 1) return candidates[0];
    const shown = candidates.map(({ record }) => ({
      list_id: record.list,
      list_name: record.name,
      user_id: record.owner,
    }));
    const named = shown.map(({ list_id, user_id }) => `${list_id} of ${user_id}`).join(", ");
    throw new TendrilError(
      HOUSEHOLD_ERRORS.AMBIGUOUS_NAME,
      `"${excerpt(name)}" is the name of several lists: ${named}`,
      {
        details: { candidates: shown },
      },
    );
  }

  private named(name: string, view: View): readonly List[] {
    const key = nameKey(name);
    return this.all(view, undefined).filter(({ record }) => nameKey(record.name) === key);
  }

  private item(itemId: string, view: View): Item {
    for (const { record, items } of this.lists.values()) {
      const item = items.get(itemId);
      if (item && view.sees(record.owner)) return item;
    }
    throw notFound(`there is no item ${excerpt(itemId)}`);
  }

  /** Throws LIST_FULL. */
  private assertRoomOn({ record, items }: RoomOn): void {
    const { name, owner } = record;
    const countOf = (lists: readonly List[]) => lists.reduce((sum, each) => sum + each.items.size, 0);
    refuseIf(
      LIST_ERRORS.LIST_FULL,
      [
        items.size >= MAX_ITEMS && `"${name}" has ${MAX_ITEMS} items already`,
        countOf(this.owned(owner)) >= MAX_ITEMS_OF_ONE &&
          `the lists of ${owner} have ${MAX_ITEMS_OF_ONE} items already`,
        countOf([...this.lists.values()]) >= MAX_IN_ALL.items &&
          `all lists together have ${MAX_IN_ALL.items} items already`,
      ],
      { untrusted: sourcesIn([record]) },
    );
  }

  private owned(owner: string): readonly List[] {
    return [...this.lists.values()].filter(({ record }) => record.owner === owner);
  }

  /** Throws TOO_MANY_LISTS. */
  private assertRoomForList(owner: string): void {
    refuseIf(LIST_ERRORS.TOO_MANY_LISTS, [
      this.owned(owner).length >= MAX_LISTS_OF_ONE && `${owner} has ${MAX_LISTS_OF_ONE} lists already`,
      this.lists.size >= MAX_IN_ALL.lists && `there are ${MAX_IN_ALL.lists} lists already`,
    ]);
  }

  /** `madeFor`: the item for which the list is made; without it the list is not kept. */
  private async append(name: string, actor: Actor, madeFor?: string): Promise<List> {
    const made = madeFor === undefined ? {} : { made_for: madeFor };
    const entry = { list: randomUUID(), name, ...made, ...originOf(actor) };
    this.keep(await this.log.append({ timestamp: isoNow(this.clock), by: actor.by, ...entry }));
    return this.lists.get(entry.list) as List;
  }

  /**
   * The first item of a list that was made for it. If it cannot be written, there is no list; the next start notes
   * that.
   */
  private async appendFirst({ record: { list } }: List, line: ListEntry): Promise<Stored<Row>> {
    try {
      return await this.log.append(line);
    } catch (error) {
      this.lists.delete(list);
      throw error;
    }
  }

  private async change(
    of: number,
    change: "deleted" | "completed" | "reopened" | "removed",
    by: string,
    at?: string,
  ): Promise<void> {
    const when = at === undefined ? {} : { at };
    this.keep(await this.log.append({ timestamp: isoNow(this.clock), by, of, change, ...when }));
  }

  /** Throws ALREADY_EXISTS. */
  private assertNew(key: string): void {
    if ([...this.lists.values()].some(({ items }) => items.has(key)))
      throw alreadyThere(`there is an item ${key} already`, { item_id: key });
  }

  private place(row: number, record: ItemRecord): PlacedItem {
    const list = this.lists.get(record.in);
    return { row, record, list: list?.items.has(record.item) ? list.record : undefined };
  }

  /** A deleted list has no items any more. */
  private keep({ id: row, record }: Stored<Row>): void {
    if ("item" in record) {
      this.keepItem({ row, record });
      return;
    }
    const items = this.lists.get(record.list)?.items ?? new Map<string, Item>();
    if (!record.gone) {
      this.lists.set(record.list, { row, record, items });
      return;
    }
    this.lists.delete(record.list);
    for (const item of items.values()) this.tell(item);
  }

  private keepItem(item: Item): void {
    const items = this.lists.get(item.record.in)?.items;
    if (item.record.gone) items?.delete(item.record.item);
    else items?.set(item.record.item, item);
    this.tell(item);
  }

  private tell({ row, record }: Item): void {
    for (const watcher of this.watchers) watcher(this.place(row, record));
  }
}

const NO_ITEMS: ReadonlyMap<string, Item> = new Map();

const originOf = ({ owner, chat, tainted }: Origin): Origin => ({
  owner,
  ...(chat !== undefined && { chat }),
  ...(tainted && { tainted }),
});

/** Whether a list of `owner` stands in the way of a new one of `wanted`: it would be found first, or instead. */
const isFor = (owner: string, wanted: string): boolean => owner === wanted || owner === HOUSEHOLD;

/** Upper and lower case, the composition of accents, and blanks around a name do not distinguish two lists. */
const nameKey = (name: string): string => name.normalize("NFC").trim().toLowerCase();

export const lists = definePart("lists", (house) => Lists.open(house.journal(LIST_LOG), house.clock));

/** Throws INVALID_ARGUMENT. */
export function assertListName(name: string): void {
  if (codePoints(name) <= LONGEST_NAME) return;
  throw invalidArgument(`list_name is longer than ${LONGEST_NAME} characters`);
}
