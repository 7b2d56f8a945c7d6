import type { Clock } from "../ports.js";
import { type EpochMillis, type Millis, millis } from "../units.js";

/**
 * Time for a chip whose conversions must not wait until somebody moves simulated time: sleeping takes it ahead of
 * the clock it follows, which catches up unnoticed.
 */
export class LeadingClock implements Pick<Clock, "now" | "monotonic" | "sleep"> {
  private ahead = millis(0);

  constructor(private readonly followed: Clock) {}

  now(): EpochMillis {
    return Math.floor(this.followed.now() + this.monotonic() - this.followed.monotonic()) as EpochMillis;
  }

  monotonic(): Millis {
    return millis(Math.max(this.ahead, this.followed.monotonic()));
  }

  async sleep(duration: Millis): Promise<void> {
    this.ahead = millis(this.monotonic() + duration);
  }
}
