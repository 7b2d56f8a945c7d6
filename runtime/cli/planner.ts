import type { HouseTime } from "../wire/house-time.js";
import type {
  AllLists,
  AnsweredTask,
  CompletedTask,
  DeletedList,
  ListItem,
  ListItems,
  MadeTask,
  PersonTask,
  PersonTasks,
  ReopenedTask,
  UpdatedTask,
} from "../wire/lists.js";
import { shortId } from "../wire/notification-words.js";
import { counted, quoted } from "../wire/phrases.js";
import { wrongUse } from "./failure.js";
import { personId } from "./person.js";
import { inLine } from "./print.js";
import { houseTimeBy, Refused, type Remote } from "./remote.js";

/** Tasks and lists at a terminal. A task or an item is named by the beginning of its text, in any case, or of its id. */

const PRIORITIES = ["", "medium", "high", "urgent"];

interface TaskOptions {
  readonly at?: string;
  readonly priority?: number;
  readonly person?: string;
  readonly skipMissed?: boolean;
  readonly done?: boolean;
  readonly json?: boolean;
}

/** A choice: so many done tasks are a page that a person looks through. */
const MAX_DONE = 200;

export async function tasks(remote: Remote, { done = false, json = false }: TaskOptions): Promise<string> {
  const { tasks: listed, count } = await tasksOf(remote, done);
  const again = done ? (await tasksOf(remote, false)).tasks.filter(({ completed_at }) => completed_at) : [];
  const found = [...again, ...listed];
  if (json) return JSON.stringify(found, null, 2);
  if (found.length === 0) return done ? "no task was done yet" : "no task is open";
  const time = await houseTimeBy(remote);
  const more = count > listed.length ? [`${counted(count - listed.length, "more task")} done`] : [];
  return [...found.map((task) => taskLine(task, time)), ...more].join("\n");
}

function taskLine(
  { task_id, title, due_at, priority, recurrence, user_id, skipped_at, ...task }: PersonTask,
  time: HouseTime,
): string {
  const due = due_at === null ? "" : time.minute(due_at);
  const notes = [
    PRIORITIES[priority],
    recurrence === null ? "" : "recurring",
    task.completed || task.completed_at === null ? "" : `last done ${time.minute(task.completed_at)}`,
    task.for === "agent" ? "for the agent" : "",
    user_id === "household" ? "" : `of ${inLine(user_id)}`,
    skipped_at === null ? "" : `missed and skipped: ${time.minute(skipped_at)}`,
  ].filter((note) => note !== "");
  return `${shortId(task_id)}  ${due.padEnd(16)}  ${inLine(title)}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}`;
}

export async function addTask(remote: Remote, title: string, options: TaskOptions): Promise<string> {
  const { at, priority, skipMissed } = options;
  const person = await personId(remote, options.person);
  const made = await remote.call<MadeTask>("task_tool", {
    operation: "create_task",
    title,
    ...(at !== undefined && { time: at }),
    ...(priority !== undefined && { priority }),
    ...(person !== undefined && { user_id: person }),
    ...(skipMissed && { if_missed: "skip" }),
  });
  if (at === undefined) return `added: ${inLine(title)}, without a time${timeHint(made)}`;
  return `added: ${inLine(title)}${made.understood === undefined ? "" : `, ${made.understood}`}`;
}

/** The words at the end of a title are no time of the task, though people write them as one. */
function timeHint({ task_id, time_in_title: found }: MadeTask): string {
  if (!found) return "";
  const commands = found.meanings.map(
    ({ words }) =>
      `tendril task edit ${shortId(task_id)} --text ${quoted(inLine(found.title))} --at ${quoted(inLine(words))}`,
  );
  const how =
    commands.length > 0 ? [`. If "${inLine(found.time)}" is its time:`, ...commands].join("\n  ") : "";
  return `: nobody is reminded${how}`;
}

