import type { Clock } from "../../../drivers/ports.js";
import { hours, type Millis } from "../../../drivers/units.js";
import type { Stored } from "../../store/records.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { ListedNotification, News, Notification, Severity } from "../../wire/notifications.js";
import { definePart } from "../module.js";
import { deliveryOn, type MessageRecord } from "../people/message-log.js";
import { type Messages, messages } from "../people/messages.js";

/** A choice: what a person has not heard of for a week, `tendril status` shows better than old news would. */
const FRESH_FOR: Millis = hours(7 * 24);
/** So many of the newest messages to the person are looked through. As many as messages.ts remembers: a day's of ten agents. */
const LOOKED_AT = 500;

/** What a service tells people. Words are made where it is shown, see wire/notifications.ts. */
export type Told = News & {
  readonly severity: Severity;
  /** Absent: it is about several plants, or none. */
  readonly plant?: string;
  /**
   * Names the news, with kind and plant. The same news is not told again while it stands: until `over`, until it expires, or
   * for `standsFor`. Without a key each call is news.
   */
  readonly key?: string;
  readonly standsFor?: Millis;
  /** How long it is worth delivering; a week by default. */
  readonly freshFor?: Millis;
  readonly answers?: NonNullable<Notification["answers"]>;
};

/** What names the news that stands. */
export type NewsName = Pick<Notification, "kind" | "plant"> & { readonly key: string };

/** News that stands. */
interface Standing {
  /** Undefined while it is written. */
  readonly id: number | undefined;
  readonly since: number;
  readonly until: number;
}

export interface ListQuery {
  readonly limit: number;
  /** Only what came after this message. */
  readonly after?: number | undefined;
  /** Only what this channel has still to deliver: not delivered there, not over, not stale. */
  readonly waitingOn?: { readonly token: string; readonly channel: string } | undefined;
}

/**
 * What the runtime tells people by itself: typed, durable, in the same journal as the messages, so both have one order. Each
 * channel (a page, a chat, a mail) reads what it has still to deliver, and notes what it has delivered.
 */
export class Outbox {
  private readonly standing = new Map<string, Standing>();

  private constructor(
    private readonly messages: Messages,
    private readonly clock: Clock,
  ) {}

  static async open(messages: Messages, clock: Clock): Promise<Outbox> {
    const outbox = new Outbox(messages, clock);
    for await (const stored of messages.newestLetters(LOOKED_AT)) outbox.remember(stored);
    return outbox;
  }

  /** Resolves once it is on the disk, or where the same news stands already. Rejects with STORE_FAILED. */
  async tell({ standsFor, freshFor = FRESH_FOR, ...news }: Told): Promise<void> {
    const now = this.clock.now();
    const name = news.key === undefined ? undefined : nameOf({ ...news, key: news.key });
    if (name !== undefined && this.stands(name, now)) return;
    const notification: Notification = {
      ...news,
      ...(standsFor !== undefined && { stands_until: isoUtc(now + standsFor) }),
      expires_at: isoUtc(now + freshFor),
    };
    if (name === undefined) return void (await this.messages.notify(notification));
    await this.tellNamed(name, notification, now);
  }

  /** What the news told of is over: no channel delivers it any more, and when it comes again it is news. */
  async over(news: NewsName): Promise<void> {
    const name = nameOf(news);
    const known = this.standing.get(name);
    this.standing.delete(name);
    if (known?.id !== undefined) await this.messages.over(known.id);
  }

  /** Newest first, among the newest 500 messages to the person. */
  async list({ limit, after = 0, waitingOn }: ListQuery): Promise<ListedNotification[]> {
    const found: ListedNotification[] = [];
    for await (const { id, record } of this.messages.newestLetters(LOOKED_AT)) {
      if (id <= after || found.length === limit) break;
      const { notification } = record;
      if (notification && (!waitingOn || this.isWaiting(record, notification, waitingOn)))
        found.push(listed(id, record, notification));
    }
    return found;
  }

  /** Notes that a message to the person has arrived on a channel; whether that was known. Throws UNKNOWN_MESSAGE. */
  arrived(
    messageId: string,
    { token, channel, state }: { token: string; channel: string; state: "delivered" | "seen" },
  ): Promise<boolean> {
    const reached = state === "seen" ? "read" : "delivered";
    return this.messages.arrived(messageId, { token, channel, reached });
  }

  /** It stands before it is on the disk: two that tell the same at once tell it once. */
  private async tellNamed(name: string, notification: Notification, since: number): Promise<void> {
    const until = endOf(notification);
    const telling: Standing = { id: undefined, since, until };
    this.standing.set(name, telling);
    try {
      const id = await this.messages.notify(notification);
      // what was over meanwhile stays so
      if (this.standing.get(name) === telling) this.standing.set(name, { id, since, until });
      else await this.messages.over(id);
    } catch (error) {
      if (this.standing.get(name) === telling) this.standing.delete(name);
      throw error;
    }
  }

  /** A clock that was set before `since` or behind `until` lets it be told once more: twice rather than never. */
  private stands(name: string, now: number): boolean {
    const known = this.standing.get(name);
    return known !== undefined && known.since <= now && now < known.until;
  }

  /** Called with the newest first: of two with the same name the newer one counts. */
  private remember({ id, record }: Stored<MessageRecord>): void {
    const { notification, over_at, timestamp } = record;
    if (notification?.key === undefined) return;
    const name = nameOf({ ...notification, key: notification.key });
    if (over_at !== undefined || this.standing.has(name)) return;
    this.standing.set(name, { id, since: Date.parse(timestamp), until: endOf(notification) });
  }

  private isWaiting(
    { over_at, deliveries = [] }: MessageRecord,
    { expires_at }: Notification,
    channel: NonNullable<ListQuery["waitingOn"]>,
  ): boolean {
    const isStale = this.clock.now() >= Date.parse(expires_at);
    return over_at === undefined && !isStale && deliveryOn(deliveries, channel) === undefined;
  }
}

const nameOf = ({ kind, plant, key }: NewsName): string => JSON.stringify([kind, plant ?? null, key]);

const endOf = ({ stands_until, expires_at }: Notification): number => Date.parse(stands_until ?? expires_at);

function listed(id: number, record: MessageRecord, notification: Notification): ListedNotification {
  const { timestamp, over_at = null, deliveries = [] } = record;
  const { kind, severity, plant = null, data, answers = [], expires_at } = notification;
  return {
    message_id: String(id),
    timestamp,
    kind,
    severity,
    plant,
    data,
    answers: [...answers],
    expires_at,
    over_at,
    deliveries: [...deliveries],
  };
}

/** What the runtime tells people by itself: `tell` says what happened, as data. */
export const outbox = definePart("outbox", async (house) =>
  Outbox.open(await house.use(messages), house.clock),
);
