import { z } from "zod";

/** Lists, and tasks of people. All times are UTC, ISO 8601. */

export const madeList = z.object({ list_id: z.string(), list_name: z.string(), created_at: z.string() });

export const deletedList = z.object({
  list_id: z.string(),
  list_name: z.string(),
  deleted: z.literal(true),
  items_deleted: z.int(),
});
export type DeletedList = z.output<typeof deletedList>;

export const allLists = z.object({
  lists: z.array(madeList.extend({ open: z.int(), completed: z.int() })),
  count: z.int(),
});
export type AllLists = z.output<typeof allLists>;

const listItem = z.object({
  item_id: z.string(),
  item_text: z.string(),
  completed: z.boolean(),
  completed_at: z.string().nullable(),
  position: z.int(),
  created_at: z.string(),
  user_id: z.string(),
});
export type ListItem = z.output<typeof listItem>;

export const listItems = z.object({
  list_id: z.string(),
  list_name: z.string(),
  items: z.array(listItem),
  count: z.int(),
});
export type ListItems = z.output<typeof listItems>;

export const ifMissed = z.enum(["run_late", "skip"]).describe("what of a time that the runtime was off at");

const personTask = z.object({
  task_id: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  due_at: z.string().nullable(),
  priority: z.int(),
  completed: z.boolean(),
  completed_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  recurrence: z.string().nullable(),
  next_due_at: z.string().optional().describe("of a recurring one: its time once it is done"),
  remind_before: z.int().nullable(),
  zone: z.string(),
  if_missed: ifMissed,
  skipped_at: z.string().nullable().describe("the last time that was missed and skipped"),
  user_id: z.string(),
  for: z.enum(["person", "agent"]).describe("agent: it starts the agent"),
});
export type PersonTask = z.output<typeof personTask>;

export const personTasks = z.object({
  tasks: z.array(personTask),
  count: z.int().describe("all there are"),
  next_offset: z.int().optional().describe("there are more: call again with this offset"),
});
export type PersonTasks = z.output<typeof personTasks>;

const timeInTitle = z.object({
  title: z.string().describe("without it"),
  time: z.string(),
  meanings: z.array(z.object({ at: z.string(), recurrence: z.string().nullable(), words: z.string() })),
});

export const madeTask = z.object({
  task_id: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  due_at: z.string().nullable(),
  priority: z.int(),
  created_at: z.string(),
  recurrence: z.string().nullable(),
  remind_before: z.int().nullable(),
  if_missed: ifMissed,
  zone: z.string().describe("of the recurrence, and of the words"),
  understood: z.string().optional().describe("how `time` was read"),
  time_in_title: timeInTitle.optional().describe("the task has no time, and its title ends with one"),
});
export type MadeTask = z.output<typeof madeTask>;

export const completedTask = z.object({
  task_id: z.string(),
  title: z.string(),
  completed_at: z.string().nullable(),
  next_due_at: z.string().optional().describe("of a recurring task"),
  skipped_at: z.string().optional().describe("it was over before: this time was missed"),
});
export type CompletedTask = z.output<typeof completedTask>;

export const reopenedTask = z.object({
  task_id: z.string(),
  title: z.string(),
  due_at: z.string().nullable(),
});
export type ReopenedTask = z.output<typeof reopenedTask>;

/** With what was changed. */
export const updatedTask = z.object({
  task_id: z.string(),
  title: z.string().optional(),
  description: z.string().nullable().optional(),
  due_at: z.string().nullable().optional(),
  priority: z.int().optional(),
  recurrence: z.string().nullable().optional(),
  remind_before: z.int().nullable().optional(),
  if_missed: ifMissed.optional(),
  zone: z.string().optional().describe("of a time that was changed"),
  understood: z.string().optional(),
  updated_at: z.string().nullable(),
});
export type UpdatedTask = z.output<typeof updatedTask>;

export const answeredTask = z.object({
  task_id: z.string(),
  title: z.string(),
  completed_at: z.string().nullable(),
  remind_at: z.string().nullable(),
});
export type AnsweredTask = z.output<typeof answeredTask>;
