import { randomUUID } from "node:crypto";
import { Mutex } from "../../../drivers/mutex.js";
import type { Cancel, Clock } from "../../../drivers/ports.js";
import { seconds } from "../../../drivers/units.js";
import { excerpt, invalidArgument, notFound, TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import { isoNow } from "../../tools/iso-time.js";
import { type CallTurn, taintOf } from "../../tools/taint.js";
import type { Call } from "../../tools/tool.js";
import { type ChatAnswer, Listeners, type TurnEnd, type TurnPlan } from "../module.js";
import type { Outbox } from "../outbox/outbox.js";
import { OpenTurn } from "../turns/turns.js";
import {
  CHAT_ERRORS,
  CHATS,
  Chat,
  type ChatEntry,
  ChatLimits,
  type ChatRecord,
  MAX_CHATS,
  MAX_WAITING,
  type MessageRecord,
  messagesOf,
  Waits,
} from "./chat.js";

/** A choice: as often as a model fails by chance; then the person is told. */
const MAX_FAILED = 3;
/** How far back a message is looked for by its id. A choice. */
const LOOKED_AT = 10_000;

/** No control characters, and none that turn the direction of writing: people see the name. */
const PLAIN_NAME = /^[^\p{Cc}\p{Cs}\p{Bidi_C}\u2028\u2029]+$/u;

interface ChatParts {
  readonly log: RecordLog<ChatEntry, ChatRecord | MessageRecord>;
  readonly clock: Clock;
  /** Real time, for waits. */
  readonly realClock: Clock;
  readonly outbox: Pick<Outbox, "tell" | "over">;
  /** Logs an error if nobody waits for the result. */
  complain(error: unknown): void;
}

/** What is written into a chat. */
interface NewMessage {
  readonly text: string;
  readonly in_reply_to?: string | undefined;
  /** Where words of strangers in it came from. */
  readonly tainted?: readonly string[];
}

/** A turn that answers a chat. */
interface Answering {
  readonly chat: Chat;
  /** The number of the newest message that its agent has seen. */
  seen: number;
  answered: boolean;
}

/** The chats between people and the agent, and what waits in them for an answer. */
export class Chats {
  private readonly chats = new Map<string, Chat>();
  private readonly answering = new Map<string, Answering>();
  private readonly lost: { readonly chat: Chat; readonly turn: string; readonly seen: number }[] = [];
  private readonly limits = new ChatLimits();
  private readonly writing = new Mutex();
  private readonly news = new Listeners();
  private readonly readers: ((answer: ChatAnswer) => void)[] = [];
  private readonly waits: Waits;
  /** Versions of another run are never the same. */
  private readonly boot = randomUUID().slice(0, 8);

  private constructor(private readonly parts: ChatParts) {
    this.waits = new Waits(parts.realClock);
  }

  static async open(parts: ChatParts): Promise<Chats> {
    const chats = new Chats(parts);
    for await (const { id, record } of parts.log.newest({ limit: MAX_CHATS, subject: CHATS }))
      if (record.kind === "chat") await chats.restore(id, record);
    await chats.recallSent();
    return chats;
  }

  /** Turns that were open when the runtime ended have failed. */
  async endLostTurns(): Promise<void> {
    for (const { chat, turn, seen } of this.lost.splice(0)) {
      const answered = !chat.waiting.some(({ number }) => number <= seen);
      await this.over(chat, { id: turn, seen, answered }, LOST).catch(this.parts.complain);
    }
  }

  /** Calls the listener when a person writes, and when a turn has left a message without an answer. */
  watch(listener: () => void): Cancel {
    return this.news.watch(listener);
  }

  /** Calls the reader with each message of an agent. */
  watchAnswers(reader: (answer: ChatAnswer) => void): void {
    this.readers.push(reader);
  }

  /** Forgets chats that are erased of the journal. A turn that answers one can write no more. */
  drop(records: readonly number[]): void {
    for (const [id, chat] of this.chats) {
      if (!records.includes(chat.record)) continue;
      this.chats.delete(id);
      chat.waiting = [];
      this.waits.tell(id);
    }
  }

  close(): void {
    this.waits.close();
  }

  find(id: string): Chat | undefined {
    return this.chats.get(id);
  }

  waiting(): readonly Chat[] {
    return [...this.chats.values()].filter(({ waiting }) => waiting.length > 0);
  }

  /** Of a chat that nobody has written into, too. */
  version(id: string): string {
    return this.chats.get(id)?.version(this.boot) ?? `${this.boot}.0`;
  }

  /** A person writes; a chat that is not there yet is made. Throws TOO_MANY_CHATS, TOO_MANY_CHAT_MESSAGES, NOT_FOUND. */
  async writeAsPerson(id: string, person: string, message: NewMessage, by: string): Promise<MessageRecord> {
    const written = await this.writing.run(async () => {
      this.limits.assertMaySend("person", person, this.parts.clock.now());
      const chat = this.chats.get(id) ?? (await this.make(id, person));
      if (chat.person !== person) throw noChat(id); // another person was first
      return this.append(chat, { ...message, from: "person", by });
    });
    this.news.tell();
    const told = { kind: "chat_unanswered", key: id } as const;
    this.parts.outbox.over(told).catch(this.parts.complain);
    return written;
  }

  /** The agent writes in a turn. Throws TURN_OVER, TOO_MANY_CHAT_MESSAGES, NOT_FOUND. */
  writeInTurn(chat: Chat, turn: CallTurn, message: NewMessage, call: Call): Promise<MessageRecord> {
    return this.writing.run(async () => {
      turn.assertOpen();
      this.limits.assertMaySend("agent", chat.person, this.parts.clock.now());
      const answering = this.answering.get(turn.id);
      const written = await this.append(chat, {
        ...message,
        from: "agent",
        by: call.identity.name,
        turn: turn.id,
        ...(answering && { answers: answering.seen }),
        ...taintOf(call),
      });
      if (answering) answering.answered = true;
      const { message: message_id, text } = written;
      for (const reader of this.readers) reader({ chat_id: chat.id, person: chat.person, message_id, text });
      return written;
    });
  }

  /** The newest `limit`, or the first `limit` after a message; the oldest first. Throws NOT_FOUND, RESULT_TOO_LARGE. */
  read(chat: Chat, limit: number, after: string | undefined): Promise<readonly MessageRecord[]> {
    return this.writing.run(async () => {
      const subject = messagesOf(chat.id);
      if (after !== undefined) return this.readAfter(chat, limit, after);
      const page = await this.parts.log.page(limit, 0, subject);
      return page.flatMap(({ record }) => (record.kind === "message" ? [record] : [])).reverse();
    });
  }

  /** What the agent of this turn has read, it answers. */
  noteSeen(turn: CallTurn, number: number): void {
    const answering = this.answering.get(turn.id);
    if (answering) answering.seen = Math.max(answering.seen, number);
  }

  /** Resolves when the chat has another version than this one, at the latest after so many seconds. */
  async changed(id: string, version: string, wait_s: number, call: Call): Promise<void> {
    if (this.version(id) !== version) return;
    await this.waits.forChange(id, call.identity.name, seconds(wait_s), call.signal());
  }

  /** The turn that answers the chat. Throws NOTHING_TO_ANSWER. */
  turnFor(chat: Chat): TurnPlan {
    if (chat.waiting.length === 0)
      throw new TendrilError(
        CHAT_ERRORS.NOTHING_TO_ANSWER,
        `nobody waits for an answer in the chat ${excerpt(chat.id)}`,
      );
    return {
      about: `the chat ${chat.id}`,
      person: chat.person,
      chat: chat.id,
      began: (turn) => this.began(chat, turn),
      ended: (turn, end) => this.ended(turn, end),
      changed: () => this.noteChange(chat),
    };
  }

  private async began(chat: Chat, turn: CallTurn): Promise<void> {
    const { failed, settled, count: seen } = chat;
    const began = isoNow(this.parts.clock);
    const mark = { id: turn.id, began, outcome: null };
    await this.parts.log.append({ timestamp: began, of: chat.record, turn: mark, seen, failed, settled });
    this.answering.set(turn.id, { chat, seen, answered: false });
    chat.turn = { ...mark, ...(turn instanceof OpenTurn && { calls: turn.calls }) };
    this.noteChange(chat);
  }

  private async ended(turn: CallTurn, end: TurnEnd): Promise<void> {
    const answering = this.answering.get(turn.id);
    if (!answering) return;
    this.answering.delete(turn.id);
    await this.over(answering.chat, { id: turn.id, ...answering }, end);
  }

  /** A turn that its person has stopped leaves nothing to answer; one without an answer has failed, however it ended. */
  private async over(
    chat: Chat,
    { id, seen, answered }: Omit<Answering, "chat"> & { readonly id: string },
    { outcome, reason }: TurnEnd,
  ): Promise<void> {
    const hasFailed = !answered && outcome !== "stopped";
    const newest = chat.waiting.findLast(({ number }) => number <= seen);
    chat.failed = hasFailed ? chat.failed + 1 : 0;
    const givesUp = chat.failed >= MAX_FAILED;
    if (givesUp) chat.failed = 0;
    if (givesUp || outcome === "stopped") chat.settle(seen);
    if (chat.turn?.id === id) chat.turn = { ...chat.turn, outcome };
    this.noteChange(chat);
    if (chat.waiting.length > 0) this.news.tell();
    const { failed, settled } = chat;
    const timestamp = isoNow(this.parts.clock);
    const turn = { id, began: chat.turn?.began ?? timestamp, outcome };
    const why = reason === undefined ? {} : { reason };
    await this.parts.log.append({ timestamp, of: chat.record, turn, ...why, seen, failed, settled });
    if (givesUp && newest) await this.tellUnanswered(chat, newest.timestamp);
  }

  private tellUnanswered({ id, person }: Chat, written_at: string): Promise<void> {
    const data = { chat_id: id, user_id: person, written_at };
    return this.parts.outbox.tell({ kind: "chat_unanswered", severity: "warning", data, key: id });
  }

  private async make(id: string, person: string): Promise<Chat> {
    if (!PLAIN_NAME.test(id))
      throw invalidArgument("chat_id has a line break or another character without a sign");
    this.limits.assertMayOpen(
      person,
      [...this.chats.values()].map((each) => each.person),
    );
    const { id: record } = await this.parts.log.append({
      timestamp: isoNow(this.parts.clock),
      chat: id,
      person,
    });
    const chat = new Chat(record, id, person, { turn: null, failed: 0, settled: 0 });
    this.chats.set(id, chat);
    return chat;
  }

  private async append(chat: Chat, { in_reply_to, ...fields }: Unwritten): Promise<MessageRecord> {
    if (in_reply_to !== undefined) await this.numberOf(chat, in_reply_to, "in_reply_to");
    const { id, person } = chat;
    const timestamp = isoNow(this.parts.clock);
    const reply = in_reply_to === undefined ? {} : { in_reply_to };
    const named = { in: id, message: randomUUID(), number: chat.count + 1, person };
    const { record } = await this.parts.log.append({ timestamp, ...named, ...fields, ...reply });
    if (record.kind !== "message") throw new Error("chats.jsonl: a message became a chat");
    this.limits.count(record.from, person, Date.parse(timestamp));
    if (record.from === "person") chat.failed = 0;
    chat.keep(record);
    this.noteChange(chat);
    return record;
  }

  private noteChange(chat: Chat): void {
    chat.noteChange();
    this.waits.tell(chat.id);
  }

  /** Keeps those next to `after` while it goes back to it. */
  private async readAfter(chat: Chat, limit: number, after: string): Promise<readonly MessageRecord[]> {
    let page: readonly MessageRecord[] = [];
    for await (const message of this.backwards(chat, LOOKED_AT)) {
      if (message.message === after) return page;
      page = [message, ...page].slice(0, limit);
    }
    throw unknownMessage("after", after);
  }

  private async numberOf(chat: Chat, id: string, parameter: string): Promise<number> {
    for await (const { message, number } of this.backwards(chat, LOOKED_AT))
      if (message === id) return number;
    throw unknownMessage(parameter, id);
  }

  private async *backwards({ id }: Pick<Chat, "id">, limit: number): AsyncGenerator<MessageRecord> {
    for await (const { record } of this.parts.log.newest({ limit, subject: messagesOf(id) }))
      if (record.kind === "message") yield record;
  }

  private async restore(id: number, record: ChatRecord): Promise<void> {
    const chat = new Chat(id, record.chat, record.person, record);
    this.chats.set(chat.id, chat);
    const kept: MessageRecord[] = [];
    let { settled } = record;
    for await (const message of this.backwards(chat, MAX_WAITING)) {
      kept.unshift(message);
      settled = Math.max(settled, message.answers ?? 0);
      if (message.number <= settled) break;
    }
    for (const message of kept) chat.keep(message);
    chat.settle(settled);
    if (chat.count > record.seen && kept.at(-1)?.from === "person") chat.failed = 0;
    if (record.turn?.outcome === null) this.lost.push({ chat, turn: record.turn.id, seen: record.seen });
  }

  private async recallSent(): Promise<void> {
    const now = this.parts.clock.now();
    for await (const { record } of this.parts.log.newest({ limit: LOOKED_AT }))
      if (record.kind === "message" && !this.limits.recall(record, now)) return;
  }
}

export const noChat = (id: string): TendrilError =>
  notFound(`there is no chat ${excerpt(id)} for this caller`);

const LOST: TurnEnd = { outcome: "failed", reason: "the runtime was restarted" };

type Unwritten = NewMessage &
  Omit<
    Extract<ChatEntry, { in: string }>,
    "timestamp" | "in" | "message" | "number" | "person" | "in_reply_to"
  >;

const unknownMessage = (parameter: string, id: string): TendrilError =>
  notFound(`${parameter}: there is no message ${excerpt(id)} in this chat`);
