import type { Cancel, Clock } from "../../../drivers/ports.js";
import { minutes } from "../../../drivers/units.js";
import { TendrilError } from "../../errors.js";
import type { Stamp } from "../../safety/stamp.js";
import type { Stored } from "../../store/log-definition.js";
import type { RecordLog } from "../../store/record-log.js";
import { isoUtc } from "../../tools/iso-time.js";
import { Listeners } from "../listeners.js";
import { definePart } from "../module.js";
import { statusConfig } from "../plant-status/config.js";
import { STATUS_LOG } from "../plant-status/table.js";
import { messageConfig } from "./config.js";
import { MESSAGE_ERRORS, MessageLimit } from "./message-limit.js";

export type Direction = "to_human" | "from_human";

/** A line of journal/messages.jsonl: a message, or that one was delivered or read. */
export type MessageEntry =
  | Letter
  | { readonly timestamp: string; readonly of: number; readonly reached: "delivered" | "read" };

interface Letter {
  readonly timestamp: string;
  readonly direction: Direction;
  readonly content: string;
  readonly in_reply_to: string | null;
  readonly by: string;
  /** Of a message that counts against an agent's limit; those of versions before there was one have none. */
  readonly stamp?: Stamp;
}

export interface MessageRecord extends Letter {
  readonly delivered_at: string | null;
  readonly read_at: string | null;
}

export const MESSAGE_LOG = {
  name: "messages",
  recordId: (entry: MessageEntry) => ("of" in entry ? entry.of : undefined),
  subject: (entry: MessageEntry) => ("of" in entry ? undefined : entry.direction),
  fold: (previous: MessageRecord | undefined, entry: MessageEntry): MessageRecord => {
    if (!("of" in entry)) return { ...entry, delivered_at: null, read_at: null };
    if (!previous) throw new Error(`messages.jsonl: message ${entry.of} was read before it was sent`);
    const delivered_at = previous.delivered_at ?? entry.timestamp;
    return {
      ...previous,
      delivered_at,
      read_at: entry.reached === "read" ? (previous.read_at ?? entry.timestamp) : previous.read_at,
    };
  },
};

export interface MessageView {
  readonly message_id: string;
  readonly in_reply_to: string | null;
  readonly timestamp: string;
  readonly delivered_at: string | null;
  readonly read_at: string | null;
  readonly content?: string;
}

/** Whom the person hears from: the runtime writes by itself of what cannot wait for the agent. */
export interface LetterView extends MessageView {
  readonly from: "agent" | "runtime";
}

/** `by` of what the runtime writes itself; a token's name begins with its role. */
export const RUNTIME = "runtime";

export interface Page {
  readonly limit: number;
  readonly offset: number;
  readonly withContent: boolean;
}

interface SentMessage {
  readonly timestamp: string;
  readonly message_id: string;
}

/**
 * As many of the person's newest messages as an agent may answer beyond its limit. A choice: as many as
 * `list_messages_from_human` shows by default. Older ones without an answer are many in the course of a year.
 */
const FREELY_ANSWERED = 10;

/** So many of the newest messages are looked through at start: more than a day's of ten agents and the runtime. */
const REMEMBERED = 500;

/** Messages between the person and the agent, each knowing whether it has arrived. */
export class Messages {
  private readonly inbox = new Listeners();
  /** Messages of the person that an agent has answered. */
  private readonly answered = new Set<string>();

  private constructor(
    private readonly log: RecordLog<MessageEntry, MessageRecord>,
    private readonly clock: Clock,
    private readonly limit: MessageLimit,
  ) {}

  static async open(
    log: RecordLog<MessageEntry, MessageRecord>,
    clock: Clock,
    limit: MessageLimit,
  ): Promise<Messages> {
    const messages = new Messages(log, clock, limit);
    const counted: { by: string; stamp: Stamp }[] = [];
    for await (const { record } of log.newest({ limit: REMEMBERED, subject: "to_human" })) {
      const { by, stamp, in_reply_to } = record;
      if (stamp) counted.unshift({ by, stamp });
      if (in_reply_to !== null) messages.answered.add(in_reply_to);
    }
    for (const { by, stamp } of counted) limit.remember(by, stamp);
    return messages;
  }

  /** Told when the person writes. */
  watchInbox(listener: () => void): Cancel {
    return this.inbox.watch(listener);
  }

  /** Without a limit, for people and the runtime. Throws UNKNOWN_MESSAGE where `inReplyTo` names none. */
  async send(
    direction: Direction,
    content: string,
    inReplyTo: string | undefined,
    by: string,
  ): Promise<SentMessage> {
    if (inReplyTo !== undefined) await this.find(inReplyTo);
    return this.append({ direction, content, in_reply_to: inReplyTo ?? null, by });
  }

