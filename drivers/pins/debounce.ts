import type { Cancel, Clock } from "../ports.js";
import type { Millis } from "../units.js";

export interface DebounceTimes {
  /** From the first edge until the input counts as active, if it still is. */
  readonly trip: Millis;
  /** Without any edge, until it counts as inactive again. */
  readonly release: Millis;
}

/**
 * Steadies a contact that bounces. To trip it needs one look a fixed time after an edge, so that no chatter can put it
 * off; to release it has to be quiet.
 */
export class Debounce {
  private pending: Cancel | undefined;

  constructor(
    private state: boolean,
    private readonly times: DebounceTimes,
    private readonly clock: Clock,
    /** The level now. */
    private readonly look: () => boolean,
    private readonly changed: (active: boolean) => void,
  ) {}

  get active(): boolean {
    return this.state;
  }

  /** To be called at every edge. */
  edge(): void {
    if (this.state) this.cancel();
    const { trip, release } = this.times;
    this.pending ??= this.clock.after(this.state ? release : trip, () => this.settle());
  }

  cancel(): void {
    this.pending?.();
    this.pending = undefined;
  }

  private settle(): void {
    this.pending = undefined;
    const active = this.look();
    if (active === this.state) return;
    this.state = active;
    this.changed(active);
  }
}
