import { z } from "zod";
import { excerpt, TendrilError } from "../../errors.js";
import type { Plants } from "../../plants.js";
import { isoTime } from "../../tools/iso-time.js";
import { shortText } from "../../tools/parameters.js";
import { sourcesIn, taintOf } from "../../tools/taint.js";
import { changes, defineTool, reads, untrustedIf } from "../../tools/tool.js";
import { addedTask, task, taskList } from "../../wire/agenda.js";
import { dueOf, type Task } from "./task-log.js";
import { ifMissed, taskService } from "./task-service.js";
import type { Tasks } from "./tasks.js";

/** A choice: a task is a line, not a letter. */
const LONGEST_TASK = 500;
export const addTask = defineTool({
  name: "add_task",
  service: taskService,
  description:
    "Have yourself reminded: when the task falls due, a care cycle begins and its prompt shows the task. `check_plant:NAME` is a look at that plant. A task that is open already is not added twice: the sooner time counts.",
  facts: changes("Add a task", { destroys: false, repeatable: true, speaks: true, world: "closed" }),
  role: "agent",
  perPlant: "or all",
  input: z.strictObject({
    description: shortText(LONGEST_TASK, "what is to be done"),
    due: isoTime("when"),
    if_missed: ifMissed.default("run_late"),
  }),
  output: addedTask,
  run: async ({ description, due, if_missed }, { service, plants, isoNow, call, named }) => {
    const about = aboutPlant(description, named, plants);
    const added = await service.tasks.add({ ...about, due, if_missed, ...taintOf(call) }, call.identity.name);
    const timestamp = isoNow();
    const shown = shownTask(service.tasks, added.task);
    const note = `this task was open already; it is due at the sooner time, ${shown.due}`;
    const result = { timestamp, task: shown, known: added.known, ...(added.known && { note }) };
    return untrustedIf(added.task.record.tainted, result);
  },
});

export const listTasks = defineTool({
  name: "list_tasks",
  service: taskService,
  description:
    "Open tasks: those that are due first, then by their time. `done: true` lists those that were done, the newest first.",
  facts: reads("List tasks", { world: "closed" }),
  role: "observer",
  input: z.strictObject({
    done: z.boolean().default(false),
    limit: z.int().min(1).max(50).default(20),
    offset: z.int().min(0).max(1_000_000_000).default(0),
  }),
  output: taskList,
  run: async ({ done, limit, offset }, { service: { tasks, household }, call }) => {
    const view = household.viewOf(call, undefined);
    const wanted = { for: "agent", sees: view.sees } as const;
    const open = done ? [] : tasks.all(view);
    const { count, tasks: page } = done
      ? await tasks.done.page(wanted, "newest first", { limit, offset })
      : { count: open.length, tasks: open.slice(offset, offset + limit) };
    return untrustedIf(sourcesIn(page.map(({ record }) => record)), {
      count,
      tasks: page.map((each) => shownTask(tasks, each)),
    });
  },
});

export const completeTask = defineTool({
  name: "complete_task",
  service: taskService,
  description: "Note that a task is done: it does not call again. Done already is no error.",
  facts: changes("Complete a task", { destroys: false, repeatable: true, speaks: true, world: "closed" }),
  inCare: true,
  role: "agent",
  input: z.strictObject({ id: z.int().min(1).describe("`id` of list_tasks") }),
  output: z.object({ timestamp: z.string(), task, was_done: z.boolean() }),
  run: async ({ id }, { service: { tasks, household }, isoNow, call }) => {
    const actor = { by: call.identity.name, view: household.viewOf(call, undefined) };
    const { task: done, before } = await tasks.complete(id, actor);
    return untrustedIf(done.record.tainted, {
      timestamp: isoNow(),
      task: shownTask(tasks, done),
      was_done: before,
    });
  },
});

function shownTask(tasks: Tasks, each: Task) {
  const { timestamp, description, plant, by, lapsed, if_missed = "run_late" } = each.record;
  const done_at = lapsed ? null : each.record.done_at;
  const due = dueOf(each);
  const times = { due, done_at, is_due: tasks.isDue(each), added: timestamp, if_missed };
  return { id: each.id, description, plant, by, ...times };
}

/** "check_plant:NAME": the task is for that plant. */
const CHECK = /^check_plant\s*:\s*(.*)$/is;

/** What a task is about, once its plant is known. */
interface AboutPlant {
  readonly description: string;
  /** Undefined: all plants. */
  readonly plant: string | undefined;
}

/**
 * The plant of a task: the one it was given, or the one its "check_plant:NAME" names, by id or name in any case.
 * Throws UNKNOWN_PLANT, and INVALID_ARGUMENT where the two are not the same.
 */
function aboutPlant(description: string, given: string | undefined, plants: Plants): AboutPlant {
  const named = CHECK.exec(description)?.[1];
  if (named === undefined) return { description, plant: given };
  const plant = plants.resolve(named);
  if (given === undefined || given === plant) return { description: `check_plant:${plant}`, plant };
  const what = `add_task: plant is ${given}, but the description names ${excerpt(named)}`;
  throw new TendrilError("INVALID_ARGUMENT", what);
}
