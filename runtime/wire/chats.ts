import { z } from "zod";

/**
 * Chats between a person and the agent, and the turns in which the agent works. All times are UTC, ISO 8601; ids are
 * UUIDs, except `chat_id`, which is a name of at most 128 characters.
 */

/** What a turn is for: to care for plants, to answer a person, to do a task that fell due. */
export const TURN_KINDS = ["care", "conversation", "task"] as const;
export type TurnKind = (typeof TURN_KINDS)[number];

/** How a turn ended. "stopped": a person ended it. "expired": nobody ended it in time. */
const TURN_OUTCOMES = ["done", "failed", "stopped", "expired"] as const;
export type TurnOutcome = (typeof TURN_OUTCOMES)[number];

export const begunTurn = z.object({
  turn_id: z.string(),
  kind: z.enum(TURN_KINDS),
  user_id: z.string().describe('whose turn: a person, or "household"'),
  name: z.string().nullable().describe("what others call the person"),
  language: z.string().describe("ISO 639 code"),
  zone: z.string().describe("IANA name"),
  chat_id: z.string().nullable(),
  expires: z.string().describe("when the runtime ends the turn by itself if it makes no call"),
  tainted: z.boolean().describe("words of strangers were read in it"),
  task: z
    .object({
      task_id: z.string(),
      description: z.string(),
      payload: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
    })
    .nullable()
    .describe("what is to be done, in a turn for a task"),
});
export type BegunTurn = z.output<typeof begunTurn>;

export const endedTurn = z.object({
  turn_id: z.string(),
  outcome: z.enum(TURN_OUTCOMES),
  ended_at: z.string(),
});

export const sentChatMessage = z.object({
  message_id: z.string(),
  chat_id: z.string(),
  timestamp: z.string(),
});
export type SentChatMessage = z.output<typeof sentChatMessage>;

const chatMessage = z.object({
  message_id: z.string(),
  timestamp: z.string(),
  from: z.enum(["person", "agent"]),
  text: z.string(),
  in_reply_to: z.string().nullable(),
  turn_id: z.string().nullable(),
});

/** One call of a turn, for the person who waits. No arguments: they may hold what others must not see. */
export const turnCall = z.object({
  tool: z.string(),
  title: z.string(),
  timestamp: z.string(),
  outcome: z.string().describe('"running", "done", or the code of a refusal'),
});

export const chatMessages = z.object({
  chat_id: z.string(),
  user_id: z.string(),
  messages: z.array(chatMessage).describe("oldest first"),
  count: z.int().describe("all there are"),
  unanswered: z.int().describe("messages of the person that wait for an answer"),
  version: z.string().describe("another after each change of the chat and of its turn"),
  turn: z
    .object({
      turn_id: z.string(),
      began: z.string(),
      calls: z.array(turnCall),
      outcome: z.enum(TURN_OUTCOMES).nullable().describe("null while it runs"),
    })
    .nullable()
    .describe("the chat's newest turn"),
});

export type ChatMessages = z.output<typeof chatMessages>;

/** In the agenda: a chat whose person waits for an answer. The words are read in a turn. */
export const waitingChat = z.object({
  chat_id: z.string(),
  user_id: z.string(),
  message_id: z.string().describe("the newest unanswered message"),
  timestamp: z.string(),
  unanswered: z.int(),
  failed_turns: z.int().describe("turns that ended without an answer to it"),
});
