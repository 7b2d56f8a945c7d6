import { type EpochMillis, type Millis, millis } from "../units.js";
import type { WorldClock } from "./world-clock.js";

/**
 * Time for a chip whose conversions must not wait until somebody moves simulated time: sleeping takes it ahead of
 * the clock it follows, which catches up unnoticed.
 */
export class LeadingClock implements Pick<WorldClock, "world" | "monotonic" | "sleep"> {
  private ahead = millis(0);

  constructor(private readonly followed: WorldClock) {}

  world(): EpochMillis {
    return Math.floor(this.followed.world() + this.monotonic() - this.followed.monotonic()) as EpochMillis;
  }

  monotonic(): Millis {
    return millis(Math.max(this.ahead, this.followed.monotonic()));
  }

  async sleep(duration: Millis): Promise<void> {
    this.ahead = millis(this.monotonic() + duration);
  }
}
