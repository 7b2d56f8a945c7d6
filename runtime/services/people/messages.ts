import { remedyFor } from "../../../drivers/errors.js";
import { Mutex } from "../../../drivers/mutex.js";
import type { Cancel, Clock } from "../../../drivers/ports.js";
import { minutes } from "../../../drivers/units.js";
import { TendrilError } from "../../errors.js";
import type { Stamp } from "../../safety/stamp.js";
import { smallerPage } from "../../store/record-index.js";
import type { RecordLog } from "../../store/record-log.js";
import { assertFits, jsonBytes, type Stored } from "../../store/records.js";
import { isoUtc } from "../../tools/iso-time.js";
import { HouseTime } from "../../wire/house-time.js";
import { notificationWords, type Telling } from "../../wire/notification-words.js";
import { type Delivery, type Notification, newsIn } from "../../wire/notifications.js";
import type { Message, SentMessage } from "../../wire/people.js";
import { definePart, Listeners } from "../module.js";
import { STATUS_LOG, statusConfig } from "../plant-status/declarations.js";
import { MESSAGE_ERRORS, MessageLimit, messageConfig } from "./message-limit.js";
import {
  type Direction,
  deliveryOn,
  MESSAGE_LOG,
  type MessageEntry,
  type MessageRecord,
} from "./message-log.js";

type MessageView = Readonly<Message>;

/** A message to the person: from an agent, or from the runtime itself. */
interface LetterView extends MessageView {
  readonly from: "agent" | "runtime";
  readonly notification?: Notification;
  readonly over_at?: string;
}

/** How a message to the person has arrived. */
interface Arrival {
  readonly token: string;
  readonly channel: string;
  readonly reached: "delivered" | "read";
}

/** `by` of the runtime's own messages; a token's name begins with its role. */
const RUNTIME = "runtime";

interface Page {
  readonly limit: number;
  readonly offset: number;
  readonly withContent: boolean;
  /** Of which tokens messages are shown; by default of all. */
  readonly sees?: ((token: string) => boolean) | undefined;
}

/** A message as the reader may have it; undefined: it is left out. */
type AsRead = (record: MessageRecord) => MessageRecord | undefined;

interface Draft extends Pick<Sent, "content" | "by" | "user_id"> {
  readonly inReplyTo?: string | undefined;
}

type Sent = Extract<MessageEntry, { content: string }>;
type Heading = Omit<MessageRecord, "content">;

/**
 * How many of the person's newest messages an agent may answer beyond its limit. A choice: as many as
 * `list_messages_from_human` shows by default, because unanswered older ones add up over a year.
 */
const FREELY_ANSWERED = 10;

/** Of one token on one message. A choice: a bridge to every chat, mail and page of a house has fewer. */
const MAX_CHANNELS = 16;

/** More than a journal has. */
const ALL = 1_000_000_000;

/** How many of the newest messages a start reads: more than ten agents and the runtime send in a day. */
const REMEMBERED = 500;

/** Messages between the person and the agent, with what has arrived of them. */
export class Messages {
  private readonly inbox = new Listeners();
  /** One after the other, so that they can be counted. */
  private readonly arrivals = new Mutex();
  /** The person's messages that an agent has answered. */
  private readonly answered = new Set<string>();

  private constructor(
    private readonly log: RecordLog<MessageEntry, MessageRecord>,
    private readonly clock: Clock,
    private readonly limit: MessageLimit,
    private readonly telling: Omit<Telling, "plant">,
  ) {}

  static async open(
    log: RecordLog<MessageEntry, MessageRecord>,
    clock: Clock,
    limit: MessageLimit,
    telling: Omit<Telling, "plant">,
  ): Promise<Messages> {
    const messages = new Messages(log, clock, limit, telling);
    const counted: { by: string; stamp: Stamp }[] = [];
    for await (const { record } of log.newest({ limit: REMEMBERED, subject: "to_human" })) {
      const { by, stamp, in_reply_to } = record;
      if (stamp) counted.unshift({ by, stamp });
      if (in_reply_to !== null) messages.answered.add(in_reply_to);
    }
    for (const { by, stamp } of counted) limit.remember(by, stamp);
    return messages;
  }

  /** Calls the listener when the person writes. */
  watchInbox(listener: () => void): Cancel {
    return this.inbox.watch(listener);
  }

  /** Sends without a limit, for people. Throws UNKNOWN_MESSAGE for a wrong `inReplyTo`. */
  async send(direction: Direction, { inReplyTo, ...draft }: Draft): Promise<SentMessage> {
    if (inReplyTo !== undefined) await this.find(inReplyTo);
    return this.append({ ...draft, direction, in_reply_to: inReplyTo ?? null });
  }

  /** Who wrote a message, and whose it is if that was noted. Throws UNKNOWN_MESSAGE. */
  async sourceOf(messageId: string): Promise<Pick<MessageRecord, "by" | "user_id">> {
    return this.find(messageId);
  }

