import { cronMatcher, cronProblem as problemOf } from "../../runtime/wire/cron.js";
import { ChildSignal, type Clock } from "../clock.js";
import type { Cancel } from "../link/agenda.js";
import { type EpochMillis, hours, type Millis, minutes } from "../units.js";
import { ASK_AGAIN, type PlantTime } from "./plant-time.js";

export interface Schedule {
  /** Whether the first turn is now. */
  readonly beginsAtOnce: boolean;
  /** The next instant to check, later than `after`. */
  next(after: EpochMillis): EpochMillis;
  /** Whether a turn is due at an instant that `next` gave. */
  isDue(at: EpochMillis): boolean;
}

export const every = (interval: Millis): Schedule => ({
  beginsAtOnce: true,
  next: (after) => after + interval,
  isDue: () => true,
});

/** Why a pattern is invalid; undefined if it is valid. A sixth field would be seconds, which are not needed. */
export function cronProblem(pattern: string): string | undefined {
  const fields = pattern.trim().split(/\s+/).length;
  return fields === 5 ? problemOf(pattern) : `it has ${fields}`;
}

const MINUTE = minutes(1);
/** How far to look ahead at once: a choice. */
const AHEAD = hours(24);

/** The instants of a cron pattern in a time zone. Throws for an invalid pattern. */
export function cron(pattern: string, zone = "UTC"): Schedule {
  const matches = cronMatcher(pattern, zone);
  return {
    beginsAtOnce: false,
    next(after) {
      const first = (Math.floor(after / MINUTE) + 1) * MINUTE;
      for (let at = first; at < first + AHEAD; at += MINUTE) if (matches(at)) return at;
      return first + AHEAD - MINUTE;
    },
    isDue: matches,
  };
}

interface ScheduleOptions {
  readonly schedule: Schedule;
  readonly plantTime: PlantTime;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /**
   * Calls `listener` when a turn shall begin early: for a task, or a message of the person. If the first turn begins at once,
   * it is registered after that turn, so that what this turn sees does not start another one.
   */
  readonly wakeUps?: (listener: () => void) => Cancel;
}

/** Least time between the starts of two turns, by the plant's clock. A choice: also the shortest `--every`. */
const MIN_APART: Millis = minutes(1);

/**
 * Runs `turn` by the schedule and after wake-ups, one at a time. A turn that falls due during another waits for its end, and
 * one turn answers any number of wake-ups. While the runtime cannot tell the time, intervals use this computer's clock, and a
 * cron pattern waits for the first answer. Ends by the signal, or when `turn` rejects.
 */
export async function runRegularly(turn: () => Promise<void>, options: ScheduleOptions): Promise<never> {
  const runner = new TurnRunner(turn, options);
  try {
    return await runner.run();
  } finally {
    runner.close();
  }
}

class TurnRunner {
  private wake: () => void = () => undefined;
  /** Resolves at the first wake-up since the last turn began. */
  private woken = this.nextWakeUp();
  private cancel: Cancel | undefined;

  constructor(
    private readonly turn: () => Promise<void>,
    private readonly options: ScheduleOptions,
  ) {}

  close(): void {
    this.cancel?.();
  }

  async run(): Promise<never> {
    const { schedule, plantTime, signal } = this.options;
    if (!schedule.beginsAtOnce) await this.pause(await this.firstTime());
    for (;;) {
      const start = (await plantTime.now(signal)) ?? plantTime.estimate();
      this.woken = this.nextWakeUp();
      await this.turn();
      await this.pause(start);
    }
  }

  private nextWakeUp(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  /** Waits until the next turn is due, or for a wake-up, but at least `MIN_APART` after `start`. */
  private async pause(start: EpochMillis): Promise<void> {
    const { plantTime, signal, wakeUps } = this.options;
    this.cancel ??= wakeUps?.(() => this.wake());
    const waiting = new ChildSignal(signal);
    const mayBegin = () => plantTime.waitFor((after) => after + MIN_APART, start, waiting.signal);
    try {
      await Promise.race([this.due(start, waiting.signal), this.woken.then(mayBegin)]);
    } finally {
      waiting.abort();
    }
  }

  private async due(start: EpochMillis, signal: AbortSignal): Promise<void> {
    const { schedule, plantTime } = this.options;
    for (let at = start; ; ) {
      at = await plantTime.waitFor((after) => schedule.next(after), at, signal);
      if (schedule.isDue(at)) return;
    }
  }

  private async firstTime(): Promise<EpochMillis> {
    const { plantTime, clock, signal } = this.options;
    for (;;) {
      const now = await plantTime.now(signal);
      if (now !== undefined) return now;
      await clock.sleep(ASK_AGAIN, signal);
    }
  }
}

/** A choice: more than a person's tasks in an hour, and at most one turn in ten minutes by tasks of a model. */
const WAKES_AN_HOUR = 6;

/**
 * Limits how often due tasks begin a turn, in real time: a model can add tasks that are due at once, and each turn costs.
 * Tasks beyond the limit wait for the next regular turn.
 */
export class WakeLimit {
  private admitted: Millis[] = [];

  /** `now`: monotonic. */
  admits(now: Millis): boolean {
    this.admitted = this.admitted.filter((at) => now - at < hours(1));
    if (this.admitted.length >= WAKES_AN_HOUR) return false;
    this.admitted.push(now);
    return true;
  }
}
