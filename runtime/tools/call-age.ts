import type { Clock } from "../../drivers/ports.js";
import { type Millis, plus, seconds } from "../../drivers/units.js";
import { TendrilError } from "../errors.js";

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
