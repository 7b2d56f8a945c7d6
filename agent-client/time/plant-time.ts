import { z } from "zod";
import { currentTime } from "../../runtime/wire/plants.js";
import type { Clock } from "../clock.js";
import type { Runtime } from "../link/runtime.js";
import { type EpochMillis, type Millis, seconds } from "../units.js";

const timeAnswer = z.object({ timestamp: z.iso.datetime() });
const zoneAnswer = currentTime.pick({ zone: true });

interface Sample {
  readonly plant: EpochMillis;
  readonly here: Millis;
}

/** Two samples nearer than this tell more about the network than about the clocks. */
const MIN_APART: Millis = 200;
/** Above this speed the plant's days are shorter than ours. A choice: no clock is wrong by so much. */
const FAST = 1.5;
/** The runtime is asked at least this often: a clock that is set, or another speed, is noticed soon. */
const MAX_SLEEP: Millis = seconds(60);
const MIN_SLEEP: Millis = 50;
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
    const told = result.ok ? timeAnswer.safeParse(result.value).data : undefined;
    if (!told) return undefined;
    const sample = { plant: Date.parse(told.timestamp), here: this.clock.monotonic() };
    this.keep(sample);
    return sample.plant;
  }

  /** An estimate while the runtime cannot tell: its last answer and what our own clock has counted since, or from 0. */
  estimate(): EpochMillis {
    const here = this.clock.monotonic();
    const { plant, here: then } = this.newer ?? { plant: 0, here: 0 };
    return plant + here - then;
  }

  /**
   * Resolves to the first instant that `next` names after `start`, once it has come. A clock set back since then is a new
   * start, and so is the first answer of a runtime that could not tell the time before.
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

  /** Our time until `left` of plant time has passed; short while the speed is not known. */
  private sleepFor(left: Millis): Millis {
    const { speed } = this;
    if (speed === undefined) return MIN_APART;
    const wanted = speed > 0 ? left / speed : MAX_SLEEP;
    return Math.min(MAX_SLEEP, Math.max(MIN_SLEEP, wanted));
  }
}

/** The time zone of the runtime's house; UTC where an older runtime does not say it. */
export async function houseZone(runtime: Pick<Runtime, "call">): Promise<string> {
  const result = await runtime.call("get_current_time", {});
  return (result.ok ? zoneAnswer.safeParse(result.value).data?.zone : undefined) ?? "UTC";
}
