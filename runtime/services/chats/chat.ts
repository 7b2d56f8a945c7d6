import { untilTold } from "../../../drivers/clock/waiting.js";
import type { Cancel, Clock } from "../../../drivers/ports.js";
import { hours, type Millis, seconds } from "../../../drivers/units.js";
import { errorTable, final, later, TendrilError } from "../../errors.js";
import { isoUtc } from "../../tools/iso-time.js";
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
      return { ...ERASED, chat, person };
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

export const CHAT_ERRORS = errorTable({
  NOTHING_TO_ANSWER: final(
    "begin a turn when the agenda names the chat: a person has to write first",
    "nothing",
  ),
  TOO_MANY_CHATS: final("write into a chat that there is", "nothing"),
  TOO_MANY_CHAT_MESSAGES: later("wait, or put more into one message", "nothing"),
});

/** Choices: a person has a phone, a page and a terminal or two; a family with guests. */
const MAX_CHATS_OF_ONE = 20;
export const MAX_CHATS = 1000;

/** Choices: nobody writes or reads more in a day, and a program that loops fills no disk. For each person. */
const MAX_A_DAY = { person: 200, agent: 400 } as const;
const DAY: Millis = hours(24);

type From = MessageRecord["from"];

/** How many chats and messages there may be. Messages are counted by person, and those of agents apart. */
export class ChatLimits {
  /** Epoch milliseconds, the oldest first. */
  private readonly sent = new Map<string, readonly number[]>();

  /** A message of before the start; the newest first. Returns whether older ones count too. */
  recall({ from, person, timestamp }: MessageRecord, now: number): boolean {
    const at = Date.parse(timestamp);
    const key = keyOf(from, person);
    this.sent.set(key, [at, ...(this.sent.get(key) ?? [])]);
    return at > now - DAY;
  }

  /** Throws TOO_MANY_CHATS. */
  assertMayOpen(person: string, persons: readonly string[]): void {
    const own = persons.filter((each) => each === person).length;
    if (own < MAX_CHATS_OF_ONE && persons.length < MAX_CHATS) return;
    const what = `${person} has ${own} chats, and there are ${persons.length} in all`;
    throw new TendrilError(CHAT_ERRORS.TOO_MANY_CHATS, what);
  }

  /** Throws TOO_MANY_CHAT_MESSAGES. */
  assertMaySend(from: From, person: string, now: number): void {
    const times = (this.sent.get(keyOf(from, person)) ?? []).filter((at) => at > now - DAY && at <= now);
    this.sent.set(keyOf(from, person), times);
    const first = times.at(-MAX_A_DAY[from]);
    if (first === undefined) return;
    const wait = first + DAY - now;
    const who = from === "person" ? person : `the agent, to ${person}`;
    const what = `${times.length} messages of ${who} in 24 hours; the next may go at ${isoUtc(now + wait)}`;
    throw new TendrilError(CHAT_ERRORS.TOO_MANY_CHAT_MESSAGES, what, {
      retryAfter: wait / seconds(1),
      details: { sent: times.length, at_most: MAX_A_DAY[from] },
    });
  }

  count(from: From, person: string, at: number): void {
    this.sent.set(keyOf(from, person), [...(this.sent.get(keyOf(from, person)) ?? []), at]);
  }
}

const keyOf = (from: From, person: string): string => `${from} ${person}`;

/** Choices: a person has some windows open; a household of ten with two each. */
const MAX_OF_ONE = 3;
const MAX = 20;

/** Those who wait until a chat changes. */
export class Waits {
  /** By chat. */
  private readonly listeners = new Map<string, Set<() => void>>();
  private readonly byToken = new Map<string, number>();
  private waiting = 0;
  private closed = false;

  constructor(private readonly clock: Clock) {}

  tell(chat: string): void {
    for (const listener of [...(this.listeners.get(chat) ?? [])]) listener();
  }

  /** Resolves when the chat changes, after `longest`, at the end of the runtime; at once if too many wait already. */
  async forChange(chat: string, token: string, longest: Millis, signal: AbortSignal): Promise<void> {
    const own = this.byToken.get(token) ?? 0;
    if (this.closed || this.waiting >= MAX || own >= MAX_OF_ONE) return;
    this.count(token, 1);
    await untilTold({ clock: this.clock, longest, signal }, (tell) => this.listen(chat, tell));
    this.count(token, -1);
  }

  close(): void {
    this.closed = true;
    for (const chat of [...this.listeners.keys()]) this.tell(chat);
  }

  private listen(chat: string, listener: () => void): Cancel {
    const all = this.listeners.get(chat) ?? new Set();
    this.listeners.set(chat, all.add(listener));
    return () => {
      all.delete(listener);
      if (all.size === 0) this.listeners.delete(chat);
    };
  }

  private count(token: string, change: number): void {
    this.waiting += change;
    const own = (this.byToken.get(token) ?? 0) + change;
    if (own === 0) this.byToken.delete(token);
    else this.byToken.set(token, own);
  }
}
