import { afterReading } from "../../drivers/clock/system-clock.js";
import type { Clock } from "../../drivers/ports.js";
import { type Millis, plus, seconds } from "../../drivers/units.js";
import { TendrilError } from "../errors.js";

/**
 * Counts the stops of each pump and light. A stop ends every call that came before it, even one that has not claimed
 * the device yet because it waited for the disk or for a person.
 */
export class Stops {
  private made = 0;
  private ending = 0;
  /** The count when the current turn of the event loop began to read. */
  private before = 0;
  /** The number of the last stop for each pump and light. */
  private readonly last = new Map<string, number>();

  /** How many there have been. A call notes it when it arrives. */
  get count(): number {
    return this.made;
  }

  /**
   * The count for a call from the wire: the stops before this turn of the event loop. The order of messages that are
   * read in one turn is unknown, so a stop ends every call of its own turn. Its answer leaves later.
   */
  get beforeThisTurn(): number {
    return this.before;
  }

  /** How many of them ended something: a dose or a light, which only the first stop ends. */
  get ended(): number {
    return this.ending;
  }

  /** `what` is "pump basil". `ends`: it was at work, and no stop came before. */
  add(what: string, ends = false): void {
    if (this.made === this.before) afterReading(() => this.settle());
    this.made += 1;
    if (ends) this.ending += 1;
    this.last.set(what, this.made);
  }

  /** Whether there was a stop after the first `count`. */
  hasBeen(what: string, count: number): boolean {
    return (this.last.get(what) ?? 0) > count;
  }

  private settle(): void {
    this.before = this.made;
  }
}

/**
 * A choice: many times what a slow card needs for the lines of a call, and so short that what was measured and decided for it
 * still holds.
 */
const LONGEST = seconds(10);

/** How long a call has been on its way. It may have waited for a disk that hung. */
export class CallAge {
  private since: Millis;

  constructor(private readonly clock: Clock) {
    this.since = clock.monotonic();
  }

  /** The call has waited for a person's answer. That time does not count. */
  beginAnew(): void {
    this.since = this.clock.monotonic();
  }

  /** Waits for something outside, such as Home Assistant. That time does not count. */
  async outside<T>(answer: Promise<T>): Promise<T> {
    const began = this.clock.monotonic();
    try {
      return await answer;
    } finally {
      this.since = plus(this.since, this.clock.monotonic() - began);
    }
  }

  /** Throws TOO_LATE. */
  assertFresh(): void {
    const age = this.clock.monotonic() - this.since;
    if (age <= LONGEST) return;
    const what = `the call was held up for ${Math.round(age / 1000)} s, mostly by a slow disk, and nothing was switched on or sent`;
    throw new TendrilError("TOO_LATE", what);
  }
}
