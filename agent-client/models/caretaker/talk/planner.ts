import type { HouseTime } from "../../../../runtime/wire/house-time.js";
import {
  type AllLists,
  allLists,
  type ListItems,
  listItems,
  type MadeTask,
  madeTask,
  type PersonTask,
  personTasks,
} from "../../../../runtime/wire/lists.js";
import { listText } from "../../../../runtime/wire/phrases.js";
import type { Arguments } from "../../../cycle/arguments.js";
import type { Call, Exchange } from "../facts.js";
import type { Steps, WishOf } from "./wish.js";

const taskTool = (operation: string, args: Arguments = {}): Call => ({
  name: "task_tool",
  arguments: { operation, ...args },
});
const listTool = (operation: string, args: Arguments = {}): Call => ({
  name: "list_tool",
  arguments: { operation, ...args },
});

/** Tries the ways to read the time until the runtime understands one: a refusal changes nothing. */
export function* remind({ tries, hasTime }: WishOf<"remind">, time: HouseTime): Steps {
  let refused: Exchange["error"];
  for (const { title, time: words } of tries) {
    if (words === undefined && (hasTime || isTelling(refused))) break;
    const { value, error } = yield newTask(title, words);
    if (!error) return reminded(title, madeTask.safeParse(value).data, time);
    if (!TIME_CODES.has(error.code)) return `I could not note "${title}": ${error.message}`;
    refused = tellingOf(refused, error);
  }
  return notUnderstood(refused);
}

const newTask = (title: string, time: string | undefined): Call =>
  taskTool("create_task", { title, ...(time !== undefined && { time }) });

/** A refusal says itself what would be understood. Its code is for programs. */
const notUnderstood = (error: Exchange["error"]): string =>
  `I did not understand when, and noted nothing: ${error?.message.replace(/ \([A-Z_]+\)$/, "") ?? "no time was said"}.`;

const TIME_CODES = new Set(["TIME_NOT_UNDERSTOOD", "TIME_PAST", "TIME_AMBIGUOUS"]);

/** The words were a time, though not one that can be taken. */
const isTelling = (error: Exchange["error"]): boolean =>
  error?.code === "TIME_PAST" || error?.code === "TIME_AMBIGUOUS" || error?.details?.is_unclear === true;

/** The first one, unless a later one is of words that were a time. */
const tellingOf = (first: Exchange["error"], next: Exchange["error"]): Exchange["error"] =>
  first && (isTelling(first) || !isTelling(next)) ? first : next;

function reminded(title: string, made: MadeTask | undefined, time: HouseTime): string {
  if (!made) return `I noted it: ${title}.`;
  if (made.due_at === null) return `I noted the task "${title}", without a time. Say when, and I remind you.`;
  const understood = made.understood === undefined ? "" : ` I understood: ${made.understood}.`;
  return `I will remind you: ${title}, next on ${time.minute(made.due_at)}.${understood}`;
}

function* listsOf(): Steps<AllLists["lists"]> {
  const { value } = yield listTool("get_lists");
  return allLists.safeParse(value).data?.lists ?? [];
}

/** The name as the house has it: "shopping" or "shopping list". */
function* nameOf(wanted: string): Steps<{ readonly name: string; readonly exists: boolean }> {
  const names = (yield* listsOf()).map(({ list_name }) => list_name);
  const like = (name: string) => name.toLowerCase().replace(/[\s-]+list$/, "");
  const found =
    names.find((name) => name.toLowerCase() === wanted.toLowerCase()) ??
    names.find((name) => like(name) === like(wanted));
  return { name: found ?? wanted, exists: found !== undefined };
}

export function* addItems({ items, list, mustExist }: WishOf<"add">): Steps {
  const { name, exists } = yield* nameOf(list);
  if (mustExist && !exists) return `There is no list "${list}". Say: add ${items[0]} to the ${list} list.`;
  const done: string[] = [];
  for (const item of items) {
    const { error } = yield listTool("add_item", { list_name: name, item_text: item });
    if (error) return [saidAdded(done, name), `I could not add "${item}": ${error.message}`].join(" ").trim();
    done.push(item);
  }
  return saidAdded(done, name);
}

const saidAdded = (items: readonly string[], list: string): string =>
  items.length === 0 ? "" : `${listText(items)} ${items.length > 1 ? "are" : "is"} on the list "${list}".`;

function* itemsOf(list: string): Steps<ListItems | string> {
  const { value, error } = yield listTool("list_items", { list_name: list });
  return listItems.safeParse(value).data ?? (error?.message || "the list cannot be read");
}

