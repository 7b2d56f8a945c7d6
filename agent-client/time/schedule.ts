import { z } from "zod";
import { cronMatcher, cronProblem as problemOf } from "../../runtime/wire/cron.js";
import { currentTime } from "../../runtime/wire/plants.js";
import { ChildSignal, type Clock, type EpochMillis, hours, type Millis, minutes, seconds } from "../clock.js";
import { ask } from "../cycle/context.js";
import type { Cancel } from "../link/agenda.js";
import type { Runtime } from "../link/runtime.js";

const timeAnswer = z.object({ timestamp: z.iso.datetime() });

interface Sample {
  readonly plant: EpochMillis;
  readonly here: Millis;
}

/** Closer samples would measure the network's delays, not the clocks. */
const MIN_APART: Millis = 200;
/** Above this the plant's clock counts as fast. A choice: no real clock is that wrong. */
const FAST = 1.5;
/** The runtime is asked at least this often, to notice a clock that was set, or another speed. */
const MAX_SLEEP: Millis = seconds(60);
const MIN_SLEEP: Millis = 50;
/** A runtime that cannot tell the time is asked again after this. */
const ASK_AGAIN: Millis = seconds(5);

/**
 * The plant's time, which may run faster on a bench. It comes from the runtime; its speed is measured between two answers.
 */
export class PlantTime {
  private older: Sample | undefined;
  private newer: Sample | undefined;
  /** Fast samples in a row: a single one may be a clock that was set, or a computer that slept. */
  private fastSamples = 0;
  private isFastTold = false;

  /** Calls `onFast` once, with the speed, if the plant's time runs faster than ours. */
  constructor(
    private readonly runtime: Pick<Runtime, "call">,
    private readonly clock: Clock,
    private readonly onFast: (speed: number) => void = () => undefined,
  ) {}

  /** Undefined if the runtime cannot tell now. */
  async now(signal: AbortSignal): Promise<EpochMillis | undefined> {
    const result = await this.runtime.call("get_current_time", {}, { signal });
    const told = result.ok ? timeAnswer.safeParse(result.value).data : undefined;
    if (!told) return undefined;
    const sample = { plant: Date.parse(told.timestamp), here: this.clock.monotonic() };
    this.keep(sample);
    return sample.plant;
  }

  /** An estimate if the runtime cannot tell: its last answer (or 0) plus the time since by our clock. */
  estimate(): EpochMillis {
    const here = this.clock.monotonic();
    const { plant, here: then } = this.newer ?? { plant: 0, here: 0 };
    return plant + here - then;
  }

  /**
   * Waits for the first instant that `next` gives after `start`, and resolves to it. It begins again if the clock is set back,
   * and at the first answer of a runtime that could not tell the time before.
   */
  async waitFor(
    next: (after: EpochMillis) => EpochMillis,
    start: EpochMillis,
    signal: AbortSignal,
  ): Promise<EpochMillis> {
    let [begin, due] = [start, next(start)];
    let told = this.newer !== undefined;
    for (;;) {
      const answer = await this.now(signal);
      const now = answer ?? this.estimate();
      if (now < begin || (answer !== undefined && !told)) [begin, due] = [now, next(now)];
      told ||= answer !== undefined;
      if (due <= now) return due;
      const wait = answer === undefined ? Math.min(ASK_AGAIN, due - now) : this.sleepFor(due - now);
      await this.clock.sleep(wait, signal);
    }
  }

  private keep(sample: Sample): void {
    if (this.newer && sample.here - this.newer.here < MIN_APART) return;
    this.older = this.newer;
    this.newer = sample;
    this.notice(this.speed ?? 1);
  }

  private notice(speed: number): void {
    this.fastSamples = speed > FAST ? this.fastSamples + 1 : 0;
    if (this.isFastTold || this.fastSamples < 2) return;
    this.isFastTold = true;
    this.onFast(speed);
  }

  private get speed(): number | undefined {
    if (!this.older || !this.newer) return undefined;
    return (this.newer.plant - this.older.plant) / (this.newer.here - this.older.here);
  }

  /** Our time for `left` of plant time; short while the speed is unknown. */
  private sleepFor(left: Millis): Millis {
    const { speed } = this;
    if (speed === undefined) return MIN_APART;
    const wanted = speed > 0 ? left / speed : MAX_SLEEP;
    return Math.min(MAX_SLEEP, Math.max(MIN_SLEEP, wanted));
  }
}

/** The time zone of the runtime's house; UTC if the runtime cannot tell now. */
export async function houseZone(runtime: Pick<Runtime, "call">): Promise<string> {
  return (await ask(runtime, "get_current_time", {}, currentTime))?.zone ?? "UTC";
}

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
const TURNS_APART: Millis = minutes(1);

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

  /** Waits until the next turn is due, or for a wake-up, but at least `TURNS_APART` after `start`. */
  private async pause(start: EpochMillis): Promise<void> {
    const { plantTime, signal, wakeUps } = this.options;
    this.cancel ??= wakeUps?.(() => this.wake());
    const waiting = new ChildSignal(signal);
    const mayBegin = () => plantTime.waitFor((after) => after + TURNS_APART, start, waiting.signal);
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
