import { invalidArgument } from "../../errors.js";
import { bothTainted, sourcesIn } from "../../tools/taint.js";
import { HOUSEHOLD } from "../household/household.js";
import { defineModule, idsIn, knowledgeOf } from "../module.js";
import type { RecordKeeper, SharedActor, SharedFields, SharedRecord } from "../shared-records.js";
import { LIST_LOG, ownerOnList, personalRows } from "./list-log.js";
import { assertListName, LIST_ERRORS, type Lists, lists, type PlacedItem } from "./lists.js";
import { listService, listTool } from "./tool.js";

/** Lists of a person or of the household: shopping, packing, what to do before the holidays. */
export const listsModule = defineModule({
  name: "lists",
  canBeOff: true,
  toolset: "planner",
  journals: [{ definition: LIST_LOG }],
  errors: LIST_ERRORS,
  parts: [lists, listService],
  knowledge: [
    knowledgeOf({
      type: "list",
      log: LIST_LOG,
      isFinal: false,
      changesOthers: (row) => "list" in row,
      text: (row, house) => {
        if (row.gone || !("item" in row)) return undefined;
        const list = house.get(lists).recordOf(row.in);
        if (list === undefined) return undefined;
        const metadata = { item_id: row.item, list_id: row.in, completed: row.completed_at !== null };
        const owner = ownerOnList(list.owner, row.owner);
        const text = { title: list.name, text: row.text, owner, at: Date.parse(row.timestamp), metadata };
        return { ...text, tainted: sourcesIn([list]) };
      },
    }),
  ],
  tools: [listTool],
  keeps: { sections: ["LIST"], keeper: (house) => new ItemKeeper(house.get(lists)) },
  person: {
    find: (house) => personalRows(house.journal(LIST_LOG)),
    drop: (house, records) => house.get(lists).drop(idsIn(LIST_LOG, records)),
  },
});

/** Items of lists that are memories too: section LIST. */
class ItemKeeper implements RecordKeeper {
  readonly log = LIST_LOG.name;
  readonly fields = ["title", "completed_at", "list_name"] as const;

  constructor(private readonly lists: Lists) {}

  async assertNew(key: string, { list_name: name }: SharedFields, actor: SharedActor): Promise<void> {
    if (name === undefined || name === null) throw invalidArgument("section LIST needs list_name");
    assertListName(name);
    this.lists.assertMayAdd(key, { name }, onOwnLists(actor));
  }

  async create(
    key: string,
    { title, list_name, completed_at }: SharedFields,
    actor: SharedActor,
  ): Promise<SharedRecord> {
    const { item } = await this.lists.add(title, { name: list_name ?? "" }, onOwnLists(actor), key);
    if (completed_at !== null) await this.lists.complete(key, actor, completed_at);
    return (await this.get(item.row)) as SharedRecord;
  }

  async get(id: number): Promise<SharedRecord | undefined> {
    const placed = await this.lists.placed(id);
    return placed && sharedOf(placed);
  }

  async find(key: string): Promise<SharedRecord | undefined> {
    const row = this.lists.rowOf(key);
    return row === undefined ? undefined : this.get(row);
  }

  assertChange({ key, fields }: SharedRecord, { list_name, completed_at }: Partial<SharedFields>): void {
    const wrong = (what: string) => invalidArgument(`item ${key} ${what}`);
    if (list_name !== undefined) throw wrong("cannot be moved to another list: delete it and save a new one");
    if (completed_at !== undefined && fields.completed_at !== null)
      throw wrong(`is done since ${fields.completed_at}: list_tool reopen_item takes that back`);
  }

  async change(
    { key, id }: SharedRecord,
    { title, completed_at }: Partial<SharedFields>,
    actor: SharedActor,
  ): Promise<SharedRecord> {
    if (title !== undefined) await this.lists.rename(key, title, actor);
    if (completed_at) await this.lists.complete(key, actor, completed_at);
    return (await this.get(id)) as SharedRecord;
  }

  async delete({ key, isDeleted }: SharedRecord, actor: SharedActor): Promise<void> {
    if (!isDeleted) await this.lists.remove(key, actor);
  }

  drop(id: number): Promise<void> {
    return this.lists.drop([id]);
  }

  watch(listener: (record: SharedRecord) => void): void {
    this.lists.watchEach((placed) => listener(sharedOf(placed)));
  }
}

/** A memory is its owner's, and so is the list that it names: never that of a person who alone may see it. */
const onOwnLists = (actor: SharedActor): SharedActor => ({
  ...actor,
  view: { first: actor.owner, sees: (owner) => owner === actor.owner || owner === HOUSEHOLD },
});

const sharedOf = ({ row, record, list }: PlacedItem): SharedRecord => ({
  key: record.item,
  id: row,
  fields: { title: record.text, completed_at: record.completed_at, list_name: list?.name ?? null },
  isDeleted: list === undefined,
  updated_at: record.updated_at ?? null,
  ...bothTainted(record, list ?? {}),
});
