import type { Cancel, Clock } from "../../../drivers/ports.js";
import { TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import { isoUtc } from "../iso-time.js";
import { Listeners } from "../listeners.js";

export type Direction = "to_human" | "from_human";

/** A line of journal/messages.jsonl: a message, or that one was delivered or read. */
export type MessageEntry = { readonly timestamp: string } & (
  | {
      readonly direction: Direction;
      readonly content: string;
      readonly in_reply_to: string | null;
      readonly by: string;
    }
  | { readonly of: number; readonly reached: "delivered" | "read" }
);

export interface MessageRecord {
  readonly timestamp: string;
  readonly direction: Direction;
  readonly content: string;
  readonly in_reply_to: string | null;
  readonly by: string;
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

/** Messages between the person and the agent, each knowing whether it has arrived. */
export class Messages {
  private readonly inbox = new Listeners();

  constructor(
    private readonly log: RecordLog<MessageEntry, MessageRecord>,
    private readonly clock: Clock,
  ) {}

  /** Told when the person writes. */
  watchInbox(listener: () => void): Cancel {
    return this.inbox.watch(listener);
  }

  /** Throws UNKNOWN_MESSAGE where `inReplyTo` names none. */
  async send(
    direction: Direction,
    content: string,
    inReplyTo: string | undefined,
    by: string,
  ): Promise<{ timestamp: string; message_id: string }> {
    if (inReplyTo !== undefined) await this.assertKnown(inReplyTo);
    const timestamp = isoUtc(this.clock.now());
    const { id } = await this.log.append({
      timestamp,
      direction,
      content,
      in_reply_to: inReplyTo ?? null,
      by,
    });
    if (direction === "from_human") this.inbox.tell();
    return { timestamp, message_id: String(id) };
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
    const page = await this.log.newestFirst(among, 0, direction);
    return page.flatMap(({ id, record }) => (record.read_at === null ? [view(id, record, true)] : []));
  }

  private async page(direction: Direction, { limit, offset, withContent }: Page, asRecipient: boolean) {
    const lines = await this.log.newestFirst(limit, offset, direction);
    if (asRecipient)
      for (const line of lines) await this.reached(line.id, line.record, withContent ? "read" : "delivered");
    return lines;
  }

  private async reached(of: number, record: MessageRecord, reached: "delivered" | "read"): Promise<void> {
    const known = reached === "read" ? record.read_at : record.delivered_at;
    if (known === null) await this.log.append({ timestamp: isoUtc(this.clock.now()), of, reached });
  }

  private async assertKnown(messageId: string): Promise<void> {
    const found = /^[1-9]\d{0,14}$/.test(messageId) ? await this.log.get(Number(messageId)) : undefined;
    if (!found)
      throw new TendrilError(
        "UNKNOWN_MESSAGE",
        `in_reply_to: there is no message "${messageId.slice(0, 40)}"`,
      );
  }
}

const view = (
  id: number,
  { in_reply_to, timestamp, content, delivered_at, read_at }: MessageRecord,
  withContent: boolean,
): MessageView => ({
  message_id: String(id),
  in_reply_to,
  timestamp,
  delivered_at,
  read_at,
  ...(withContent && { content }),
});