/** `what` happens to a task: it is done, its reminder comes again in an hour, or it is deleted. */
export async function changeTask(
  remote: Remote,
  what: "done" | "later" | "remove",
  name: string,
): Promise<string> {
  const { task_id, title, due_at } = await openTask(remote, name);
  if (what === "remove") {
    await remote.call("task_tool", { operation: "delete_task", task_id });
    return `deleted: ${inLine(title)}`;
  }
  if (what === "later") {
    if (due_at === null)
      throw wrongUse(
        `"${inLine(title)}" has no time, so nobody is reminded of it. Give it one: tendril task edit ${shortId(task_id)} --at "tomorrow at 9"`,
      );
    const { remind_at } = await remote.call<AnsweredTask>("answer_task", { task_id, answer: "later" });
    const time = await houseTimeBy(remote);
    return `the next reminder is at ${time.clock(remind_at ?? "")} ${time.zone}: ${inLine(title)}`;
  }
  const { next_due_at } = await remote.call<CompletedTask>("task_tool", {
    operation: "complete_task",
    task_id,
  });
  return `done: ${inLine(title)}${await dueWords(remote, "due again", next_due_at)}`;
}

/** Takes the done back of the task that was done last of those whose text begins so. */
export async function reopenTask(remote: Remote, name: string): Promise<string> {
  const all = [await tasksOf(remote, true), await tasksOf(remote, false)].flatMap(({ tasks: some }) => some);
  const done = all
    .filter((task) => task.completed_at !== null && isMeant(task.task_id, task.title, name))
    .toSorted((a, b) => Date.parse(b.completed_at ?? "") - Date.parse(a.completed_at ?? ""));
  const [last] = done;
  if (!last) throw wrongUse(`no task that was done begins with "${name}"`);
  const { task_id, title, completed } = last;
  const { due_at } = await remote.call<ReopenedTask>("task_tool", { operation: "reopen_task", task_id });
  const isAsBefore = !completed && due_at === last.due_at;
  return `open ${isAsBefore ? "already" : "again"}: ${inLine(title)}${await dueWords(remote, "due", due_at)}`;
}

export async function editTask(
  remote: Remote,
  name: string,
  { text, at, priority }: { readonly text?: string; readonly at?: string; readonly priority?: number },
): Promise<string> {
  const changes = {
    ...(text !== undefined && { title: text }),
    ...(at !== undefined && { time: at }),
    ...(priority !== undefined && { priority }),
  };
  if (Object.keys(changes).length === 0) throw wrongUse("say what to change: --text, --at or --priority");
  const { task_id, title } = await openTask(remote, name);
  const { understood } = await remote.call<UpdatedTask>("task_tool", {
    operation: "update_task",
    task_id,
    ...changes,
  });
  return `changed: ${inLine(text ?? title)}${understood === undefined ? "" : `, ${understood}`}`;
}

const openTask = async (remote: Remote, name: string): Promise<PersonTask> =>
  only((await tasksOf(remote, false)).tasks, name, {
    id: ({ task_id }) => task_id,
    text: ({ title }) => title,
    kind: "open task",
  });

async function dueWords(remote: Remote, what: string, at: string | null = null): Promise<string> {
  if (at === null) return "";
  const time = await houseTimeBy(remote);
  return `; ${what} at ${time.minute(at)} ${time.zone}`;
}

export async function lists(remote: Remote): Promise<string> {
  const { lists: found } = await remote.call<AllLists>("list_tool", { operation: "get_lists" });
  if (found.length === 0) return "there is no list";
  return found
    .map(
      ({ list_name, open, completed }) =>
        `${inLine(list_name)}: ${open} open${completed > 0 ? `, ${completed} done` : ""}`,
    )
    .join("\n");
}

/** What happens to an item, by the operation, and how that is said. */
const OF_ITEMS = {
  done: ["complete_item", "done"],
  reopen: ["reopen_item", "open again"],
  edit: ["update_item", "changed"],
  remove: ["remove_item", "removed"],
} as const;

