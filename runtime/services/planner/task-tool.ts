import { z } from "zod";
import { hours } from "../../../drivers/units.js";
import { excerpt, invalidArgument, notFound } from "../../errors.js";
import { assertFits, fitting, jsonBytes, MAX_ANSWER_BYTES, MAX_ANSWER_ROWS } from "../../store/records.js";
import { defineOperations } from "../../tools/operations.js";
import { shortText } from "../../tools/parameters.js";
import { sourcesIn, taintOf } from "../../tools/taint.js";
import {
  acts,
  type Call,
  changes,
  reads,
  removes,
  sets,
  type ToolContext,
  toolFor,
  untrustedIf,
} from "../../tools/tool.js";
import {
  answeredTask,
  completedTask,
  ifMissed,
  madeTask,
  type PersonTask,
  personTasks,
  reopenedTask,
  updatedTask,
} from "../../wire/lists.js";
import { HOUSEHOLD, type Who, whoInput } from "../household/household.js";
import { completedAt, LONGEST_DESCRIPTION, type Task, type TaskChanges } from "./task-log.js";
import type { TaskActor } from "./tasks.js";
import { timeInTitle, timesOf } from "./times.js";
import { defined, LONGEST_TITLE, madeIn, type TaskService, taskService } from "./tools.js";

/** A month: nobody is reminded earlier. Minutes. */
const LONGEST_BEFORE = 31 * 24 * 60;
/** How long "later" is, without a word about it. A choice. */
const LATER = hours(1);

const description = shortText(LONGEST_DESCRIPTION, "details");
const dueAt = z.string().min(1).max(64).describe("ISO 8601; without an offset in the person's zone");
const time = shortText(200, "instead of due_at, in words: tomorrow at 9, every monday at 8am");
const priority = z.int().min(0).max(3).describe("0 low, 1 medium, 2 high, 3 urgent");
const recurrence = z.string().min(1).max(200).describe("an RRULE of RFC 5545, such as FREQ=WEEKLY;BYDAY=MO");
const before = z.int().min(0).max(LONGEST_BEFORE).describe("minutes before due_at to remind");
const taskId = z.string().min(1).max(64).describe("`task_id` of list_tasks");

const when = { time: time.optional() };

const tool = toolFor(taskService);

const createTask = tool({
  name: "create_task",
  description: "Make a task for a person, who is reminded when it falls due.",
  facts: acts("Make a task"),
  role: "agent",
  input: z.strictObject({
    title: shortText(LONGEST_TITLE, "what is to be done"),
    description: description.optional(),
    due_at: dueAt.optional(),
    ...when,
    priority: priority.default(0),
    recurrence: recurrence.optional(),
    remind_before: before.optional(),
    if_missed: ifMissed.default("run_late"),
    ...whoInput,
  }),
  output: madeTask,
  run: async (
    { title, description: details, priority: level, if_missed, user_id, chat_id, ...given },
    context,
  ) => {
    const { service, call } = context;
    const owner = service.household.ownerOf(call, user_id);
    const [zone, now] = [service.household.zoneOf(owner), context.clock.now()];
    const { understood, ...timed } = timesOf("create_task", given, { zone, now });
    const task = await service.tasks.create(
      {
        for: "person",
        owner,
        description: title,
        priority: level,
        ...madeIn(service, call, owner),
        ...(if_missed === "skip" && { if_missed }),
        ...defined({ chat: chat_id, details, remind_before: given.remind_before, zone: timed.zone }),
        ...(timed.due && { due: timed.due }),
        ...(timed.recurrence && { recurrence: timed.recurrence }),
      },
      call.identity,
    );
    const { task_id, due, timestamp } = task.record;
    return {
      task_id,
      title,
      description: details ?? null,
      due_at: due,
      priority: level,
      created_at: timestamp,
      recurrence: task.record.recurrence,
      remind_before: task.record.remind_before,
      if_missed,
      zone: zoneOf(service, task.record),
      ...(understood !== undefined && { understood }),
      ...(due === null && { time_in_title: timeInTitle(title, { zone, now }) }),
    };
  },
});

const completeTask = tool({
  name: "complete_task",
  description: "A task is done. A recurring one gets its next time.",
  facts: sets("Complete a task"),
  role: "agent",
  input: z.strictObject({ task_id: taskId, ...whoInput }),
  output: completedTask,
  run: async ({ task_id, ...who }, context) => {
    const { record } = await context.service.tasks.completeById(task_id, actorOf(context, who));
    const isOver = record.done_at !== null;
    return untrustedIf(record.tainted, {
      task_id,
      title: record.description,
      completed_at: completedAt(record),
      ...(!isOver && record.due !== null && { next_due_at: record.due }),
      ...(record.lapsed && { skipped_at: record.skipped }),
    });
  },
});

