import type { Clock } from "../drivers/ports.js";
import type { Millis } from "../drivers/units.js";

/** So many at once, and so many a second. */
export class TokenBucket {
  private level: number;
  private at: Millis;

  constructor(
    private readonly clock: Clock,
    private readonly size: number,
    private readonly perSecond: number,
  ) {
    this.level = size;
    this.at = clock.monotonic();
  }

  /** Whether there was one left. */
  take(): boolean {
    const now = this.clock.monotonic();
    this.level = Math.min(this.size, this.level + ((now - this.at) / 1000) * this.perSecond);
    this.at = now;
    if (this.level < 1) return false;
    this.level -= 1;
    return true;
  }

  /** Takes so many, whether they are there or not: up to a full bucket is owed. */
  charge(amount: number): void {
    this.level = Math.max(-this.size, this.level - amount);
  }

  /** Seconds after the last try until there is one again; 0 where there is. */
  get wait(): number {
    return Math.max(0, (1 - this.level) / this.perSecond);
  }
}
