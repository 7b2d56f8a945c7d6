import type { Stamp } from "../../safety/stamp.js";
import type { Delivery, Notification } from "../../wire/notifications.js";

export type Direction = "to_human" | "from_human";

/** A line of journal/messages.jsonl: a message or notification, or what became of one. */
export type MessageEntry = Letter | Reached | Over | Erased;

interface Letter {
  readonly timestamp: string;
  readonly direction: Direction;
  /** Of a notification: words for a version that does not know it. This version makes them from the data. */
  readonly content: string;
  readonly in_reply_to: string | null;
  readonly by: string;
  /** The person whose an agent's message is; absent: everybody's, or of a version before 2026-11-24. */
  readonly user_id?: string;
  /** Only for a message that counts against an agent's limit; older versions wrote none. */
  readonly stamp?: Stamp;
  /** Set for a notification of the runtime itself. */
  readonly notification?: Notification;
}

/** It has arrived. `channel` and `by`, for a message to the person: on which channel, and whose token noted it. */
interface Reached {
  readonly timestamp: string;
  readonly of: number;
  readonly reached: "delivered" | "read";
  readonly channel?: string;
  readonly by?: string;
}

/** The notification is over. A version that does not know this line takes it for delivered. */
interface Over {
  readonly timestamp: string;
  readonly of: number;
  readonly reached: "over";
}

/** What an erasure has left of any of these. */
interface Erased {
  readonly timestamp: string;
  readonly erased: true;
}

export interface MessageRecord extends Letter {
  readonly delivered_at: string | null;
  readonly read_at: string | null;
  /** By token and channel; absent if there was none. */
  readonly deliveries?: readonly Delivery[];
  readonly over_at?: string;
  readonly erased?: true;
}

/** What an erased message says. */
const ERASED = { direction: "to_human", content: "", in_reply_to: null, by: "", erased: true } as const;

export const MESSAGE_LOG = {
  name: "messages",
  erasable: true,
  subject: (entry: MessageEntry) => ("direction" in entry ? entry.direction : undefined),
  fold: (previous: MessageRecord | undefined, entry: MessageEntry): MessageRecord => {
    if ("erased" in entry) return erased(entry.timestamp);
    if (!("of" in entry)) return { ...entry, delivered_at: null, read_at: null };
    if (!previous) throw new Error(`messages.jsonl: message ${entry.of} was read before it was sent`);
    if (entry.reached === "over") return { ...previous, over_at: previous.over_at ?? entry.timestamp };
    return reached(previous, entry);
  },
};

const erased = (timestamp: string): MessageRecord => ({
  ...ERASED,
  ...{ timestamp, delivered_at: timestamp, read_at: timestamp, over_at: timestamp },
});

function reached(previous: MessageRecord, { timestamp, reached, channel, by }: Reached): MessageRecord {
  const isRead = reached === "read";
  const deliveries = channel !== undefined && by !== undefined && { channel, token: by };
  return {
    ...previous,
    delivered_at: previous.delivered_at ?? timestamp,
    read_at: isRead ? (previous.read_at ?? timestamp) : previous.read_at,
    ...(deliveries && { deliveries: withDelivery(previous.deliveries ?? [], deliveries, timestamp, isRead) }),
  };
}

function withDelivery(
  known: readonly Delivery[],
  at: Pick<Delivery, "token" | "channel">,
  timestamp: string,
  isSeen: boolean,
): Delivery[] {
  const before = deliveryOn(known, at);
  const delivered_at = before?.delivered_at ?? timestamp;
  const seen_at = before?.seen_at ?? (isSeen ? timestamp : null);
  return [...known.filter((each) => each !== before), { ...at, delivered_at, seen_at }];
}

/** Two clients may use the same name for a channel, so the token is compared too. */
export const deliveryOn = (
  deliveries: readonly Delivery[],
  { token, channel }: Pick<Delivery, "token" | "channel">,
): Delivery | undefined => deliveries.find((each) => each.token === token && each.channel === channel);
