import { setTimeout as sleepFor } from "node:timers/promises";
import type { EpochMillis, Millis } from "./units.js";

/** The agent's only source of time. What a plant's clock shows, the agent asks the runtime. */
export interface Clock {
  /** Never goes back. */
  monotonic(): Millis;
  /** Resolves after `duration`; rejects if the signal is aborted first. */
  sleep(duration: Millis, signal?: AbortSignal): Promise<void>;
}

/** This computer's calendar, for what a person reads and for the days of limits. It may be set, also back. */
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

/** Aborts after `time`; once the signal is aborted there is nothing more to do, and the timer is gone. */
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
