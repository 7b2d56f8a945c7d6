import type { Clock } from "../../../drivers/ports.js";
import { hours, type Millis } from "../../../drivers/units.js";
import { notAllowed } from "../../errors.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { Caller } from "../../tools/tool.js";
import { kindOf, outlineWords } from "../../wire/approval-words.js";
import { type Identity, mayActAs } from "../../wire/identity.js";
import {
  type ListedNotification,
  type News,
  type NewsData,
  type NewsKind,
  type Notification,
  newsIn,
  type Severity,
} from "../../wire/notifications.js";
import { HOUSEHOLD, type Household, household } from "../household/household.js";
import { definePart } from "../module.js";
import { deliveryOn, type MessageRecord } from "../people/message-log.js";
import { type Messages, messages } from "../people/messages.js";

/** The person whom a notification is for; `data.user_id` names one. */
export function ownerOf({ data }: Notification): string {
  return "user_id" in data && typeof data.user_id === "string" ? data.user_id : HOUSEHOLD;
}

/** The person whose a message or notification is. */
export const ownerOfLetter = ({ notification, user_id = HOUSEHOLD }: MessageRecord): string =>
  notification ? ownerOf(notification) : user_id;

/** A message or notification as this caller may read it; undefined if it is another person's. */
export function letterAsRead(
  record: MessageRecord,
  caller: Caller,
  household: Household,
): MessageRecord | undefined {
  if (!record.notification)
    return household.viewOf(caller, undefined).sees(ownerOfLetter(record)) ? record : undefined;
  const notification = asRead(record.notification, caller, household);
  return notification && { ...record, notification };
}

/** A notification as this caller may read it; undefined if it is another person's. */
export function asRead(
  notification: Notification,
  caller: Caller,
  household: Household,
): Notification | undefined {
  const owner = ownerOf(notification);
  const reading = household.readingOf(caller, owner);
  if (reading === "nothing") return undefined;
  if (reading === "kind") return sketched(notification);
  if (reading === "all" || notification.kind !== "approval_requested") return notification;
  const { tool = "", arguments: args = {} } = notification.data;
  const data = { ...notification.data, arguments: {}, words: outlineWords(tool, args, owner) };
  return { ...notification, data };
}

/** For who only looks on: a request says what kind it is. All else that the household is told is for everybody. */
function sketched(notification: Notification): Notification {
  if (notification.kind === "approval_requested") {
    const { tool = "", arguments: args = {} } = notification.data;
    const { after_reading: _, ...data } = notification.data;
    return { ...notification, data: { ...data, ...kindOf(tool, args) } };
  }
  if (notification.kind === "approval_answered") {
    const { tool, arguments: args = {} } = notification.data;
    return { ...notification, data: { ...notification.data, arguments: kindOf(tool, args).arguments } };
  }
  if (notification.kind === "approval_void")
    return { ...notification, data: { ...notification.data, words: "do what waited for a yes" } };
  return notification;
}

/** A choice: after a week, `tendril status` says more than old news. */
const FRESH_FOR: Millis = hours(7 * 24);
/** How many of the newest messages to the person are searched; messages.ts keeps as many: a day's of ten agents. */
const LOOKED_AT = 500;

/** News from a service. The channel that shows it makes the words, see wire/notifications.ts. */
export type Told = News & {
  readonly severity: Severity;
  /** Absent if it is about several plants, or none. */
  readonly plant?: string;
  /**
   * Names the news, with kind and plant. The same news is not told again until `over`, until it expires, or for
   * `standsFor`. Without a key each call is news.
   */
  readonly key?: string;
  readonly standsFor?: Millis;
  /** How long it may be delivered; a week by default. */
  readonly freshFor?: Millis;
  readonly answers?: NonNullable<Notification["answers"]>;
};

/** Identifies news that is not over. */
interface NewsName {
  readonly kind: NewsKind;
  readonly plant?: string | undefined;
  readonly key: string;
}

interface CurrentNews {
  /** Undefined while it is being written. */
  id?: number;
  readonly since: number;
  readonly notification: Notification;
  /** The same with its data; undefined: another version's shape, which cannot be judged here. Read once, since all news is judged every hour. */
  readonly news: News | undefined;
}

interface ListQuery {
  readonly limit: number;
  /** Only news after this message. */
  readonly after?: number | undefined;
  /** Only news that this channel has still to deliver: not delivered there, not over, not stale. */
  readonly waitingOn?: { readonly token: string; readonly channel: string } | undefined;
  /** Who reads it: another person's news is not shown. */
  readonly caller: Caller;
}

/**
 * What the runtime itself tells people: typed, durable, in the journal of the messages, so both have one order. Each
 * channel (a page, a chat, a mail) reads what it has still to deliver, and notes what it has delivered.
 */
export class Outbox {
  /** News that is not over, oldest first. */
  private current: CurrentNews[] = [];

  private constructor(
    private readonly messages: Messages,
    private readonly household: Household,
    private readonly clock: Clock,
  ) {}