  /**
   * An agent's message to the person. The first answer to one of the person's newest messages always goes, and counts against no
   * limit: so many there are only because the person wrote. Throws TOO_MANY_MESSAGES for others beyond the limit.
   */
  async sendLimited(content: string, inReplyTo: string | undefined, by: string): Promise<SentMessage> {
    const asked = inReplyTo !== undefined && (await this.isNewFromHuman(inReplyTo));
    const message = { direction: "to_human", content, in_reply_to: inReplyTo ?? null, by } as const;
    // from here to the append nothing waits: of calls that come together each is counted before the next is judged
    const free = inReplyTo !== undefined && asked && !this.answered.has(inReplyTo);
    const counted = free ? undefined : this.limit.take(by);
    if (inReplyTo !== undefined) this.answered.add(inReplyTo);
    try {
      return await this.append({ ...message, ...(counted && { stamp: counted.stamp }) });
    } catch (error) {
      counted?.giveBack();
      if (free) this.answered.delete(inReplyTo);
      throw error;
    }
  }

  /** What the person was written, as `list` has it, and by whom. */
  async letters(page: Page, asRecipient: boolean): Promise<LetterView[]> {
    const lines = await this.page("to_human", page, asRecipient);
    return lines.map(({ id, record }) => {
      return { ...view(id, record, page.withContent), from: record.by === RUNTIME ? RUNTIME : "agent" };
    });
  }

  /** Newest first. With `asRecipient` the messages listed count as delivered, and as read if their content was shown. */
  async list(direction: Direction, page: Page, asRecipient: boolean): Promise<MessageView[]> {
    const lines = await this.page(direction, page, asRecipient);
    return lines.map(({ id, record }) => view(id, record, page.withContent));
  }

  /** Those of the newest `among` that nobody has read yet, newest first; they stay unread. */
  async unread(direction: Direction, among: number): Promise<MessageView[]> {
    const views: MessageView[] = [];
    for await (const { id, record } of this.log.newest({ limit: among, subject: direction }))
      if (record.read_at === null) views.push(view(id, record, true));
    return views;
  }

  /** Throws RESULT_TOO_LARGE where the contents are more than one answer takes. */
  private async page(direction: Direction, { limit, offset, withContent }: Page, asRecipient: boolean) {
    if (!withContent) return this.headings(direction, { limit, offset }, asRecipient);
    const lines = await this.log.page(limit, offset, direction);
    if (asRecipient) for (const { id, record } of lines) await this.reached(id, record, "read");
    return lines;
  }

  private async headings(direction: Direction, page: Omit<Page, "withContent">, asRecipient: boolean) {
    const headings: Stored<Omit<MessageRecord, "content">>[] = [];
    for await (const { id, record } of this.log.newest({ ...page, subject: direction })) {
      if (asRecipient) await this.reached(id, record, "delivered");
      const { content: _, ...heading } = record;
      headings.push({ id, record: heading });
    }
    return headings;
  }

  private async reached(of: number, record: MessageRecord, reached: "delivered" | "read"): Promise<void> {
    const known = reached === "read" ? record.read_at : record.delivered_at;
    if (known === null) await this.log.append({ timestamp: isoUtc(this.clock.now()), of, reached });
  }

  private async append(message: Omit<Letter, "timestamp">): Promise<SentMessage> {
    const timestamp = isoUtc(this.clock.now());
    const { id } = await this.log.append({ timestamp, ...message });
    if (message.direction === "from_human") this.inbox.tell();
    return { timestamp, message_id: String(id) };
  }

  /** Throws UNKNOWN_MESSAGE. */
  private async isNewFromHuman(messageId: string): Promise<boolean> {
    const { direction } = await this.find(messageId);
    if (direction !== "from_human") return false;
    const newest = await this.log.newestFirst(FREELY_ANSWERED, 0, "from_human");
    return newest.some(({ id }) => String(id) === messageId);
  }

  private async find(messageId: string): Promise<MessageRecord> {
    const found = /^[1-9]\d{0,14}$/.test(messageId) ? await this.log.get(Number(messageId)) : undefined;
    if (found) return found;
    throw new TendrilError(
      MESSAGE_ERRORS.UNKNOWN_MESSAGE,
      `in_reply_to: there is no message "${messageId.slice(0, 40)}"`,
    );
  }
}

const view = (
  id: number,
  record: Omit<MessageRecord, "content"> & { readonly content?: string },
  withContent: boolean,
): MessageView => {
  const { in_reply_to, timestamp, content, delivered_at, read_at } = record;
  const heading = { message_id: String(id), in_reply_to, timestamp, delivered_at, read_at };
  return withContent && content !== undefined ? { ...heading, content } : heading;
};

/** An agent's plant status begins a cycle of its messages. */
export const messages = definePart("messages", (house) => {
  const { agent } = house.config(messageConfig);
  const { cycle } = house.config(statusConfig);
  const limit = new MessageLimit(house.clock, {
    perCycle: agent.messages_per_cycle,
    perDay: agent.messages_per_day,
    cycle: minutes(cycle.max_age_minutes),
  });
  house.journal(STATUS_LOG).watch(({ record }) => limit.beginCycle(record.agent, record.plant));
  return Messages.open(house.journal(MESSAGE_LOG), house.clock, limit);
});