  /**
   * An agent's message to the person. The first answer to each of the person's newest messages is always sent and never
   * counted: there are only so many of those. Throws TOO_MANY_MESSAGES for others beyond the limit.
   */
  async sendLimited({ inReplyTo, ...draft }: Draft): Promise<SentMessage> {
    const asked = inReplyTo !== undefined && (await this.isNewFromHuman(inReplyTo));
    const message = { ...draft, direction: "to_human", in_reply_to: inReplyTo ?? null } as const;
    // nothing waits from here to the append, so of calls that come together each is counted before the next
    const free = inReplyTo !== undefined && asked && !this.answered.has(inReplyTo);
    const counted = free ? undefined : this.limit.take(draft.by);
    if (inReplyTo !== undefined) this.answered.add(inReplyTo);
    try {
      return await this.append({ ...message, ...(counted && { stamp: counted.stamp }) });
    } catch (error) {
      counted?.giveBack();
      if (free) this.answered.delete(inReplyTo);
      throw error;
    }
  }

  /** Writes a notification of the runtime itself. Resolves to its number once it is on the disk. */
  async notify(notification: Notification): Promise<number> {
    const content = this.words(notification) ?? "";
    const timestamp = isoUtc(this.clock.now());
    const message = { direction: "to_human", content, in_reply_to: null, by: RUNTIME } as const;
    return (await this.log.append({ timestamp, ...message, notification })).id;
  }

  /** Notes that a notification is over. */
  async over(id: number): Promise<void> {
    await this.log.append({ timestamp: isoUtc(this.clock.now()), of: id, reached: "over" });
  }

  /** The newest messages and notifications to the person, newest first. */
  newestLetters(limit: number): AsyncGenerator<Stored<MessageRecord>> {
    return this.log.newest({ limit, subject: "to_human" });
  }

  /**
   * Returns whether that was known already. Throws UNKNOWN_MESSAGE, also for a message from the person, and
   * TOO_MANY_CHANNELS.
   */
  arrived(messageId: string, { token, channel, reached }: Arrival): Promise<boolean> {
    return this.arrivals.run(async () => {
      const { direction, deliveries = [] } = await this.find(messageId, "message_id");
      if (direction !== "to_human") throw unknown(messageId, "message_id");
      const before = deliveryOn(deliveries, { token, channel });
      if (before && (reached === "delivered" || before.seen_at !== null)) return true;
      if (!before) assertFewChannels(deliveries, token);
      const timestamp = isoUtc(this.clock.now());
      await this.log.append({ timestamp, of: Number(messageId), reached, channel, by: token });
      return false;
    });
  }

  /**
   * Messages to the person with their senders, newest first. Marks nothing, because several programs read it. With `asRead`
   * the page is one of those that are left. Throws RESULT_TOO_LARGE.
   */
  async letters({ asRead, ...page }: Page & { readonly asRead?: AsRead }): Promise<LetterView[]> {
    if (asRead) return this.lettersReadBy(asRead, page);
    const lines = await this.page("to_human", page, false);
    return lines.map(({ id, record }) => this.letter(id, record, page.withContent));
  }

  /**
   * Those from people, newest first, with the tokens that wrote them. With `asRecipient` these messages count as delivered, and as read if
   * their content was shown.
   */
  async list(
    page: Page,
    asRecipient: boolean,
  ): Promise<{ messages: MessageView[]; writers: readonly string[] }> {
    const lines = await this.page("from_human", page, asRecipient);
    return {
      messages: lines.map(({ id, record }) => view(id, record, page.withContent)),
      writers: lines.map(({ record }) => record.by),
    };
  }

  /** The unread ones of the newest `among` from people whose writers are seen, by default all, newest first; they stay unread. */
  async unread(among: number, sees: Page["sees"]): Promise<MessageView[]> {
    const views: MessageView[] = [];
    for await (const { id, record } of this.newest("from_human", { limit: among, offset: 0, sees }))
      if (record.read_at === null) views.push(view(id, record, true));
    return views;
  }

  /** Throws RESULT_TOO_LARGE if the contents do not fit into one answer. */
  private async page(direction: Direction, page: Page, asRecipient: boolean) {
    if (!page.withContent) return this.headings(direction, page, asRecipient);
    const lines = page.sees
      ? await this.seen(direction, page)
      : await this.log.page(page.limit, page.offset, direction);
    if (asRecipient) for (const { id, record } of lines) await this.reached(id, record, "read");
    return lines;
  }

  private async seen(direction: Direction, page: Page): Promise<Stored<MessageRecord>[]> {
    const lines: Stored<MessageRecord>[] = [];
    for await (const line of this.newest(direction, page)) lines.push(line);
    assertFits(
      lines.map(({ record }) => Buffer.byteLength(record.content)),
      smallerPage,
    );
    return lines;
  }

