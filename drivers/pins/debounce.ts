import type { Cancel, Clock } from "../ports.js";
import type { Millis } from "../units.js";

export interface DebounceTimes {
  /** From the first edge until the input counts as active, if it still is. */
  readonly trip: Millis;
  /** Without any edge, until it counts as inactive again. */
  readonly release: Millis;
}

/**
 * This many looks in a row that found the contact open again count as chatter, not as spikes. A choice: a broken cable at a
 * stop button then stops within a fifth of a second, and a float may dip ten times.
 */
const MAX_MISSES = 10;

/**
 * Debounces a contact. It becomes active when it is closed a fixed time after the first edge, or when it closes again and
 * again, so that no rhythm can delay it. It becomes inactive after a time without any edge.
 */
export class Debounce {
  private pending: Cancel | undefined;
  private misses = 0;
  private missedAt = -Infinity;

  constructor(
    private state: boolean,
    private readonly times: DebounceTimes,
    private readonly clock: Clock,
    private readonly look: () => boolean,
    private readonly changed: (active: boolean) => void,
  ) {}

  get active(): boolean {
    return this.state;
  }

  /** To be called at every edge. */
  edge(): void {
    if (this.state) this.cancel();
    // an edge after which it is open is over before anybody could see it: a spike, or the end of a bounce
    else if (!this.look()) return;
    const { trip, release } = this.times;
    this.pending ??= this.clock.after(this.state ? release : trip, () => this.settle());
  }

  cancel(): void {
    this.pending?.();
    this.pending = undefined;
  }

  private settle(): void {
    this.pending = undefined;
    const active = this.look() || (!this.state && this.chatters());
    if (active === this.state) return;
    this.misses = 0;
    this.state = active;
    this.changed(active);
  }

  /** Counts looks that found the contact open; two that are more than two trip times apart are unrelated. */
  private chatters(): boolean {
    const now = this.clock.monotonic();
    this.misses = now - this.missedAt > 2 * this.times.trip ? 1 : this.misses + 1;
    this.missedAt = now;
    return this.misses >= MAX_MISSES;
  }
}
