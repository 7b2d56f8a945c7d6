import { z } from "zod";
import { TURN_KINDS, waitingChat } from "./chats.js";
import { pendingApproval } from "./people.js";
import { careHolder, fault, hold } from "./plants.js";

/** Tasks and memories, and the agenda: what needs care. All times are UTC, ISO 8601. */

export const task = z.object({
  id: z.int(),
  description: z.string(),
  due: z.string(),
  is_due: z.boolean(),
  plant: z.string().nullable().describe("null: for all plants"),
  added: z.string(),
  by: z.string(),
  done_at: z.string().nullable(),
  if_missed: z.enum(["run_late", "skip"]),
});

export const addedTask = z.object({
  timestamp: z.string(),
  task,
  known: z.boolean().describe("it was open already"),
  note: z.string().optional(),
});

export const taskList = z.object({ count: z.int(), tasks: z.array(task) });

export const memory = z.object({ id: z.int(), timestamp: z.string(), text: z.string(), by: z.string() });

export const memoryList = z.object({
  count: z.int().describe("all there are"),
  memories: z.array(memory),
});

/** An unread message, with the part of it that the agenda quotes. */
const excerpt = z.object({
  message_id: z.string(),
  timestamp: z.string(),
  in_reply_to: z.string().nullable(),
  excerpt: z.string(),
  /** Of the whole message, in code points. */
  length: z.int(),
});

const plantAgenda = z.object({
  plant: z.string(),
  name: z.string(),
  hold: hold.nullable().default(null),
  faults: z.array(fault).default([]),
  care: careHolder.nullable().default(null),
});

/**
 * The resource `tendril://agenda`. What a runtime has switched off is absent: a list is then empty, anything else null.
 */
export const agenda = z.object({
  timestamp: z.string(),
  /** Tasks that are due, soonest first. */
  due: z
    .array(
      task.pick({ id: true, description: true, due: true, plant: true }).extend({
        task_id: z.string().describe("for a turn that does it"),
        payload: z.unknown().optional().describe("what the agent was to be handed"),
      }),
    )
    .default([]),
  open_tasks: z.int().nullable().default(null),
  /** When the next task falls due that is not due yet. */
  next_due: z.string().nullable().default(null),
  /** The person's messages that no agent has read, newest first. */
  unread: z
    .object({ count: z.int(), messages: z.array(excerpt) })
    .default(() => ({ count: 0, messages: [] })),
  /** Chats whose person waits for an answer. */
  chats: z.array(waitingChat).default([]),
  /** Calls that wait for a person's yes. */
  approvals: z.array(pendingApproval).default([]),
  plants: z.array(plantAgenda).default([]),
});

export type Agenda = z.output<typeof agenda>;
export type PlantAgenda = Agenda["plants"][number];

/** What agents were given of what is known of people, for the page. docs/memories.md tells a person of it. */

const recalledEntry = z.object({
  from: z.enum(["memory", "profile"]),
  id: z.string().nullable().describe("of a memory"),
  category: z.string().nullable().describe("of a profile entry"),
  title: z.string().describe("as it is now; of a profile entry its key"),
  user_id: z.string(),
});
export type RecalledEntryView = z.output<typeof recalledEntry>;

export const recallList = z.object({
  recalls: z.array(
    z.object({
      timestamp: z.string(),
      tool: z.string(),
      by: z.string().describe("the agent's token"),
      turn: z.enum(TURN_KINDS).nullable().describe("null: outside of a turn"),
      person: z.string().nullable().describe("whose turn it was; null: not to be seen by the caller"),
      entries: z.array(recalledEntry).describe("those that the caller may see"),
      forgotten: z.int().describe("entries that are there no more"),
    }),
  ),
});
export type RecallList = z.output<typeof recallList>;

/** The answer of read_time: how words about a time were understood. All times are UTC, ISO 8601. */
export const readTimeResult = z.object({
  at: z.string(),
  recurrence: z.string().nullable().describe("a rule of RFC 5545; its hours are those of `zone`"),
  zone: z.string(),
  words: z.string().describe("said again, they give the same times"),
  notes: z.array(z.string()).describe("what was taken for granted"),
  next: z.array(z.string()).describe("the first three times; one of what does not recur"),
});
export type ReadTime = z.output<typeof readTimeResult>;
