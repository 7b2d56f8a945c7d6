import { setTimeout as sleepFor } from "node:timers/promises";
import { type EpochMillis, type Millis, seconds } from "./units.js";

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

/** A signal that follows its parent and can be aborted by itself. */
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

  /** Leaves the parent: it may live as long as the agent. */
  abort(reason?: unknown): void {
    this.parent.removeEventListener("abort", this.follow);
    this.own.abort(reason);
  }
}

/** Choices: the first wait is shorter than a person notices, the longest one leaves a server that recovers in peace. */
const FIRST_WAIT: Millis = 200;
const LONGEST_WAIT: Millis = seconds(30);

/**
 * Exponential backoff: waits that double from 0.2 s up to 30 s, each shortened at random by up to half, so that many agents
 * do not come back in step. `random` gives [0, 1).
 */
export function* exponentialBackoff(random: () => number): Generator<Millis, never> {
  for (let wait = FIRST_WAIT; ; wait = Math.min(LONGEST_WAIT, wait * 2)) yield wait * (1 - random() / 2);
}
