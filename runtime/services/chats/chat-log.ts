import type { Tainted } from "../../tools/taint.js";
import type { TurnOutcome } from "../../wire/chats.js";

/**
 * A line of journal/chats.jsonl: a chat, what became of it in a turn, or a message. Each line about a turn states the whole
 * result, so that no line has to be understood together with others.
 */
export type ChatEntry = { readonly timestamp: string } & (
  | { readonly chat: string; readonly person: string }
  | ({ readonly of: number } & TurnMark)
  | ({ readonly in: string } & MessageFields)
);

/** How a chat stands after a turn has begun or ended. */
interface TurnMark {
  readonly turn: { readonly id: string; readonly began: string; readonly outcome: TurnOutcome | null };
  /** Why it failed. */
  readonly reason?: string;
  /** Turns that ended without an answer to the newest message that they had seen. */
  readonly failed: number;
  /** Messages up to this number wait for no answer. */
  readonly settled: number;
}

interface MessageFields extends Tainted {
  readonly message: string;
  /** From 1, in each chat. */
  readonly number: number;
  readonly from: "person" | "agent";
  readonly text: string;
  /** The token that wrote it. */
  readonly by: string;
  /** Whose chat it is. */
  readonly person: string;
  readonly in_reply_to?: string;
  /** Of an agent's message: its turn, and the number up to which it answers the person's messages. */
  readonly turn?: string;
  readonly answers?: number;
}

export type MessageRecord = { readonly kind: "message"; readonly timestamp: string } & MessageFields;

export interface ChatRecord {
  readonly kind: "chat";
  readonly chat: string;
  readonly person: string;
  readonly turn: TurnMark["turn"] | null;
  readonly failed: number;
  readonly settled: number;
}

export const CHATS = "chats";
/** Begins otherwise than CHATS, whatever the chat is called. */
export const messagesOf = (chat: string): string => `in ${chat}`;

export const CHAT_LOG = {
  name: "chats",
  recordId: (entry: ChatEntry) => ("of" in entry ? entry.of : undefined),
  subject: (entry: ChatEntry) => ("in" in entry ? messagesOf(entry.in) : CHATS),
  fold: (previous: ChatRecord | MessageRecord | undefined, entry: ChatEntry): ChatRecord | MessageRecord => {
    if ("in" in entry) {
      const { in: _, ...message } = entry;
      return { kind: "message", ...message };
    }
    if ("chat" in entry) {
      const { chat, person } = entry;
      return { kind: "chat", chat, person, turn: null, failed: 0, settled: 0 };
    }
    if (previous?.kind !== "chat")
      throw new Error(`chats.jsonl: chat ${entry.of} had a turn before it was made`);
    return { ...previous, turn: entry.turn, failed: entry.failed, settled: entry.settled };
  },
};
