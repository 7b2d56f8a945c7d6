import { z } from "zod";
import { invalidArgument } from "../../errors.js";
import { defineOperations } from "../../tools/operations.js";
import { shortText } from "../../tools/parameters.js";
import { sourcesIn, taintOf } from "../../tools/taint.js";
import {
  acts,
  changes,
  reads,
  removes,
  sets,
  type ToolContext,
  toolFor,
  untrustedIf,
} from "../../tools/tool.js";
import { allLists, deletedList, type ListItem, listItems, madeList } from "../../wire/lists.js";
import { household, type Who, whoInput } from "../household/household.js";
import { type PartsIn, partsTogether } from "../module.js";
import { type Actor, type Item, type List, type ListName, LONGEST_NAME, lists } from "./lists.js";

/** A choice: an item is a line. */
const LONGEST_ITEM = 500;

const listName = shortText(LONGEST_NAME, "name of the list, in any case");
const listId = z.string().min(1).max(64).describe("instead of the name");
const itemText = shortText(LONGEST_ITEM, "the item");
const itemId = z.string().min(1).max(64).describe("`item_id` of list_items");
const whichList = { list_name: listName.optional(), list_id: listId.optional(), ...whoInput };

export const listService = partsTogether("list tool", { lists, household });
type Service = PartsIn<typeof listService>;

const tool = toolFor(listService);

const itemNamed = { item_id: z.string(), item_text: z.string() };
/** What a tool says of an item that was there. */
const told = <T extends object>(record: Item["record"], more: T) =>
  untrustedIf(sourcesIn([record]), { item_id: record.item, item_text: record.text, ...more });

const createList = tool({
  name: "create_list",
  description: "Make an empty list.",
  facts: acts("Make a list"),
  role: "agent",
  input: z.strictObject({ list_name: listName, ...whoInput }),
  output: madeList,
  run: async ({ list_name, ...who }, context) => {
    const { record } = await context.service.lists.create(list_name, actorOf(context, who));
    return { list_id: record.list, list_name: record.name, created_at: record.timestamp };
  },
});

const deleteList = tool({
  name: "delete_list",
  description: "Delete a list with all its items.",
  facts: removes("Delete a list"),
  role: "agent",
  input: z.strictObject(whichList),
  output: deletedList,
  run: async ({ list_name, list_id, ...who }, context) => {
    const which = named("delete_list", { name: list_name, id: list_id });
    const { record, items } = await context.service.lists.delete(which, actorOf(context, who));
    return untrustedIf(sourcesIn([record]), {
      list_id: record.list,
      list_name: record.name,
      deleted: true as const,
      items_deleted: items.size,
    });
  },
});

const addItem = tool({
  name: "add_item",
  description: "Add an item at the end. A list that is only named is made where there is none.",
  facts: acts("Add to a list"),
  role: "agent",
  input: z.strictObject({ ...whichList, item_text: itemText }),
  output: z.object({
    ...itemNamed,
    list_id: z.string(),
    position: z.int().describe("from 1"),
    created: z.literal(true).optional().describe("the list was made for it"),
  }),
  run: async ({ list_name, list_id, item_text, ...who }, context) => {
    const which = named("add_item", { name: list_name, id: list_id });
    const { list, item, position, created } = await context.service.lists.add(
      item_text,
      which,
      actorOf(context, who),
    );
    const { item: item_id, text } = item.record;
    return { item_id, item_text: text, list_id: list.record.list, position, ...(created && { created }) };
  },
});

const removeItem = tool({
  name: "remove_item",
  description: "Take an item off its list.",
  facts: removes("Remove from a list"),
  role: "agent",
  input: z.strictObject({ item_id: itemId, ...whoInput }),
  output: z.object({ ...itemNamed, removed: z.literal(true) }),
  run: async ({ item_id, ...who }, context) => {
    const { record } = await context.service.lists.remove(item_id, actorOf(context, who));
    return told(record, { removed: true as const });
  },
});

