import { z } from "zod";
import { shortText } from "../../tools/code-points.js";
import { isoTime } from "../../tools/iso-time.js";
import { addedTask, memoryList, task, taskList } from "../../wire/agenda.js";
import { defineTool } from "../define-tool.js";
import { pageInput } from "../log-input.js";
import { aboutPlant } from "./task-plant.js";
import type { Task, Tasks } from "./tasks.js";

/** A choice: a task is a line, not a letter. */
const LONGEST_TASK = 500;
/** A choice: some 500 tokens; what is longer is a note. */
const LONGEST_MEMORY = 2000;

export const addTask = defineTool({
  name: "add_task",
  description:
    "Have yourself reminded: when the task falls due, a care cycle begins and its prompt shows the task. `check_plant:NAME` is a look at that plant. A task that is open already is not added twice: the sooner time counts.",
  annotations: { destructiveHint: false, idempotentHint: true },
  role: "agent",
  perPlant: "or all",
  input: z.strictObject({
    description: shortText(LONGEST_TASK, "what is to be done"),
    due: isoTime("when"),
  }),
  output: addedTask,
  run: async ({ description, due }, { services, call, named }) => {
    const about = aboutPlant(description, named, services.plants);
    const added = await services.tasks.add({ ...about, due }, call.identity.name);
    const timestamp = services.timestamp();
    const shown = view(services.tasks, added.task);
    const note = `this task was open already; it is due at the sooner time, ${shown.due}`;
    return { timestamp, task: shown, known: added.known, ...(added.known && { note }) };
  },
});

export const listTasks = defineTool({
  name: "list_tasks",
  description:
    "Open tasks: those that are due first, then by their time. `done: true` lists the last that were done.",
  annotations: { readOnlyHint: true },
  role: "observer",
  input: z.strictObject({
    done: z.boolean().default(false),
    limit: z.int().min(1).max(50).default(20),
    offset: z.int().min(0).max(1_000_000_000).default(0),
  }),
  output: taskList,
  run: ({ done, limit, offset }, { services: { tasks } }) => {
    const all = done ? tasks.lastDone() : tasks.all();
    return {
      count: all.length,
      tasks: all.slice(offset, offset + limit).map((each) => view(tasks, each)),
    };
  },
});

export const completeTask = defineTool({
  name: "complete_task",
  description: "Note that a task is done: it does not call again. Done already is no error.",
  annotations: { destructiveHint: false, idempotentHint: true },
  role: "agent",
  input: z.strictObject({ id: z.int().min(1).describe("`id` of list_tasks") }),
  output: z.object({ timestamp: z.string(), task, was_done: z.boolean() }),
  run: async ({ id }, { services, call }) => {
    const { task: done, before } = await services.tasks.complete(id, call.identity.name);
    return { timestamp: services.timestamp(), task: view(services.tasks, done), was_done: before };
  },
});

export const addMemory = defineTool({
  name: "add_memory",
  description:
    "Remember one thing for good: the prompts of later cycles show it. The same text is not kept twice. What changes from cycle to cycle belongs into the notes.",
  annotations: { destructiveHint: false, idempotentHint: true },
  role: "agent",
  input: z.strictObject({ text: shortText(LONGEST_MEMORY, "what to remember") }),
  output: z.object({
    timestamp: z.string(),
    id: z.int(),
    known: z.boolean().describe("it was remembered already"),
  }),
  run: async ({ text }, { services, call }) => {
    const { memory: kept, known } = await services.memories.add(text, call.identity.name);
    return { timestamp: services.timestamp(), id: kept.id, known };
  },
});

export const listMemories = defineTool({
  name: "list_memories",
  description: "What is remembered, the newest last.",
  annotations: { readOnlyHint: true },
  role: "observer",
  input: pageInput(20),
  output: memoryList,
  run: ({ n, offset }, { services: { memories } }) => ({
    count: memories.count,
    memories: memories
      .recent(n, offset)
      .map(({ id, record: { timestamp, text, by } }) => ({ id, timestamp, text, by })),
  }),
});

export const forgetMemory = defineTool({
  name: "forget_memory",
  description: "Take back something that the agent remembers: it is shown no more. The journal keeps it.",
  annotations: { destructiveHint: true, idempotentHint: false },
  role: "human",
  input: z.strictObject({ id: z.int().min(1).describe("`id` of list_memories") }),
  output: z.object({ timestamp: z.string(), success: z.boolean() }),
  run: async ({ id }, { services, call }) => {
    await services.memories.forget(id, call.identity.name);
    return { timestamp: services.timestamp(), success: true };
  },
});

const view = (tasks: Tasks, each: Task) => {
  const { timestamp, ...record } = each.record;
  return { id: each.id, ...record, is_due: tasks.isDue(each), added: timestamp };
};