export function* showList({ list, item }: WishOf<"list">): Steps {
  const { name, exists } = yield* nameOf(list);
  if (!exists) return `There is no list "${list}".`;
  const found = yield* itemsOf(name);
  if (typeof found === "string") return found;
  const open = found.items.filter(({ completed }) => !completed).map(({ item_text }) => item_text);
  if (item !== undefined) {
    const isThere = open.some((text) => text.toLowerCase().includes(item.toLowerCase()));
    return `${isThere ? "Yes" : "No"}, "${item}" is ${isThere ? "" : "not "}on the list "${name}".`;
  }
  if (open.length === 0) return `The list "${name}" has nothing open.`;
  return [`On the list "${name}":`, ...open.map((text) => `- ${text}`)].join("\n");
}

export function* showLists(): Steps {
  const lists = yield* listsOf();
  if (lists.length === 0) return "There is no list yet.";
  return `Your lists: ${lists.map(({ list_name, open }) => `${list_name} (${open} open)`).join(", ")}.`;
}

function* openTasks(): Steps<readonly PersonTask[]> {
  const { value } = yield taskTool("list_tasks", { completed: false });
  return personTasks.safeParse(value).data?.tasks ?? [];
}

/** A choice: what is read in a chat. */
const MAX_SHOWN = 20;

export function* showTasks(time: HouseTime): Steps {
  const tasks = yield* openTasks();
  if (tasks.length === 0) return "No task is open.";
  const lines = tasks.map(
    ({ title, due_at }) => `- ${title}${due_at === null ? "" : `, due ${time.minute(due_at)}`}`,
  );
  const more = lines.length > MAX_SHOWN ? [`and ${lines.length - MAX_SHOWN} more: \`tendril tasks\``] : [];
  return ["Open tasks:", ...lines.slice(0, MAX_SHOWN), ...more].join("\n");
}

export function* cancelTask({ task }: WishOf<"cancel">): Steps {
  const found = named(yield* openTasks(), task, ({ title }) => title);
  const [only] = found;
  if (!only) return `No open task is like "${task}".`;
  if (found.length > 1) return several(task, found, ({ title }) => title);
  const { error } = yield taskTool("delete_task", { task_id: only.task_id });
  return error ? `I could not delete it: ${error.message}` : `Deleted: ${only.title}`;
}

/** An item of a list, or a task that is done. */
export function* removeOrComplete({ kind, item, list }: WishOf<"remove" | "complete">): Steps {
  const items = named(yield* itemsIn(list), item, ({ text }) => text);
  const tasks =
    kind === "complete" && list === undefined ? named(yield* openTasks(), item, ({ title }) => title) : [];
  const [only, ...others] = [
    ...items.map(({ id, text }) => ({ text, call: listTool(`${kind}_item`, { item_id: id }) })),
    ...tasks.map(({ task_id, title }) => ({ text: title, call: taskTool("complete_task", { task_id }) })),
  ];
  const where = list === undefined ? "" : ` on the list "${list}"`;
  if (!only) return `Nothing open${where} is like "${item}".`;
  if (others.length > 0) return several(item, [only, ...others], ({ text }) => text);
  const { error } = yield only.call;
  if (error) return `That failed: ${error.message}`;
  return kind === "remove" ? `Removed: ${only.text}` : `Done: ${only.text}`;
}

/** A choice: with more lists, the person names one. */
const MAX_LISTS = 5;

function* itemsIn(
  list: string | undefined,
): Steps<readonly { readonly id: string; readonly text: string }[]> {
  const names =
    list === undefined
      ? (yield* listsOf()).slice(0, MAX_LISTS).map(({ list_name }) => list_name)
      : [(yield* nameOf(list)).name];
  const all: { id: string; text: string }[] = [];
  for (const name of names) {
    const found = yield* itemsOf(name);
    if (typeof found === "string") continue;
    const open = found.items.filter(({ completed }) => !completed);
    all.push(...open.map(({ item_id, item_text }) => ({ id: item_id, text: item_text })));
  }
  return all;
}

/** Those that are called so; else those that contain the words. */
function named<T>(all: readonly T[], wanted: string, textOf: (one: T) => string): readonly T[] {
  const words = wanted.toLowerCase();
  const whole = all.filter((one) => textOf(one).toLowerCase() === words);
  return whole.length > 0 ? whole : all.filter((one) => textOf(one).toLowerCase().includes(words));
}

const several = <T>(wanted: string, found: readonly T[], textOf: (one: T) => string): string =>
  `Several are like "${wanted}": ${found.map(textOf).join("; ")}. Say which one.`;
