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

/** Closer samples would measure the network's delays, not the clocks. */
const MIN_APART: Millis = 200;
/** Above this the plant's clock counts as fast. A choice: no real clock is that wrong. */
const FAST = 1.5;
/** The runtime is asked at least this often, to notice a clock that was set, or another speed. */
const MAX_SLEEP: Millis = seconds(60);
const MIN_SLEEP: Millis = 50;
/** A runtime that cannot tell the time is asked again after this. */
export const ASK_AGAIN: Millis = seconds(5);

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

/** The time zone of the runtime's house; UTC from an older runtime, which does not tell. */
export async function houseZone(runtime: Pick<Runtime, "call">): Promise<string> {
  const result = await runtime.call("get_current_time", {});
  return (result.ok ? zoneAnswer.safeParse(result.value).data?.zone : undefined) ?? "UTC";
}
