import { z } from "zod";
import type { Clock } from "./clock.js";
import type { Runtime } from "./link/runtime.js";
import { type EpochMillis, type Millis, seconds } from "./units.js";

const answer = z.object({ timestamp: z.iso.datetime() });

interface Sample {
  readonly plant: EpochMillis;
  readonly here: Millis;
}

/** Two samples nearer than this tell more about the network than about the clocks. */
const LEAST_APART: Millis = 200;
/** From here on a day of the plant's is not ours: a choice, beyond what any clock is wrong by. */
const FAST = 1.5;
/** Looked at least this often, so that a stepped clock or a changed speed costs little. */
const LONGEST_NAP: Millis = seconds(60);
const SHORTEST_NAP: Millis = 50;
/** A runtime that cannot tell the time is asked again after this. */
export const ASK_AGAIN: Millis = seconds(5);

/**
 * The plant's time, which on a bench runs faster than ours. Only the runtime knows it: it is asked, and how fast
 * it runs is measured from one answer to the next.
 */
export class PlantTime {
  private older: Sample | undefined;
  private newer: Sample | undefined;
  /** In a row: one alone may be a clock that was set, or a computer that slept. */
  private fastSamples = 0;
  private isFastTold = false;

  /** `onFast` is told once where plant time runs faster than ours, and how much. */
  constructor(
    private readonly runtime: Pick<Runtime, "call">,
    private readonly clock: Clock,
    private readonly onFast: (speed: number) => void = () => undefined,
  ) {}

  /** Undefined where the runtime cannot tell just now. */
  async now(signal: AbortSignal): Promise<EpochMillis | undefined> {
    const result = await this.runtime.call("get_current_time", {}, { signal });
    const told = result.ok ? answer.safeParse(result.value).data : undefined;
    if (!told) return undefined;
    const sample = { plant: Date.parse(told.timestamp), here: this.clock.monotonic() };
    this.keep(sample);
    return sample.plant;
  }

  /** By our own clock, for as long as the runtime cannot tell: on from its last answer, or from nought. */
  reckoned(): EpochMillis {
    const here = this.clock.monotonic();
    const { plant, here: then } = this.newer ?? { plant: 0, here: 0 };
    return plant + here - then;
  }

  /** Resolves `interval` of plant time after `start`. A clock set back since then starts the interval anew. */
  async passes(interval: Millis, start: EpochMillis, signal: AbortSignal): Promise<void> {
    await this.reaches((after) => after + interval, start, signal);
  }

  /**
   * Resolves to the first instant that `next` names after `start`, once it has come. A clock set back since then is a new
   * start, and so is the first answer of a runtime that could not tell the time before.
   */
  async reaches(
    next: (after: EpochMillis) => EpochMillis,
    start: EpochMillis,
    signal: AbortSignal,
  ): Promise<EpochMillis> {
    let [begin, due] = [start, next(start)];
    let told = this.newer !== undefined;
    for (;;) {
      const answer = await this.now(signal);
      const now = answer ?? this.reckoned();
      if (now < begin || (answer !== undefined && !told)) [begin, due] = [now, next(now)];
      told ||= answer !== undefined;
      if (due <= now) return due;
      const nap = answer === undefined ? Math.min(ASK_AGAIN, due - now) : this.napFor(due - now);
      await this.clock.sleep(nap, signal);
    }
  }

  private keep(sample: Sample): void {
    if (this.newer && sample.here - this.newer.here < LEAST_APART) return;
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

  /** Our time until `left` of plant time has passed; short while the speed is not known. */
  private napFor(left: Millis): Millis {
    const { speed } = this;
    if (speed === undefined) return LEAST_APART;
    const wanted = speed > 0 ? left / speed : LONGEST_NAP;
    return Math.min(LONGEST_NAP, Math.max(SHORTEST_NAP, wanted));
  }
}
