import type { Cancel, Clock } from "../ports.js";
import { type Millis, millis } from "../units.js";

/** A dead man's handle: whoever stops giving signs of life is let go of. */
export class Lease {
  private heardAt: Millis;
  private cancel: Cancel;

  /** `lapse` is called each time that `length` passes without a sign of life. */
  constructor(
    private readonly length: Millis,
    private readonly clock: Clock,
    private readonly lapse: () => void,
  ) {
    this.heardAt = clock.monotonic();
    this.cancel = this.watch(length);
  }

  renew(): void {
    this.heardAt = this.clock.monotonic();
  }

  close(): void {
    this.cancel();
  }

  private watch(rest: Millis): Cancel {
    return this.clock.after(rest, () => {
      const left = this.length - (this.clock.monotonic() - this.heardAt);
      if (left <= 0) this.lapse();
      this.cancel = this.watch(left > 0 ? millis(left) : this.length);
    });
  }
}
