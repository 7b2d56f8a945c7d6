import type { Cancel, Clock } from "../../../drivers/ports.js";
import { type EpochMillis, type Millis, millis } from "../../../drivers/units.js";

interface Timer {
  readonly due: number;
  readonly fn: () => void;
}

/** The host's time, which is the emulated chip's: it moves with the chip's cycles alone. */
export class EmulatedClock implements Clock {
  readonly bootId = "emulated";
  private timers: Timer[] = [];

  constructor(private readonly elapsed: () => number) {}

  now(): EpochMillis {
    return (Date.parse("2026-06-01T08:00:00.000Z") + this.elapsed()) as EpochMillis;
  }

  monotonic(): Millis {
    return millis(this.elapsed());
  }

  synchronised(): boolean {
    return true;
  }

  sleep(duration: Millis): Promise<void> {
    return new Promise((resolve) => this.after(duration, resolve));
  }

  after(duration: Millis, fn: () => void): Cancel {
    const timer = { due: this.elapsed() + duration, fn };
    this.timers.push(timer);
    this.timers.sort((a, b) => a.due - b.due);
    return () => {
      this.timers = this.timers.filter((each) => each !== timer);
    };
  }

  /** When the next timer is due; infinite where none is. */
  nextDue(): number {
    return this.timers[0]?.due ?? Number.POSITIVE_INFINITY;
  }

  /** Runs the first timer that is due, if one is. */
  fire(): void {
    if (this.nextDue() <= this.elapsed()) this.timers.shift()?.fn();
  }

  /** The host is gone. */
  stop(): void {
    this.timers = [];
  }
}
