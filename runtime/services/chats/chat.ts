import type { Tainted } from "../../tools/taint.js";
import type { TurnOutcome } from "../../wire/chats.js";
import type { OpenTurn } from "../turns/turns.js";

/**
 * A line of journal/chats.jsonl: a chat, what became of it in a turn, or a message. Each line about a turn states the whole
 * result, so that no line has to be understood together with others.
 */
export type ChatEntry = { readonly timestamp: string } & (
  | { readonly chat: string; readonly person: string }
  | ({ readonly of: number } & TurnMark)
  | ({ readonly in: string } & MessageFields)
  // what an erasure has left of any of these
  | { readonly erased: true }
);

/** How a chat stands after a turn has begun or ended. */
interface TurnMark {
  readonly turn: { readonly id: string; readonly began: string; readonly outcome: TurnOutcome | null };
  /** Why it failed. */
  readonly reason?: string;
  /** The number of the newest message that it had seen. */
  readonly seen: number;
  /** Turns that ended without an answer to that message. */
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
  readonly seen: number;
  readonly failed: number;
  readonly settled: number;
}

export const CHATS = "chats";
/** Begins otherwise than CHATS, whatever the chat is called. */
export const messagesOf = (chat: string): string => `in ${chat}`;

/** A chat or message that was erased: nobody's. */
const ERASED = { kind: "chat", chat: "", person: "", turn: null, seen: 0, failed: 0, settled: 0 } as const;

export const CHAT_LOG = {
  name: "chats",
  erasable: true,
  recordId: (entry: ChatEntry) => ("of" in entry ? entry.of : undefined),
  subject: (entry: ChatEntry) =>
    "erased" in entry ? undefined : "in" in entry ? messagesOf(entry.in) : CHATS,
  fold: (previous: ChatRecord | MessageRecord | undefined, entry: ChatEntry): ChatRecord | MessageRecord => {
    if ("erased" in entry) return ERASED;
    if ("in" in entry) {
      const { in: _, ...message } = entry;
      return { kind: "message", ...message };
    }
    if ("chat" in entry) {
      const { chat, person } = entry;
      return { kind: "chat", chat, person, turn: null, seen: 0, failed: 0, settled: 0 };
    }
    if (previous?.kind !== "chat")
      throw new Error(`chats.jsonl: chat ${entry.of} had a turn before it was made`);
    const { turn, seen, failed, settled } = entry;
    return { ...previous, turn, seen, failed, settled };
  },
};

/** A message of the person that waits for an answer. */
interface Waiting {
  readonly number: number;
  readonly message_id: string;
  readonly timestamp: string;
}

/** A choice: of so many messages in a row without an answer the newest are counted. */
export const MAX_WAITING = 1000;

/** A chat in memory: whose it is, what waits for an answer, and its newest turn. The messages are on the disk. */
export class Chat {
  /** The number of the newest message. */
  count = 0;
  /** The oldest first. */
  waiting: readonly Waiting[] = [];
  /** Turns that ended without an answer to the newest message. */
  failed: number;
  settled: number;
  /** The newest turn. Its calls are known as long as the runtime lives. */
  turn: (NonNullable<ChatRecord["turn"]> & Partial<Pick<OpenTurn, "calls">>) | null;
  private changes = 0;

  constructor(
    readonly record: number,
    readonly id: string,
    readonly person: string,
    { turn, failed, settled }: Pick<ChatRecord, "turn" | "failed" | "settled">,
  ) {
    this.turn = turn;
    this.failed = failed;
    this.settled = settled;
  }

  /** `boot` names this run of the runtime. */
  version(boot: string): string {
    return `${boot}.${this.changes}`;
  }

  noteChange(): void {
    this.changes += 1;
  }

  /** Takes in a message that is on the disk, in order. */
  keep({ number, message, timestamp, from, answers }: MessageRecord): void {
    this.count = Math.max(this.count, number);
    if (from === "person")
      this.waiting = [...this.waiting, { number, message_id: message, timestamp }].slice(-MAX_WAITING);
    if (answers !== undefined) this.settle(answers);
  }

  /** Messages up to this number wait no more. */
  settle(number: number): void {
    this.settled = Math.max(this.settled, number);
    this.waiting = this.waiting.filter((each) => each.number > this.settled);
  }
}
