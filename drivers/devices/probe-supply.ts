import { Mutex } from "../mutex.js";
import type { Clock, OutputPin } from "../ports.js";
import type { Millis } from "../units.js";

/**
 * A pin that feeds one probe or several: on while anybody measures, off otherwise, since constant current corrodes a
 * probe and warms its soil.
 */
export class ProbeSupply {
  private users = 0;
  private on = false;
  private since: Millis;
  /** Changes of the pin, one after the other. */
  private readonly mutex = new Mutex();
  /** Measurements of the unpowered input that are under way. */
  private readonly looks = new Set<Promise<unknown>>();

  /** @param pin off when it is handed over */
  constructor(
    private readonly pin: OutputPin,
    private readonly clock: Pick<Clock, "monotonic" | "sleep">,
  ) {
    this.since = clock.monotonic();
  }

  /** Measures with the supply on for at least `settle`; the last one to measure switches it off. Rejects with PIN_FAILED. */
  async powered<T>(settle: Millis, measure: () => Promise<T>): Promise<T> {
    this.users += 1;
    try {
      await this.follow();
      await this.clock.sleep(Math.max(0, this.since + settle - this.clock.monotonic()) as Millis);
      return await measure();
    } finally {
      this.users -= 1;
      await this.follow();
    }
  }

  /** Measures with the supply off; undefined, and nothing is measured, unless it has been off for `least`. */
  async whileOff<T>(least: Millis, measure: () => Promise<T>): Promise<T | undefined> {
    if (this.on || this.users > 0 || this.clock.monotonic() < this.since + least) return undefined;
    const look = measure();
    this.looks.add(look);
    return look.finally(() => this.looks.delete(look));
  }

  /** Sets the pin to what its users want by the time it is their turn. */
  private follow(): Promise<void> {
    return this.mutex.run(() => this.set(this.users > 0));
  }

  private async set(on: boolean): Promise<void> {
    if (on === this.on) return;
    if (on) await Promise.allSettled(this.looks);
    await this.pin.set(on);
    this.on = on;
    this.since = this.clock.monotonic();
  }
}

/** How a probe is fed: by which supply, and how long after switching on it gives its level. */
export interface ProbePower {
  readonly supply: ProbeSupply;
  readonly settle: Millis;
}

/** Measures with the probe fed. Without `power` it is fed all the time. */
export const fed = <T>(power: ProbePower | undefined, measure: () => Promise<T>): Promise<T> =>
  power ? power.supply.powered(power.settle, measure) : measure();
