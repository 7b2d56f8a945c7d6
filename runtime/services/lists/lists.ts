import { randomUUID } from "node:crypto";
import { Mutex } from "../../../drivers/mutex.js";
import type { Clock } from "../../../drivers/ports.js";
import { errorTable, excerpt, TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import type { Stored } from "../../store/records.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { Tainted } from "../../tools/taint.js";
import { HOUSEHOLD, HOUSEHOLD_ERRORS, type View } from "../household/household.js";
import { definePart } from "../module.js";

/** Whose a row is, and from which chat it came. */
interface Origin extends Tainted {
  readonly owner: string;
  readonly chat?: string;
}

/** A line of journal/lists.jsonl: a list, an item of one, or what became of them. */
export type ListEntry = { readonly timestamp: string; readonly by: string } & (
  | (Origin & { readonly list: string; readonly name: string })
  | (Origin & { readonly item: string; readonly in: string; readonly text: string })
  | { readonly of: number; readonly change: "deleted" | "completed" | "removed" }
);

interface RowRecord extends Origin {
  readonly timestamp: string;
  /** The list was deleted, or the item removed. */
  readonly gone: boolean;
}

export interface ListRecord extends RowRecord {
  readonly list: string;
  readonly name: string;
}

export interface ItemRecord extends RowRecord {
  readonly item: string;
  readonly in: string;
  readonly text: string;
  readonly completed_at: string | null;
}

type Row = ListRecord | ItemRecord;

export const LIST_LOG = {
  name: "lists",
  recordId: (entry: ListEntry) => ("of" in entry ? entry.of : undefined),
  fold: (previous: Row | undefined, entry: ListEntry): Row => {
    if ("item" in entry) return { ...entry, completed_at: null, gone: false };
    if ("list" in entry) return { ...entry, gone: false };
    if (!previous) throw new Error(`lists.jsonl: row ${entry.of} was ${entry.change} before it was added`);
    if (entry.change !== "completed") return { ...previous, gone: true };
    return "item" in previous
      ? { ...previous, completed_at: previous.completed_at ?? entry.timestamp }
      : previous;
  },
};

export const LIST_ERRORS = errorTable({
  TOO_MANY_LISTS: { retryable: false, changed: "nothing", fix: "delete lists that nobody needs any more" },
  LIST_FULL: { retryable: false, changed: "nothing", fix: "remove items from the list, or begin another" },
});

/** Choices: a loop of a model must not fill the disk, and an answer shows a whole list. */
export const MOST_LISTS_OF_ONE = 100;
export const MOST_ITEMS = 500;

/** How a call says which list it means. */
export interface ListName {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

/** Who does it: the token, whose rows it sees, and whose new rows are. */
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

/** The lists of all people. A name is looked up without regard to case and outer blanks; accents count. */
export class Lists {
  private readonly lists = new Map<string, List>();
  private readonly turns = new Mutex();

  private constructor(
    private readonly log: RecordLog<ListEntry, Row>,
    private readonly clock: Clock,
  ) {}

  static async open(log: RecordLog<ListEntry, Row>, clock: Clock): Promise<Lists> {
    const lists = new Lists(log, clock);
    for await (const row of log.stored()) lists.keep(row);
    return lists;
  }

  /** Throws ALREADY_EXISTS where the name finds a list, TOO_MANY_LISTS. */
  create(name: string, actor: Actor): Promise<List> {
    return this.turns.run(async () => {
      const [known] = this.named(name, actor.view).filter(({ record }) => isFor(record.owner, actor.owner));
      if (!known) return this.append(name, actor);
      const what = `there is a list "${known.record.name}" already: ${known.record.list}`;
      throw new TendrilError(HOUSEHOLD_ERRORS.ALREADY_EXISTS, what, {
        details: { list_id: known.record.list },
      });
    });
  }

  /** The list with its items is gone. Throws NOT_FOUND, AMBIGUOUS_NAME. */
  delete(which: ListName, { by, view }: Actor): Promise<List> {
    return this.turns.run(async () => {
      const list = this.find(which, view);
      const items = new Map(list.items);
      await this.change(list.row, "deleted", by);
      return { ...list, items };
    });
  }

  /** A list that is only named is made where there is none. Throws NOT_FOUND, AMBIGUOUS_NAME, LIST_FULL, TOO_MANY_LISTS. */
  add(
    text: string,
    which: ListName,
    actor: Actor,
  ): Promise<{ list: List; item: Item; position: number; created: boolean }> {
    return this.turns.run(async () => {
      const known = this.findOrNone(which, actor.view);
      const list = known ?? (await this.append(which.name ?? "", actor));
      if (list.items.size >= MOST_ITEMS)
        throw new TendrilError(
          LIST_ERRORS.LIST_FULL,
          `"${list.record.name}" has ${MOST_ITEMS} items already`,
        );
      const entry = { item: randomUUID(), in: list.record.list, text, ...originOf(actor) };
      this.keep(await this.log.append({ timestamp: this.timestamp(), by: actor.by, ...entry }));
      const item = list.items.get(entry.item) as Item;
      return { list, item, position: list.items.size, created: known === undefined };
    });
  }

  /** Throws NOT_FOUND. */
  remove(itemId: string, { by, view }: Actor): Promise<Item> {
    return this.turns.run(async () => {
      const item = this.item(itemId, view);
      await this.change(item.row, "removed", by);
      return item;
    });
  }

  /** Completing twice keeps the first time. Throws NOT_FOUND. */
  complete(itemId: string, { by, view }: Actor): Promise<Item> {
    return this.turns.run(async () => {
      const item = this.item(itemId, view);
      if (item.record.completed_at === null) await this.change(item.row, "completed", by);
      return this.item(itemId, view);
    });
  }

  /** In the order in which they were made. */
  all(view: View, chat: string | undefined): readonly List[] {
    return [...this.lists.values()].filter(
      ({ record }) => view.sees(record.owner) && (chat === undefined || record.chat === chat),
    );
  }

  /** Throws NOT_FOUND, AMBIGUOUS_NAME; INVALID_ARGUMENT where id and name are of two lists. */
  find(which: ListName, view: View): List {
    const list = this.findOrNone(which, view);
    if (!list) throw new TendrilError("NOT_FOUND", `there is no list "${excerpt(which.name ?? "")}"`);
    return list;
  }

  /** Undefined where a name alone finds none. */
  private findOrNone({ id, name }: ListName, view: View): List | undefined {
    if (id === undefined) return name === undefined ? undefined : this.byName(name, view);
    const list = this.lists.get(id);
    if (!list || !view.sees(list.record.owner))
      throw new TendrilError("NOT_FOUND", `there is no list ${excerpt(id)}`);
    if (name === undefined || nameKey(name) === nameKey(list.record.name)) return list;
    const what = `list_id is the list "${list.record.name}", but list_name is "${excerpt(name)}": leave one out`;
    throw new TendrilError("INVALID_ARGUMENT", what);
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
    throw new TendrilError("NOT_FOUND", `there is no item ${excerpt(itemId)}`);
  }

  private async append(name: string, actor: Actor): Promise<List> {
    const owned = [...this.lists.values()].filter(({ record }) => record.owner === actor.owner).length;
    if (owned >= MOST_LISTS_OF_ONE)
      throw new TendrilError(
        LIST_ERRORS.TOO_MANY_LISTS,
        `${actor.owner} has ${MOST_LISTS_OF_ONE} lists already`,
      );
    const entry = { list: randomUUID(), name, ...originOf(actor) };
    this.keep(await this.log.append({ timestamp: this.timestamp(), by: actor.by, ...entry }));
    return this.lists.get(entry.list) as List;
  }

  private async change(of: number, change: "deleted" | "completed" | "removed", by: string): Promise<void> {
    this.keep(await this.log.append({ timestamp: this.timestamp(), by, of, change }));
  }

  /** An item of a list that is gone is gone with it. */
  private keep({ id: row, record }: Stored<Row>): void {
    if ("item" in record) {
      const items = this.lists.get(record.in)?.items;
      if (record.gone) items?.delete(record.item);
      else items?.set(record.item, { row, record });
    } else if (record.gone) this.lists.delete(record.list);
    else this.lists.set(record.list, { row, record, items: this.lists.get(record.list)?.items ?? new Map() });
  }

  private timestamp(): string {
    return isoUtc(this.clock.now());
  }
}

const originOf = ({ owner, chat, tainted }: Origin): Origin => ({
  owner,
  ...(chat !== undefined && { chat }),
  ...(tainted && { tainted }),
});

/** Whether a list of `owner` stands in the way of a new one of `wanted`: it would be found first, or instead. */
const isFor = (owner: string, wanted: string): boolean => owner === wanted || owner === HOUSEHOLD;

/** Two names are one list's in any case, in any composition of accents, and with any blanks around them. */
const nameKey = (name: string): string => name.normalize("NFC").trim().toLowerCase();

export const lists = definePart("lists", (house) => Lists.open(house.journal(LIST_LOG), house.clock));
