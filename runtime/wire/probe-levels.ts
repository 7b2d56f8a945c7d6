import type { MeasuredProbe } from "./plants.js";

/** Whether a probe's levels in air, in water and in its pot are a calibration: for `tendril calibrate moisture` and for the page. */

export type Unit = MeasuredProbe["unit"];
export type Place = "air" | "water" | "pot";

/** Least difference between dry and wet, by the unit. Choices: 0.1 V; below 100 counts a seesaw's noise would show. */
export const LEAST_SPAN = { V: 0.1, counts: 100 } as const;

export interface Steady {
  readonly level: number;
  readonly unit: Unit;
  /** Largest difference between levels, or between conversions of one measurement. */
  readonly spread: number;
  readonly resembles: MeasuredProbe["resembles"];
  /** The calibration that the runtime uses now. */
  readonly inForce: Ends;
}

export interface Ends {
  readonly dry: number;
  readonly wet: number;
}

/** Choices: six equal levels in a row over three seconds; a probe that is still getting wet changes in that time. */
const IN_A_ROW = 6;
const EVERY_MS = 500;
/** A hundredth of the span that a usual probe of the kind has, 1.5 V or 1500 counts (a choice). */
const WITHIN: Readonly<Record<Unit, number>> = { V: 0.015, counts: 15 };
/** Most difference between conversions of one measurement: half of the smallest span. An open input has more. */
const HUM: Readonly<Record<Unit, number>> = { V: LEAST_SPAN.V / 2, counts: LEAST_SPAN.counts / 2 };
/** Milliseconds. A choice: soil and water settle in seconds, and a person may have to fix a plug. */
const PATIENCE_MS = 60_000;
/** Measurements before anybody gives up: on a slow link few fit into that time. A choice: twice what a steady probe needs. */
const FEWEST = 2 * IN_A_ROW;

/** The steady level, if the last ones agree. */
export function steadyOf(measured: readonly MeasuredProbe[]): Steady | undefined {
  const last = measured.slice(-IN_A_ROW);
  const newest = last.at(-1);
  if (last.length < IN_A_ROW || !newest) return undefined;
  const { unit, resembles, dry, wet } = newest;
  if (rangeOf(last) > WITHIN[unit] || last.some((each) => each.spread > HUM[unit])) return undefined;
  const levels = last.map(({ level }) => level).sort((a, b) => a - b);
  const level = ((levels[IN_A_ROW / 2 - 1] ?? 0) + (levels[IN_A_ROW / 2] ?? 0)) / 2;
  const spread = Math.max(rangeOf(last), ...last.map((each) => each.spread));
  return { level, unit, spread, resembles, inForce: { dry, wet } };
}

/** Volts to the millivolt, whole counts. */
export const inWords = (level: number, unit: Unit): string =>
  unit === "V" ? `${level.toFixed(3)} V` : `${Math.round(level)} counts`;

/** A refusal of a tool, as a client has it. */
interface Refusal extends Error {
  readonly code: string;
}

/** The probe was measured for a minute, and its levels never agreed. */
export class NotSteady extends Error {
  override readonly name = "NotSteady";

  constructor(readonly measured: readonly MeasuredProbe[]) {
    super("the probe is not steady");
  }
}

/** How a client waits, and what it shows meanwhile. */
interface Waiting {
  /** Milliseconds. */
  monotonic(): number;
  /** Rejects if the person gives up. */
  sleep(ms: number): Promise<void>;
  /** The last levels; or why there is none. */
  tell(measured: readonly MeasuredProbe[], trouble: Refusal | undefined): void;
}

/**
 * Measures until the level is steady. Rejects with NotSteady or the probe's refusal if it is not within a minute and some measurements,
 * and at once with any other refusal. A probe that does not answer may be plugged in meanwhile.
 */
export async function untilSteady(measure: () => Promise<MeasuredProbe>, waiting: Waiting): Promise<Steady> {
  const giveUpAt = waiting.monotonic() + PATIENCE_MS;
  let measured: readonly MeasuredProbe[] = [];
  let trouble: Refusal | undefined;
  for (let count = 0; count < FEWEST || waiting.monotonic() < giveUpAt; count += 1) {
    try {
      measured = [...measured, await measure()].slice(-IN_A_ROW);
      trouble = undefined;
    } catch (error) {
      if (!isOfHardware(error)) throw error;
      trouble = error;
      measured = [];
    }
    const steady = steadyOf(measured);
    waiting.tell(measured, trouble);
    if (steady) return steady;
    await waiting.sleep(EVERY_MS);
  }
  throw trouble ?? new NotSteady(measured);
}

/** A refusal of the probe or its bus. */
const isOfHardware = (error: unknown): error is Refusal =>
  error instanceof Error && "code" in error && /^(BUS|PROBE|CONVERSION|PIN)_/.test(String(error.code));

export const rangeOf = (measured: readonly MeasuredProbe[]): number => {
  const levels = measured.map(({ level }) => level);
  return Math.max(...levels) - Math.min(...levels);
};

/** Direction as the soil gets wetter: the voltage of a capacitive probe falls, the counts of a seesaw rise. */
const USUAL_SIGN: Readonly<Record<Unit, number>> = { V: -1, counts: 1 };
/** As a part of the span: more noise than that makes a reading implausible (drivers/devices/soil-probe.ts, ABSURD_SPREAD). */
export const MAX_NOISE = 0.1;
/** A choice: below half of the smallest span, dry and wet count as the same. */
const LITTLE = 2;

/** Why dry and wet are no valid calibration; undefined if they are. */
export function spanTrouble(dry: Steady, wet: Steady): "same" | "close" | "noisy" | undefined {
  const span = Math.abs(dry.level - wet.level);
  const noise = Math.max(dry.spread, wet.spread);
  if (span <= noise || span < LEAST_SPAN[dry.unit] / LITTLE) return "same";
  if (span < LEAST_SPAN[dry.unit]) return "close";
  return noise > span * MAX_NOISE ? "noisy" : undefined;
}

/** Whether the direction is unusual for its kind: dry and wet were swapped, or it is another make. */
export const isUnusual = ({ dry, wet }: Ends, unit: Unit): boolean =>
  Math.sign(wet - dry) !== USUAL_SIGN[unit];

/** Percent of the way from dry to wet, not clipped. */
export const percentOf = (level: number, { dry, wet }: Ends): number => (100 * (level - dry)) / (wet - dry);

/** Whether the runtime takes a reading outside of dry and wet: a quarter of the span beyond either (drivers/devices/soil-probe.ts). */
export const isImplausible = (percent: number): boolean => percent < -25 || percent > 125;

const KEYS = { V: ["dry_volts", "wet_volts"], counts: ["dry_counts", "wet_counts"] } as const;
/** To the millivolt, which is less than any probe's noise; counts are whole. */
const DECIMALS: Readonly<Record<Unit, number>> = { V: 3, counts: 0 };

/** The keys of `probe` in the configuration, with their values. */
export function keysOf({ dry, wet }: Ends, unit: Unit): Record<string, number> {
  const [dryKey, wetKey] = KEYS[unit];
  const rounded = (level: number) => Number(level.toFixed(DECIMALS[unit]));
  return { [dryKey]: rounded(dry), [wetKey]: rounded(wet) };
}
