import { hours, type Millis, seconds } from "../../../drivers/units.js";
import { errorTable, final, later, TendrilError } from "../../errors.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { MessageRecord } from "./chat.js";

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
