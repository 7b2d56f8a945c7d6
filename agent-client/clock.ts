import { setTimeout as sleepFor } from "node:timers/promises";

/**
 * Units as types, like in the drivers, but separate: the agent may run on another computer. Plain numbers, as from JSON, are
 * accepted for any unit; one unit is never accepted for another.
 */
declare const unit: unique symbol;
type Unit<U extends string> = number & { readonly [unit]?: U };

/** A duration, or an instant of a monotonic clock, in milliseconds. */
export type Millis = Unit<"ms">;
/** An instant of the wall clock: milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMillis = Unit<"epoch ms">;
export type Minutes = Unit<"min">;
export type Millilitres = Unit<"ml">;
/** Soil moisture by the probe's calibration: dry is 0, wet is 100. */
export type Percent = Unit<"%">;

/** In the currency of the configured prices. */
export type Money = Unit<"money">;

export const seconds = (n: number): Millis => n * 1000;
export const minutes = (n: number): Millis => n * 60_000;
export const hours = (n: number): Millis => n * 3_600_000;

/** The agent's only source of time. The agent asks the runtime for the time of the plants. */
export interface Clock {
  /** Never goes back. */
  monotonic(): Millis;
  /** Resolves after `duration`; rejects if the signal is aborted first. */
  sleep(duration: Millis, signal?: AbortSignal): Promise<void>;
}

/** This computer's calendar: for what a person reads, and for limits per day. Somebody may set it, also back. */
export interface Calendar {
  now(): EpochMillis;
}

/** Node's timers fire at once above this many milliseconds (2³¹ − 1). */
const LONGEST_TIMER = 2_147_483_647;

export class SystemClock implements Clock, Calendar {
  now(): EpochMillis {
    return Date.now();
  }

  monotonic(): Millis {
    return performance.now();
  }

  async sleep(duration: Millis, signal?: AbortSignal): Promise<void> {
    for (let rest: number = duration; rest > 0; rest -= LONGEST_TIMER) {
      await sleepFor(Math.min(rest, LONGEST_TIMER), undefined, signal ? { signal } : undefined);
    }
  }
}

/** Aborts `controller` after `time`. Once `signal` is aborted, the timer is cleared. */
export function abortAfter(
  time: Millis,
  controller: AbortController,
  clock: Clock,
  signal: AbortSignal,
): void {
  void clock.sleep(time, signal).then(
    () => controller.abort(),
    () => undefined,
  );
}

/** A signal that aborts with its parent, and can also be aborted alone. */
export class ChildSignal {
  private readonly own = new AbortController();
  private readonly follow = () => this.own.abort(this.parent.reason);

  constructor(private readonly parent: AbortSignal) {
    if (parent.aborted) this.follow();
    else parent.addEventListener("abort", this.follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.own.signal;
  }

  /** Removes the listener too: the parent may live as long as the agent. */
  abort(reason?: unknown): void {
    this.parent.removeEventListener("abort", this.follow);
    this.own.abort(reason);
  }
}