const reopenTask = tool({
  name: "reopen_task",
  description: "Open a done task again.",
  facts: sets("Reopen a task"),
  role: "agent",
  input: z.strictObject({ task_id: taskId, ...whoInput }),
  output: reopenedTask,
  run: async ({ task_id, ...who }, context) => {
    const { record } = await context.service.tasks.reopen(task_id, actorOf(context, who));
    return untrustedIf(record.tainted, { task_id, title: record.description, due_at: record.due });
  },
});

const listTasks = tool({
  name: "list_tasks",
  description: "Tasks: open ones first, urgent first, then by due_at.",
  facts: reads("List tasks", { world: "closed" }),
  role: "observer",
  input: z.strictObject({
    completed: z.boolean().optional().describe("only those that are, or are not"),
    order: z
      .enum(["urgent_first", "newest_done_first"])
      .default("urgent_first")
      .describe("of completed ones"),
    limit: z
      .int()
      .min(1)
      .max(MAX_ANSWER_ROWS)
      .optional()
      .describe("of a page; without it as many as fit into one answer"),
    offset: z.int().min(0).max(1_000_000_000).default(0),
    ...whoInput,
  }),
  output: personTasks,
  run: async ({ completed, order, limit, offset, user_id, chat_id }, { service, call }) => {
    const view = service.household.viewOf(call, user_id);
    const wanted = { sees: view.sees, ...defined({ chat: chat_id }) };
    const isShown = ({ owner, chat }: Task["record"]) =>
      view.sees(owner) && (chat_id === undefined || chat === chat_id);
    const openOnes = () => (completed === true ? [] : service.tasks.listed(isShown).toSorted(byUrgency));
    const most = limit ?? MAX_ANSWER_ROWS;
    const read = async () => {
      const open = openOnes();
      const openPage = open.slice(offset, offset + most);
      const rest = { limit: most - openPage.length, offset: Math.max(0, offset - open.length) };
      const done =
        completed === false ? NONE : await service.tasks.done.page(wanted, DONE_ORDER[order], rest);
      return { open, done, page: [...openPage, ...done.tasks] };
    };
    let { open, done, page } = await read();
    // a task that was done meanwhile would be on both sides
    while (!haveSameIds(open, openOnes())) ({ open, done, page } = await read());
    const count = open.length + done.count;
    const all = page.map((task) => shown(service, task));
    const sizes = all.map(jsonBytes);
    if (limit !== undefined) {
      // who pages on by its own limit must not miss what does not fit
      const missing = Math.max(0, Math.min(limit, count - offset) - all.length);
      assertFits([...sizes, ...Array(missing).fill(MAX_ANSWER_BYTES)], (fits) => ({
        words: `ask page by page with limit: ${fits} and offset`,
      }));
    }
    const tasks = all.slice(0, fitting(sizes));
    const next = offset + tasks.length;
    return untrustedIf(sourcesIn(page.map(({ record }) => record)), {
      tasks,
      count,
      ...(next < count && tasks.length > 0 && { next_offset: next }),
    });
  },
});

const DONE_ORDER = { urgent_first: "as open ones", newest_done_first: "newest first" } as const;

const NONE = { count: 0, tasks: [] };

const haveSameIds = (some: readonly Task[], others: readonly Task[]): boolean =>
  some.length === others.length && some.every(({ id }, at) => id === others[at]?.id);

const updateTask = tool({
  name: "update_task",
  description: "Change a task; null clears.",
  facts: changes("Change a task", { destroys: true, repeatable: true, speaks: false, world: "closed" }),
  role: "agent",
  input: z.strictObject({
    task_id: taskId,
    title: shortText(LONGEST_TITLE, "what is to be done").optional(),
    description: description.nullable().optional(),
    due_at: dueAt.nullable().optional(),
    ...when,
    priority: priority.optional(),
    recurrence: recurrence.nullable().optional(),
    remind_before: before.nullable().optional(),
    if_missed: ifMissed.optional(),
    ...whoInput,
  }),
  output: updatedTask,
  run: async (
    { task_id, title, description: details, priority: level, user_id, chat_id, ...given },
    context,
  ) => {
    const { service, call } = context;
    const actor = actorOf(context, { user_id, chat_id });
    const { record: before } = await service.tasks.find(task_id, actor.view);
    const { understood, ...timed } = timesOf("update_task", given, {
      zone: service.household.zoneOf(before.owner),
      now: context.clock.now(),
      before,
    });
    const set: TaskChanges = defined({
      description: title,
      details,
      priority: level,
      remind_before: given.remind_before,
      if_missed: given.if_missed,
      ...timed,
    });
    if (Object.keys(set).length === 0)
      throw invalidArgument("task_tool update_task: there is nothing to change");
    const by = { ...actor, ...taintOf(call), ...ownersNoMore(service, call, { before, set }) };
    const { record } = await service.tasks.update(task_id, set, by);
    const isTimed = set.due !== undefined || set.recurrence !== undefined;
    return {
      task_id,
      ...(title !== undefined && { title: record.description }),
      ...(details !== undefined && { description: record.details }),
      ...(set.due !== undefined && { due_at: record.due }),
      ...(level !== undefined && { priority: record.priority }),
      ...(set.recurrence !== undefined && { recurrence: record.recurrence }),
      ...(given.remind_before !== undefined && { remind_before: record.remind_before }),
      ...(given.if_missed !== undefined && { if_missed: given.if_missed }),
      ...(isTimed && record.due !== null && { zone: zoneOf(service, record) }),
      ...(understood !== undefined && { understood }),
      updated_at: record.updated_at,
    };
  },
});

