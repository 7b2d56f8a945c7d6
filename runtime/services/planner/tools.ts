import { z } from "zod";
import { excerpt, invalidArgument } from "../../errors.js";
import type { Plants } from "../../plants.js";
import { isoTime } from "../../tools/iso-time.js";
import { shortText } from "../../tools/parameters.js";
import { sourcesIn, taintOf } from "../../tools/taint.js";
import { acts, type Call, changes, reads, toolFor, untrustedIf } from "../../tools/tool.js";
import { addedTask, readTimeResult, task, taskList } from "../../wire/agenda.js";
import { ifMissed } from "../../wire/lists.js";
import { household, whoInput } from "../household/household.js";
import { type PartsIn, partsTogether } from "../module.js";
import { outbox } from "../outbox/outbox.js";
import { dueOf, type Task } from "./task-log.js";
import { type FullTask, type Tasks, tasks } from "./tasks.js";
import { timeInWords } from "./times.js";

/** A choice: a title is a line. */
export const LONGEST_TITLE = 500;

export const taskService = partsTogether("task tool", { tasks, household, outbox });
export type TaskService = PartsIn<typeof taskService>;

/** Whether the owner wanted the task, and what whoever made it had read. */
export function madeIn(
  { household }: TaskService,
  call: Call,
  owner: string,
): Pick<FullTask, "asked" | "tainted"> {
  const asked = household.mayReadPrivate(call, owner);
  return { ...(asked && { asked }), ...taintOf(call) };
}

/** Without the keys that are undefined. */
export function defined<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

/** A choice: a task is a line, not a letter. */
const LONGEST_TASK = 500;
const tool = toolFor(taskService);

export const addTask = tool({
  name: "add_task",
  description:
    "When the task falls due, a care cycle begins, and its prompt shows the task. `check_plant:NAME` is a look at that plant. A task that is open already is not added twice: the sooner time counts.",
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

export const listTasks = tool({
  name: "list_tasks",
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

export const completeTask = tool({
  name: "complete_task",
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
  throw invalidArgument(`add_task: plant is ${given}, but the description names ${excerpt(named)}`);
}

/** Bytes of `taskPayload` as JSON. */
const LONGEST_PAYLOAD = 16_384;

/** Seed 003's scheduler. */
export const scheduleAgentTask = tool({
  name: "scheduleAgentTask",
  description:
    "Have the agent do something at a time in words (tomorrow at noon; every other day at 7am). At that time the agent is started with taskPayload.",
  facts: acts("Schedule a task for the agent"),
  role: "agent",
  input: z.strictObject({
    taskPayload: z
      .union([z.string().min(1), z.record(z.string(), z.unknown())])
      .refine((payload) => Buffer.byteLength(JSON.stringify(payload)) <= LONGEST_PAYLOAD, {
        error: `is longer than ${LONGEST_PAYLOAD} bytes as JSON`,
      })
      .describe("what to do: an object or a text"),
    timeExpression: shortText(200, "when, in words"),
    humanReadableDescription: shortText(LONGEST_TITLE, "what people see of it"),
    if_missed: ifMissed.default("run_late"),
    ...whoInput,
  }),
  output: z.object({
    message: z.string(),
    task_id: z.string(),
    at: z.string(),
    recurrence: z.string().nullable(),
    zone: z.string(),
    understood: z.string(),
    next: z.array(z.string()).describe("the first times"),
    if_missed: ifMissed,
  }),
  run: async (
    { taskPayload, timeExpression, humanReadableDescription, if_missed, user_id, chat_id },
    { service, call, clock },
  ) => {
    const owner = service.household.ownerOf(call, user_id);
    const context = { zone: service.household.zoneOf(owner), now: clock.now() };
    const { at, recurrence: rule, zone, understood, next } = timeInWords(timeExpression, context);
    const { record } = await service.tasks.create(
      {
        for: "agent",
        owner,
        description: humanReadableDescription,
        due: at,
        payload: taskPayload,
        zone,
        ...madeIn(service, call, owner),
        ...(if_missed === "skip" && { if_missed }),
        ...defined({ chat: chat_id ?? call.turn?.chat ?? undefined }),
        ...(rule !== null && { recurrence: rule }),
      },
      call.identity,
    );
    const skips = if_missed === "skip" ? "; a time that is missed is skipped" : "";
    const message = `Scheduled: ${humanReadableDescription}, ${understood}${skips}.`;
    const time = { at, recurrence: rule, zone, understood, next: [...next], if_missed };
    return { message, task_id: record.task_id, ...time };
  },
});

/** For a form: how the words of a task's time are understood, before anything is saved. */
export const readTime = tool({
  name: "read_time",
  description: "How the words of a time are understood, in the person's zone, and the first times.",
  facts: reads("Understand a time", { world: "closed" }),
  role: "human",
  input: z.strictObject({
    time: shortText(200, "in words: tomorrow at 9, every monday at 8am"),
    user_id: whoInput.user_id,
  }),
  output: readTimeResult,
  run: async ({ time, user_id }, { service, call, clock }) => {
    const zone = service.household.zoneOf(service.household.ownerOf(call, user_id));
    const { at, recurrence, zone: told, words, notes, next } = timeInWords(time, { zone, now: clock.now() });
    return { at, recurrence, zone: told, words, notes: [...notes], next: [...next] };
  },
});
