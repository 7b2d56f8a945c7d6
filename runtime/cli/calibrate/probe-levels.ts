import { ABSURD_SPREAD } from "../../../drivers/devices/soil-probe.js";
import type { Clock } from "../../../drivers/ports.js";
import { type Millis, millis, seconds } from "../../../drivers/units.js";
import { LEAST_SPAN } from "../../config/devices.js";
import type { MeasuredProbe } from "../../wire/plants.js";
import { CommandError } from "../failure.js";
import { Refused } from "../remote.js";
import type { Terminal } from "../terminal.js";

export type Unit = MeasuredProbe["unit"];

/** A steady level. */
export interface Steady {
  readonly level: number;
  readonly unit: Unit;
  /** Largest difference between levels, or between conversions of one measurement. */
  readonly spread: number;
  readonly resembles: MeasuredProbe["resembles"];
  /** The calibration that the runtime uses now. */
  readonly inForce: { readonly dry: number; readonly wet: number };
}

/** Choices: six equal levels in a row over three seconds; a probe that is still getting wet changes in that time. */
const IN_A_ROW = 6;
const EVERY: Millis = millis(500);
/** A hundredth of the span that a usual probe of the kind has, 1.5 V or 1500 counts (a choice). */
const WITHIN: Readonly<Record<Unit, number>> = { V: 0.015, counts: 15 };
/** Most difference between conversions of one measurement: half of the smallest span. An open input has more. */
const HUM: Readonly<Record<Unit, number>> = { V: LEAST_SPAN.V / 2, counts: LEAST_SPAN.counts / 2 };
/** A choice: soil and water settle in seconds, and a person may have to fix a plug. */
const PATIENCE: Millis = seconds(60);

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

/**
 * Measures until the level is steady. Throws a CommandError with the reason if it is not within a minute. A probe that does not
 * answer may be plugged in meanwhile.
 */
export async function untilSteady(
  measure: () => Promise<MeasuredProbe>,
  terminal: Terminal,
  clock: Pick<Clock, "monotonic" | "sleep">,
): Promise<Steady> {
  const giveUpAt = clock.monotonic() + PATIENCE;
  let measured: MeasuredProbe[] = [];
  let trouble: Refused | undefined;
  while (clock.monotonic() < giveUpAt) {
    try {
      measured = [...measured, await measure()].slice(-IN_A_ROW);
      trouble = undefined;
    } catch (error) {
      trouble = hardwareRefusal(error);
      measured = [];
    }
    const steady = steadyOf(measured);
    terminal.show(`      ${trouble?.message ?? progress(measured)}`);
    if (steady) return steady;
    await clock.sleep(EVERY, terminal.interrupted);
  }
  throw trouble ?? new CommandError(notSteady(measured));
}

/** A refusal of the probe or its bus; rethrows all others. */
function hardwareRefusal(error: unknown): Refused {
  if (error instanceof Refused && /^(BUS|PROBE|CONVERSION|PIN)_/.test(error.code)) return error;
  throw error;
}

function progress(measured: readonly MeasuredProbe[]): string {
  const newest = measured.at(-1);
  if (!newest) return "";
  return `${inWords(newest.level, newest.unit)}, within ${inWords(rangeOf(measured), newest.unit)}: waiting until it is steady`;
}

function notSteady(measured: readonly MeasuredProbe[]): string {
  const levels = measured.map(({ level }) => level);
  const unit = measured[0]?.unit ?? "V";
  const [least, most] = [Math.min(...levels), Math.max(...levels)].map((level) => inWords(level, unit));
  const open = measured.some(({ resembles }) => resembles === "open input");
  const likely = open
    ? "like an input without a probe: is the probe plugged in, and on this channel?"
    : "a loose wire, or somebody moves it";
  return `the probe is not steady: it varies between ${least} and ${most}, ${likely}`;
}

const rangeOf = (measured: readonly MeasuredProbe[]): number => {
  const levels = measured.map(({ level }) => level);
  return Math.max(...levels) - Math.min(...levels);
};

export interface Ends {
  readonly dry: number;
  readonly wet: number;
}

export interface ProbeFound {
  readonly dry: Steady;
  readonly wet: Steady;
  readonly pot: Steady;
}

/** Direction as the soil gets wetter: the voltage of a capacitive probe falls, the counts of a seesaw rise. */
const USUAL_SIGN: Readonly<Record<Unit, number>> = { V: -1, counts: 1 };

/** Why dry and wet are no valid calibration; undefined if they are. `where`: the probe's address in the configuration. */
export function spanProblem(
  { dry, wet }: Pick<ProbeFound, "dry" | "wet">,
  where: string,
): string | undefined {
  const span = Math.abs(dry.level - wet.level);
  const noise = Math.max(dry.spread, wet.spread);
  const both = `${inWords(dry.level, dry.unit)} dry and ${inWords(wet.level, wet.unit)} wet`;
  if (span <= noise || span < LEAST_SPAN[dry.unit] / LITTLE)
    return `dry and wet are the same (${both}): the probe is broken, it is not the one on ${where}, or it was not moved`;
  if (span < LEAST_SPAN[dry.unit])
    return `dry and wet are too close (${both}): they must differ by ${inWords(LEAST_SPAN[dry.unit], dry.unit)} or more; was it in up to the mark?`;
  if (noise > span * ABSURD_SPREAD)
    return `the probe's noise (${inWords(noise, dry.unit)}) is more than a tenth of its span (${both}): a loose wire, a long cable, or a bad supply`;
  return undefined;
}

/** A choice: below half of the smallest span, dry and wet count as the same. */
const LITTLE = 2;

/** Whether the direction is unusual for its kind: dry and wet were swapped, or it is another make. */
export const isUnusual = ({ dry, wet }: Ends, unit: Unit): boolean =>
  Math.sign(wet - dry) !== USUAL_SIGN[unit];

/** The results, one line each. */
export function probeInWords({ dry, wet, pot }: ProbeFound, before: Ends): string[] {
  const { unit } = dry;
  const ends = { dry: dry.level, wet: wet.level };
  const span = Math.abs(ends.dry - ends.wet);
  const noise = Math.max(dry.spread, wet.spread, pot.spread);
  const percent = (100 * (pot.level - ends.dry)) / (ends.wet - ends.dry);
  const turned = Math.sign(before.wet - before.dry) !== Math.sign(ends.wet - ends.dry);
  return [
    `  dry    ${inWords(ends.dry, unit)}`,
    `  wet    ${inWords(ends.wet, unit)}: it ${ends.wet < ends.dry ? "falls" : "rises"} as the soil gets wetter${turned ? "; the file had it the other way round" : ""}`,
    `  span   ${inWords(span, unit)}, its noise is ${((100 * noise) / span).toFixed(1)} % of that`,
    `  in pot ${inWords(pot.level, unit)}: ${percent.toFixed(0)} %${outside(percent)}`,
  ];
}

/** The runtime accepts a quarter of the span beyond either end (drivers/devices/soil-probe.ts). */
function outside(percent: number): string {
  if (percent >= 0 && percent <= 100) return "";
  const what = percent < 0 ? "drier than dry" : "wetter than wet";
  const beyond = percent < -25 || percent > 125 ? "; the runtime will call such a reading implausible" : "";
  return ` (! ${what}: were both ends taken with the blade in up to the mark?${beyond})`;
}