  /** Newest first, counted among those whose writers are seen. */
  private async *newest(
    subject: Direction,
    { limit, offset, sees }: Omit<Page, "withContent">,
  ): AsyncGenerator<Stored<MessageRecord>> {
    if (!sees) return yield* this.log.newest({ limit, offset, subject });
    let [toSkip, left] = [offset, limit];
    for await (const line of this.log.newest({ limit: ALL, subject })) {
      if (!sees(line.record.by) || toSkip-- > 0) continue;
      yield line;
      left -= 1;
      if (left === 0) return;
    }
  }

  private async headings(direction: Direction, page: Omit<Page, "withContent">, asRecipient: boolean) {
    const headings: Stored<Heading>[] = [];
    for await (const { id, record } of this.newest(direction, page)) {
      if (asRecipient) await this.reached(id, record, "delivered");
      const { content: _, ...heading } = record;
      headings.push({ id, record: heading });
    }
    return headings;
  }

  private async lettersReadBy(asRead: AsRead, { limit, offset, withContent }: Page): Promise<LetterView[]> {
    const found: LetterView[] = [];
    let toSkip = offset;
    for await (const { id, record } of this.log.newest({ limit: ALL, subject: "to_human" })) {
      const read = asRead(record);
      if (!read) continue;
      if (toSkip-- <= 0) found.push(this.letter(id, read, withContent));
      if (found.length === limit) break;
    }
    assertFits(found.map(jsonBytes), smallerPage);
    return found;
  }

  private async reached(of: number, record: MessageRecord, reached: "delivered" | "read"): Promise<void> {
    const known = reached === "read" ? record.read_at : record.delivered_at;
    if (known === null) await this.log.append({ timestamp: isoUtc(this.clock.now()), of, reached });
  }

  private letter(id: number, record: Partial<MessageRecord> & Heading, withContent: boolean): LetterView {
    const { notification, by, over_at } = record;
    const words = notification && this.words(notification);
    const shown = view(id, words === undefined ? record : { ...record, content: words }, withContent);
    return {
      ...shown,
      from: by === RUNTIME ? RUNTIME : "agent",
      ...(withContent && notification && { notification }),
      ...(over_at !== undefined && { over_at }),
    };
  }

  /** Undefined for a kind that only another version knows; then the stored words count. */
  private words(notification: Notification): string | undefined {
    const news = newsIn(notification);
    return news && notificationWords(news, { ...this.telling, plant: notification.plant });
  }

  private async append(message: Omit<Sent, "timestamp">): Promise<SentMessage> {
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

  private async find(messageId: string, parameter = "in_reply_to"): Promise<MessageRecord> {
    const found = /^[1-9]\d{0,14}$/.test(messageId) ? await this.log.get(Number(messageId)) : undefined;
    if (found && !found.erased) return found;
    throw unknown(messageId, parameter);
  }
}

function assertFewChannels(deliveries: readonly Delivery[], token: string): void {
  if (deliveries.filter((each) => each.token === token).length < MAX_CHANNELS) return;
  const what = `channel: ${token} has delivered this message on ${MAX_CHANNELS} channels already`;
  throw new TendrilError(MESSAGE_ERRORS.TOO_MANY_CHANNELS, what);
}

const unknown = (messageId: string, parameter: string): TendrilError => {
  const what = `${parameter}: there is no message "${messageId.slice(0, 40)}"`;
  return new TendrilError(MESSAGE_ERRORS.UNKNOWN_MESSAGE, what);
};

const view = (
  id: number,
  record: Heading & { readonly content?: string },
  withContent: boolean,
): MessageView => {
  const { in_reply_to, timestamp, content, delivered_at, read_at } = record;
  const heading = { message_id: String(id), in_reply_to, timestamp, delivered_at, read_at };
  return withContent && content !== undefined ? { ...heading, content } : heading;
};

/** The messages of the house. An agent's plant status begins a new cycle for its limit. */
export const messages = definePart("messages", (house) => {
  const { agent } = house.config(messageConfig);
  const { cycle } = house.config(statusConfig);
  const limit = new MessageLimit(house.clock, {
    perCycle: agent.messages_per_cycle,
    perDay: agent.messages_per_day,
    cycle: minutes(cycle.max_age_minutes),
  });
  house.journal(STATUS_LOG).watch(({ record }) => limit.beginCycle(record.agent, record.plant));
  const telling = tellingIn(house.core.zone, (plant) => house.plants.nameOf(plant));
  return Messages.open(house.journal(MESSAGE_LOG), house.clock, limit, telling);
});

/** How news is told to people in this zone. */
export function tellingIn(zone: string, name: Telling["name"]): Omit<Telling, "plant"> {
  const time = new HouseTime(zone);
  return { name, remedy: remedyFor, clock: (at) => `${time.clock(at)} ${zone}` };
}
