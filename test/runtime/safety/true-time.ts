import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { millis } from "../../../drivers/units.js";

/**
 * A simulated clock that may lie, and true time, which no rule sees. "Synchronised" means that the wall clock is
 * right; only a clock that is not may be stepped.
 */
export class TrueTime {
  readonly clock = new SimulatedClock();
  /** Milliseconds since the beginning. */
  protected truth = 0;
  private readonly start = this.clock.now();

  protected async pass(duration: number): Promise<void> {
    this.truth += duration;
    await this.clock.advance(millis(duration));
  }

  protected reboot(downtime: number, synchronised: boolean): void {
    this.truth += downtime;
    this.clock.reboot({ downtime: millis(downtime), synchronised });
    if (synchronised) this.clock.stepWall(millis(this.start + this.truth - this.clock.now()));
  }
}
