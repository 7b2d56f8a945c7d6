import { z } from "zod";
import type { Cancel, Clock } from "../../../drivers/ports.js";
import { hours, type Millis, minutes, seconds } from "../../../drivers/units.js";
import { errorTable, final, later, TendrilError } from "../../errors.js";
import { ProvenAges, type Stamp, stampOf } from "../../safety/stamp.js";
import { isoUtc } from "../../tools/iso-time.js";

export const MESSAGE_ERRORS = errorTable({
  UNKNOWN_MESSAGE: final("list the messages and use one of their ids", "nothing"),
  TOO_MANY_CHANNELS: final("note deliveries by the names of the channels that were used before", "nothing"),
  TOO_MANY_MESSAGES: later(
    "put what is left into one message later, or into the notes; a first answer to a message of the person may always go",
    "nothing",
  ),
});

export const messageConfig = {
  agent: z
    .strictObject({
      // a choice: what is wrong, a question, and one more for something new
      messages_per_cycle: z
        .int()
        .min(1)
        .max(100)
        .default(3)
        .describe("messages of an agent to the person from one plant status to the next"),
      // a choice: enough for an agent that cares for four plants every half hour; a person reads no more
      messages_per_day: z
        .int()
        .min(1)
        .max(1000)
        .default(20)
        .describe("messages of an agent to the person in 24 h; the runtime's own alarms are not limited"),
    })
    .prefault({}),
};

const DAY = hours(24);
/** A choice: longer than a model takes to correct a status, shorter than from cycle to cycle. */
const SHORTEST_CYCLE: Millis = minutes(5);

interface MessageRules {
  readonly perCycle: number;
  readonly perDay: number;
  /** A cycle ends with the agent's next status, or after this time. */
  readonly cycle: Millis;
}

interface Sent {
  readonly stamp: Stamp;
  /** Whether it was sent after the agent's last status. */
  inCycle: boolean;
}

interface Window {
  readonly most: number;
  readonly period: Millis;
  readonly sent: readonly Sent[];
  /** The words in the refusal after "at most 3 ". */
  readonly per: string;
}

/**
 * How many messages an agent may still send to the person. Counted by token, because a client can invent any other
 * name. Only proved ages count (ProvenAges), so setting the clock forward lets no more messages through.
 */
export class MessageLimit {
  /** Messages of earlier boots are older than this. */
  private readonly start: Stamp;
  /** When a status last began a cycle, by token and plant. */
  private readonly begun = new Map<string, Millis>();
  /** By token, oldest first. */
  private readonly byToken = new Map<string, Sent[]>();

  constructor(
    private readonly clock: Clock,
    private readonly rules: MessageRules,
  ) {
    this.start = stampOf(clock);
  }

  /** A message from before the start. It counts for the present cycle, because that may not have ended. */
  remember(token: string, stamp: Stamp): void {
    this.sentBy(token).push({ stamp, inCycle: true });
  }

  /**
   * The agent wrote a plant status, which begins a cycle. A status soon after another for the
   * same plant does not: a model once sent twenty messages in a second that way.
   */
  beginCycle(token: string, plant: string): void {
    const key = JSON.stringify([token, plant]);
    const now = this.clock.monotonic();
    if (now - (this.begun.get(key) ?? Number.NEGATIVE_INFINITY) < SHORTEST_CYCLE) return;
    this.begun.set(key, now);
    for (const sent of this.sentBy(token)) sent.inCycle = false;
  }

  /** Counts a message before it is sent; `giveBack` undoes that. Throws TOO_MANY_MESSAGES. */
  take(token: string): { readonly stamp: Stamp; readonly giveBack: Cancel } {
    const stamp = stampOf(this.clock);
    const { perCycle, perDay, cycle } = this.rules;
    const sent = this.today(token, stamp);
    const inCycle = sent.filter((each) => each.inCycle);
    this.assertRoom(token, stamp, { most: perDay, period: DAY, sent, per: "in 24 h" });
    this.assertRoom(token, stamp, { most: perCycle, period: cycle, sent: inCycle, per: "in a care cycle" });
    const own = { stamp, inCycle: true };
    sent.push(own);
    const others = () => this.sentBy(token).filter((each) => each !== own);
    return { stamp, giveBack: () => void this.byToken.set(token, others()) };
  }

  private assertRoom(token: string, now: Stamp, { most, period, sent, per }: Window): void {
    const ages = this.agesOf(sent, now);
    const left = ages.map((age) => period - age).filter((wait) => wait > 0);
    // one more may go once all but the newest `most - 1` are old enough
    const wait = left.sort((a, b) => a - b).at(-most);
    if (wait === undefined) return;
    const next = isoUtc(this.clock.now() + wait);
    const what = `${token} has sent ${left.length} messages to the person, and at most ${most} may go ${per}; the next may go at ${next}`;
    const details = { sent: left.length, at_most: most, per, next_at: next };
    throw new TendrilError(MESSAGE_ERRORS.TOO_MANY_MESSAGES, what, {
      retryAfter: wait / seconds(1),
      details,
    });
  }

  /** The messages of the last day; forgets older ones. */
  private today(token: string, now: Stamp): Sent[] {
    const sent = this.sentBy(token);
    const ages = this.agesOf(sent, now);
    const kept = sent.filter((_, at) => Number(ages[at]) < DAY);
    this.byToken.set(token, kept);
    return kept;
  }

  private agesOf(sent: readonly Sent[], now: Stamp): Millis[] {
    const marks = [...sent, { stamp: this.start }].map(({ stamp }) => ({ stamp, mark: true }));
    const ages = new ProvenAges(marks, now);
    return sent.map(({ stamp }) => ages.of(stamp));
  }

  private sentBy(token: string): Sent[] {
    const known = this.byToken.get(token);
    if (known) return known;
    const fresh: Sent[] = [];
    this.byToken.set(token, fresh);
    return fresh;
  }
}
