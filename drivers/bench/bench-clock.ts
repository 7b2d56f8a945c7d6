import { randomUUID } from "node:crypto";
import { SystemClock } from "../clock/system-clock.js";
import { DriverError } from "../errors.js";
import type { Cancel, Clock } from "../ports.js";
import { type EpochMillis, type Millis, millis } from "../units.js";
import type { WorldClock } from "./world-clock.js";

/** Faster than this, timers of a millisecond become minutes of the bench. */
const MAX_SPEED = 60;

export interface BenchTime {
  /** Bench seconds in a real second, above 0 and up to 60. */
  readonly speed: number;
  /** What the wall clock shows at the start of this boot. */
  readonly start: EpochMillis;
  /** Every start of a bench is a boot. */
  readonly boot: number;
  /** Until then the wall clock is not taken for synchronised. */
  readonly unprovedUntil?: EpochMillis | undefined;
}

/**
 * The bench's own time: real time, scaled. The wall clock never steps, so it is taken for synchronised, except where the
 * bench has lost its state and with it the time.
 */
export class BenchClock implements WorldClock {
  readonly bootId: string;
  private readonly origin: Millis;

  /** Throws BENCH_OPTION_INVALID for a speed out of range. */
  constructor(
    private readonly time: BenchTime,
    private readonly real: Clock = new SystemClock(),
  ) {
    if (!(time.speed > 0 && time.speed <= MAX_SPEED)) {
      throw new DriverError(
        "BENCH_OPTION_INVALID",
        `speed is ${time.speed}, not above 0 and up to ${MAX_SPEED}`,
      );
    }
    // unlike that of any other boot, also where the count of boots was lost with the bench's state
    this.bootId = `bench-boot-${time.boot}-${randomUUID()}`;
    this.origin = real.monotonic();
  }

  now(): EpochMillis {
    return Math.floor(this.time.start + this.monotonic()) as EpochMillis;
  }

  world(): EpochMillis {
    return this.now();
  }

  monotonic(): Millis {
    return millis((this.real.monotonic() - this.origin) * this.time.speed);
  }

  synchronised(): boolean {
    const { unprovedUntil } = this.time;
    return unprovedUntil === undefined || this.now() >= unprovedUntil;
  }

  async sleep(duration: Millis, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const due = this.monotonic() + duration;
    while (this.monotonic() < due) await this.real.sleep(this.realUntil(due), signal);
  }

  after(duration: Millis, fn: () => void): Cancel {
    const due = this.monotonic() + duration;
    let cancel: Cancel;
    const arm = () => {
      cancel = this.real.after(this.realUntil(due), () => (this.monotonic() < due ? arm() : fn()));
    };
    arm();
    return () => cancel();
  }

  /** Node's timers may fire a fraction early, which the speed would multiply: whole milliseconds, and asked again. */
  private realUntil(due: number): Millis {
    return millis(Math.max(1, Math.ceil((due - this.monotonic()) / this.time.speed)));
  }
}