const completeItem = tool({
  name: "complete_item",
  description: "Mark an item as done; it stays on the list.",
  facts: sets("Complete an item"),
  role: "agent",
  input: z.strictObject({ item_id: itemId, ...whoInput }),
  output: z.object({ ...itemNamed, completed: z.literal(true), completed_at: z.string().nullable() }),
  run: async ({ item_id, ...who }, context) => {
    const { record } = await context.service.lists.complete(item_id, actorOf(context, who));
    return told(record, { completed: true as const, completed_at: record.completed_at });
  },
});

const reopenItem = tool({
  name: "reopen_item",
  description: "Open a done item again.",
  facts: sets("Reopen an item"),
  role: "agent",
  input: z.strictObject({ item_id: itemId, ...whoInput }),
  output: z.object({ ...itemNamed, completed: z.literal(false) }),
  run: async ({ item_id, ...who }, context) => {
    const { record } = await context.service.lists.reopen(item_id, actorOf(context, who));
    return told(record, { completed: false as const });
  },
});

const updateItem = tool({
  name: "update_item",
  description: "Change an item's text.",
  facts: changes("Change an item", { destroys: true, repeatable: true, speaks: false, world: "closed" }),
  role: "agent",
  input: z.strictObject({ item_id: itemId, item_text: itemText, ...whoInput }),
  output: z.object({ ...itemNamed, updated_at: z.string() }),
  run: async ({ item_id, item_text, ...who }, context) => {
    const { record } = await context.service.lists.rename(item_id, item_text, actorOf(context, who));
    return {
      item_id: record.item,
      item_text: record.text,
      updated_at: record.updated_at ?? record.timestamp,
    };
  },
});

const listItemsOf = tool({
  name: "list_items",
  description: "The items of a list, in the order in which they were added.",
  facts: reads("Items of a list", { world: "closed" }),
  role: "observer",
  input: z.strictObject(whichList),
  output: listItems,
  run: ({ list_name, list_id, ...who }, { service, call }) => {
    const which = named("list_items", { name: list_name, id: list_id });
    const { record, items } = service.lists.find(which, service.household.viewOf(call, who.user_id));
    const all = [...items.values()];
    return untrustedIf(sourcesIn([record, ...all.map((each) => each.record)]), {
      list_id: record.list,
      list_name: record.name,
      items: all.map(shownItem),
      count: all.length,
    });
  },
});

const getLists = tool({
  name: "get_lists",
  description: "All lists, the oldest first.",
  facts: reads("Lists", { world: "closed" }),
  role: "observer",
  input: z.strictObject(whoInput),
  output: allLists,
  run: ({ user_id, chat_id }, { service, call }) => {
    const found = service.lists.all(service.household.viewOf(call, user_id), chat_id);
    const sources = sourcesIn(found.map(({ record }) => record));
    return untrustedIf(sources, { lists: found.map(shownList), count: found.length });
  },
});

/** Seed 004's ListTool. */
export const listTool = defineOperations({
  name: "list_tool",
  title: "Lists",
  description:
    "Lists of a person or of the household: shopping, packing, ideas. Name a list by list_name or list_id. Without user_id a new list is the household's.",
  service: listService,
  operations: [
    createList,
    deleteList,
    addItem,
    updateItem,
    removeItem,
    completeItem,
    reopenItem,
    listItemsOf,
    getLists,
  ],
});

function actorOf({ service, call }: ToolContext<Service>, { user_id, chat_id }: Who): Actor {
  const owner = service.household.ownerOf(call, user_id);
  const view = service.household.viewOf(call, user_id);
  const chat = chat_id === undefined ? {} : { chat: chat_id };
  return { by: call.identity.name, owner, view, ...chat, ...taintOf(call) };
}

function named(operation: string, { name, id }: ListName): ListName {
  if (name !== undefined || id !== undefined) return { name, id };
  throw invalidArgument(`list_tool ${operation}: list_name or list_id is missing`);
}

const shownItem = ({ record }: Item, index: number): ListItem => ({
  item_id: record.item,
  item_text: record.text,
  completed: record.completed_at !== null,
  completed_at: record.completed_at,
  position: index + 1,
  created_at: record.timestamp,
  user_id: record.owner,
});

function shownList({ record, items }: List) {
  const completed = [...items.values()].filter((each) => each.record.completed_at !== null).length;
  return {
    list_id: record.list,
    list_name: record.name,
    created_at: record.timestamp,
    open: items.size - completed,
    completed,
  };
}
