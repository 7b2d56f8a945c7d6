import type { Cancel, Clock } from "../../../drivers/ports.js";
import { type EpochMillis, type Millis, millis } from "../../../drivers/units.js";

interface Timer {
  /** In whole cycles: a time in milliseconds may lie between two of them, and then never comes. */
  readonly due: number;
  readonly fn: () => void;
}

/** The host's time, which is the emulated chip's: it moves with the chip's cycles alone. */
export class EmulatedClock implements Clock {
  readonly bootId = "emulated";
  private timers: Timer[] = [];

  constructor(
    private readonly cycles: () => number,
    private readonly perMs: number,
  ) {}

  now(): EpochMillis {
    return (Date.parse("2026-06-01T08:00:00.000Z") + this.monotonic()) as EpochMillis;
  }

  monotonic(): Millis {
    return millis(this.cycles() / this.perMs);
  }

  synchronised(): boolean {
    return true;
  }

  sleep(duration: Millis): Promise<void> {
    return new Promise((resolve) => this.after(duration, resolve));
  }

  after(duration: Millis, fn: () => void): Cancel {
    const timer = { due: this.cycles() + Math.round(duration * this.perMs), fn };
    this.timers.push(timer);
    this.timers.sort((a, b) => a.due - b.due);
    return () => {
      this.timers = this.timers.filter((each) => each !== timer);
    };
  }

  /** The cycle at which the next timer is due; infinite where there is none. */
  nextDue(): number {
    return this.timers[0]?.due ?? Number.POSITIVE_INFINITY;
  }

  /** Runs the first timer that is due, if one is. */
  fire(): void {
    if (this.nextDue() <= this.cycles()) this.timers.shift()?.fn();
  }

  /** The host is gone. */
  stop(): void {
    this.timers = [];
  }
}
