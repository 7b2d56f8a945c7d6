import type { Clock } from "../drivers/ports.js";
import type { Millis } from "../drivers/units.js";

/** Allows `size` at once and `perSecond` on average. */
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

  /** Takes one. Returns whether there was one. */
  take(): boolean {
    const now = this.clock.monotonic();
    this.level = Math.min(this.size, this.level + ((now - this.at) / 1000) * this.perSecond);
    this.at = now;
    if (this.level < 1) return false;
    this.level -= 1;
    return true;
  }

  /** Takes `amount` in any case. The debt is at most a full bucket. */
  charge(amount: number): void {
    this.level = Math.max(-this.size, this.level - amount);
  }

  /** Seconds after the last try until there is one again; 0 if there is one. */
  get wait(): number {
    return Math.max(0, (1 - this.level) / this.perSecond);
  }
}