  static async open(messages: Messages, household: Household, clock: Clock): Promise<Outbox> {
    const outbox = new Outbox(messages, household, clock);
    for await (const { id, record } of messages.newestLetters(LOOKED_AT)) {
      const { notification, over_at, timestamp } = record;
      if (notification && over_at === undefined && clock.now() < Date.parse(notification.expires_at))
        outbox.current.unshift({ id, ...currentNews(Date.parse(timestamp), notification) });
    }
    return outbox;
  }

  /** Resolves once it is on the disk, or if the same news is current. Rejects with STORE_FAILED. */
  async tell({ standsFor, freshFor = FRESH_FOR, ...news }: Told): Promise<void> {
    const now = this.clock.now();
    if (this.isCurrent(news, now)) return;
    const notification: Notification = {
      ...news,
      ...(standsFor !== undefined && { stands_until: isoUtc(now + standsFor) }),
      expires_at: isoUtc(now + freshFor),
    };
    // current before it is on the disk, so that the same news from two sides is told once
    const told = currentNews(now, notification);
    this.current = [...this.current, told].slice(-LOOKED_AT);
    try {
      told.id = await this.messages.notify(notification);
    } catch (error) {
      this.current = this.current.filter((each) => each !== told);
      throw error;
    }
    // it may have ended meanwhile
    if (!this.current.includes(told)) await this.messages.over(told.id);
  }

  /** Whether it was told, by this run or an earlier one, and is not over. */
  stands(name: NewsName): boolean {
    return this.current.some(({ notification }) => isNamed(notification, name));
  }

  /** Ends the news: no channel delivers it any more, and the next time it is news again. */
  over(name: NewsName): Promise<void> {
    return this.end(({ notification }) => isNamed(notification, name));
  }

  /** Ends all news of a kind that is no longer true, by its data and its plant. */
  overWhere<Kind extends NewsKind>(
    kind: Kind,
    isOver: (data: NewsData<Kind>, plant: string | undefined) => boolean,
  ): Promise<void> {
    return this.end(
      ({ news, notification }) =>
        news?.kind === kind && isOver(news.data as NewsData<Kind>, notification.plant),
    );
  }

  /**
   * A token with a scope answers only what it has delivered to the person itself, on any of its channels; a person's token
   * answers all. `what` names it in the refusal. Throws FORBIDDEN.
   */
  async assertMayAnswer({ name: token, role }: Identity, news: NewsName, what: string): Promise<void> {
    if (mayActAs(role, "human") || (await this.hasDelivered(token, news))) return;
    const why = `${token} has not delivered ${what}: it answers only what it has noted by note_delivery`;
    throw notAllowed(why);
  }

  private async hasDelivered(token: string, name: NewsName): Promise<boolean> {
    for await (const { record } of this.messages.newestLetters(LOOKED_AT)) {
      const { notification, deliveries = [] } = record;
      if (notification && isNamed(notification, name)) return deliveries.some((each) => each.token === token);
    }
    return false;
  }

  /** Forgets news that is erased of the journal. */
  drop(messages: readonly number[]): void {
    this.current = this.current.filter(({ id }) => id === undefined || !messages.includes(id));
  }

  /** Newest first, from the newest 500 messages to the person. */
  async list({ limit, after = 0, waitingOn, caller }: ListQuery): Promise<ListedNotification[]> {
    const found: ListedNotification[] = [];
    for await (const { id, record } of this.messages.newestLetters(LOOKED_AT)) {
      if (id <= after || found.length === limit) break;
      const notification = record.notification && asRead(record.notification, caller, this.household);
      if (!notification) continue;
      if (!waitingOn || this.isWaiting(record, notification, waitingOn))
        found.push(listed(id, record, notification));
    }
    return found;
  }

  /**
   * Notes that a message has reached the person on a channel. Returns whether that was known. Throws UNKNOWN_MESSAGE.
   */
  arrived(
    messageId: string,
    { token, channel, state }: { token: string; channel: string; state: "delivered" | "seen" },
  ): Promise<boolean> {
    const reached = state === "seen" ? "read" : "delivered";
    return this.messages.arrived(messageId, { token, channel, reached });
  }

  private async end(isOver: (current: CurrentNews) => boolean): Promise<void> {
    const ended = this.current.filter(isOver);
    this.current = this.current.filter((each) => !ended.includes(each));
    for (const { id } of ended) if (id !== undefined) await this.messages.over(id);
  }

  /** If the clock was set to before `since` or past the end, it is told again: rather twice than never. */
  private isCurrent({ kind, plant, key }: Told, now: number): boolean {
    if (key === undefined) return false;
    const known = this.current.findLast(({ notification }) => isNamed(notification, { kind, plant, key }));
    return known !== undefined && known.since <= now && now < endOf(known.notification);
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

const currentNews = (since: number, notification: Notification): CurrentNews => ({
  since,
  notification,
  news: newsIn(notification),
});

const isNamed = (notification: Notification, { kind, plant, key }: NewsName): boolean =>
  notification.key === key && notification.kind === kind && notification.plant === plant;

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

/** The outbox of the house. `tell` says what happened, as data. */
export const outbox = definePart("outbox", async (house) =>
  Outbox.open(await house.use(messages), await house.use(household), house.clock),
);