/** A task that its owner has asked for, and that gets other words from somebody who has not the owner's rights. */
function ownersNoMore(
  { household }: TaskService,
  call: Call,
  { before, set }: { readonly before: Task["record"]; readonly set: TaskChanges },
): { readonly unasked?: true } {
  const { asked, owner } = before;
  const isReworded = set.description !== undefined || set.details !== undefined;
  const isOwners = owner === HOUSEHOLD || household.mayReadPrivate(call, owner);
  return asked && isReworded && !isOwners ? { unasked: true } : {};
}

const deleteTask = tool({
  name: "delete_task",
  description: "Delete a task; it is shown no more.",
  facts: removes("Delete a task"),
  role: "agent",
  input: z.strictObject({ task_id: taskId, ...whoInput }),
  output: z.object({ task_id: z.string(), title: z.string(), deleted: z.literal(true) }),
  run: async ({ task_id, ...who }, context) => {
    const { record } = await context.service.tasks.delete(task_id, actorOf(context, who));
    return untrustedIf(record.tainted, { task_id, title: record.description, deleted: true as const });
  },
});

/** Seed 004's TaskTool. */
export const taskTool = defineOperations({
  name: "task_tool",
  title: "Tasks of people",
  description:
    "Tasks for people, who are reminded when they fall due. The agent's own tasks: add_task, scheduleAgentTask.",
  service: taskService,
  operations: [createTask, completeTask, reopenTask, listTasks, updateTask, deleteTask],
});

/** A person's answer to a reminder. */
export const answerTask = tool({
  name: "answer_task",
  description: "A person's answer to a reminder: the task is done, or the reminder comes again in an hour.",
  facts: sets("Answer a reminder"),
  role: "human",
  scopes: ["bridge"],
  input: z.strictObject({ task_id: taskId, answer: z.enum(["done", "later"]) }),
  output: answeredTask,
  run: async ({ task_id, answer }, { service, call, clock }) => {
    const actor = { by: call.identity.name, view: service.household.viewOf(call, undefined) };
    const { record: before } = await service.tasks.find(task_id, actor.view);
    if (before.for !== "person") throw notFound(`there is no reminder of ${excerpt(task_id)}`);
    const news = { kind: "task_due", key: task_id } as const;
    await service.outbox.assertMayAnswer(call.identity, news, `the reminder of ${excerpt(task_id)}`);
    const { record } =
      answer === "done" || before.done_at !== null
        ? await service.tasks.completeById(task_id, actor)
        : await service.tasks.remindLater(task_id, clock.now() + LATER, actor);
    return {
      task_id,
      title: record.description,
      completed_at: completedAt(record),
      remind_at: record.later,
    };
  },
});

const actorOf = ({ service, call }: ToolContext<TaskService>, { user_id }: Who): TaskActor => ({
  by: call.identity.name,
  view: service.household.viewOf(call, user_id),
});

/** Urgent first, then by time with those without one last, then in the order of adding. */
function byUrgency(a: Task, b: Task): number {
  return b.record.priority - a.record.priority || timeOf(a) - timeOf(b) || a.id - b.id;
}

const timeOf = ({ record }: Task): number =>
  record.due === null ? Number.MAX_VALUE : Date.parse(record.due);

/** Of its recurrence, else of the person whose it is. */
const zoneOf = ({ household }: TaskService, { zone, owner }: Task["record"]): string =>
  zone ?? household.zoneOf(owner);

const nextOf = ({ tasks }: TaskService, record: Task["record"]) => {
  const next = record.done_at === null ? tasks.nextTime(record) : undefined;
  return next === undefined ? {} : { next_due_at: next };
};

const shown = (service: TaskService, { record }: Task): PersonTask => ({
  task_id: record.task_id,
  title: record.description,
  description: record.details,
  due_at: record.due,
  priority: record.priority,
  completed: record.done_at !== null,
  completed_at: completedAt(record),
  created_at: record.timestamp,
  updated_at: record.updated_at,
  recurrence: record.recurrence,
  ...nextOf(service, record),
  remind_before: record.remind_before,
  zone: zoneOf(service, record),
  if_missed: record.if_missed ?? "run_late",
  skipped_at: record.skipped ?? null,
  user_id: record.owner,
  for: record.for,
});