type ListAction = "add" | "delete" | keyof typeof OF_ITEMS;

/** One list: its items, or what happens to one of them. `to`: the new text of an item that is edited. */
export async function list(
  remote: Remote,
  name: string,
  action?: ListAction,
  text = "",
  to?: string,
): Promise<string> {
  if (action === undefined) return listed(await itemsOf(remote, name));
  if (action === "delete") {
    const { list_name, items_deleted } = await remote.call<DeletedList>("list_tool", {
      operation: "delete_list",
      list_name: name,
    });
    return `deleted the list ${inLine(list_name)} with ${counted(items_deleted, "item")}`;
  }
  if (text === "") throw wrongUse(`say which item to ${action === "done" ? "complete" : action}`);
  if ((action === "edit") !== (to !== undefined)) throw wrongUse("edit takes the new text: --to TEXT");
  if (action === "add") {
    await remote.call("list_tool", { operation: "add_item", list_name: name, item_text: text });
    return `added to ${inLine(name)}: ${inLine(text)}`;
  }
  const items = await itemsOf(remote, name);
  const { item_id, item_text } = only(action === "reopen" ? items.filter(isDone) : items, text, {
    id: ({ item_id: id }) => id,
    text: ({ item_text: shown }) => shown,
    kind: `${action === "reopen" ? "done " : ""}item of ${name}`,
  });
  const [operation, said] = OF_ITEMS[action];
  await remote.call("list_tool", { operation, item_id, ...(to !== undefined && { item_text: to }) });
  return `${said}: ${inLine(to ?? item_text)}`;
}

const isDone = ({ completed }: ListItem): boolean => completed;

const listed = (items: readonly ListItem[]): string =>
  items.length === 0
    ? "the list is empty"
    : items.map(({ item_text, completed }) => `[${completed ? "x" : " "}] ${inLine(item_text)}`).join("\n");

const tasksOf = (remote: Remote, completed: boolean) =>
  remote.call<PersonTasks>("task_tool", {
    operation: "list_tasks",
    completed,
    ...(completed && { limit: MAX_DONE, order: "newest_done_first" }),
  });

async function itemsOf(remote: Remote, name: string): Promise<readonly ListItem[]> {
  const asked = remote.call<ListItems>("list_tool", { operation: "list_items", list_name: name });
  const { items } = await asked.catch(async (error: unknown) => {
    if (!(error instanceof Refused) || error.code !== "NOT_FOUND") throw error;
    const { lists: all } = await remote.call<AllLists>("list_tool", { operation: "get_lists" });
    throw wrongUse(
      all.length === 0
        ? `there is no list yet: "tendril list ${quoted(inLine(name))} add ITEM" makes this one`
        : `there is no list "${inLine(name)}". The lists are: ${all.map(({ list_name }) => inLine(list_name)).join(", ")}`,
    );
  });
  return items;
}

/** Whether a person's words are the beginning of its text, in any case, or of its id. */
function isMeant(id: string, text: string, name: string): boolean {
  const wanted = name.trim().toLowerCase();
  return text.toLowerCase().startsWith(wanted) || id.startsWith(wanted);
}

/** The one that a person means. Throws a CommandError where none or several fit. */
function only<T>(
  all: readonly T[],
  name: string,
  { id, text, kind }: { id(one: T): string; text(one: T): string; kind: string },
): T {
  const wanted = name.trim().toLowerCase();
  const begun = all.filter((one) => isMeant(id(one), text(one), name));
  const whole = begun.filter((one) => text(one).toLowerCase() === wanted || id(one) === wanted);
  const found = whole.length > 0 ? whole : begun;
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first;
  const said = `${found.length === 0 ? "no" : "more than one"} ${kind} begins with "${name}"`;
  const candidates = found.map((one) => `${shortId(id(one))} ${inLine(text(one))}`);
  throw wrongUse([said, ...candidates].join("\n  "));
}
