import { ABSURD_SPREAD } from "../../../drivers/devices/soil-probe.js";
import type { Clock } from "../../../drivers/ports.js";
import { type Millis, millis, seconds } from "../../../drivers/units.js";
import { LEAST_SPAN } from "../../config/devices.js";
import type { MeasuredProbe } from "../../wire/plants.js";
import { CommandError } from "../failure.js";
import { Refused } from "../remote.js";
import type { Terminal } from "../terminal.js";

export type Unit = MeasuredProbe["unit"];

/** A level that has come to rest. */
export interface Steady {
  readonly level: number;
  readonly unit: Unit;
  /** From the least to the greatest, of the levels or of one measurement's conversions. */
  readonly spread: number;
  readonly resembles: MeasuredProbe["resembles"];
  /** The calibration that the runtime goes by now. */
  readonly inForce: { readonly dry: number; readonly wet: number };
}

/** So many in a row must agree, so far apart: three seconds, in which a probe that is still getting wet shows it (choices). */
const IN_A_ROW = 6;
const EVERY: Millis = millis(500);
/** A hundredth of the span that a usual probe of the kind has, 1.5 V or 1500 counts (a choice). */
const WITHIN: Readonly<Record<Unit, number>> = { V: 0.015, counts: 15 };
/** What the conversions of one measurement may differ by: half of the least span there is; an open input picks up more. */
const HUM: Readonly<Record<Unit, number>> = { V: LEAST_SPAN.V / 2, counts: LEAST_SPAN.counts / 2 };
/** Soil and water settle in seconds; who still fiddles with a plug needs a little longer (a choice). */
const PATIENCE: Millis = seconds(60);

/** The last levels, where they agree. */
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

/** Levels are told to the millivolt, counts are whole. */
export const inWords = (level: number, unit: Unit): string =>
  unit === "V" ? `${level.toFixed(3)} V` : `${Math.round(level)} counts`;

/**
 * Measures until the level stands still. Throws a CommandError that says what is wrong where it does not within a minute;
 * a probe that does not answer may be plugged in meanwhile.
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

/** What the probe or its bus says; any other refusal is none of this loop's. */
function hardwareRefusal(error: unknown): Refused {
  if (error instanceof Refused && /^(BUS|PROBE|CONVERSION|PIN)_/.test(error.code)) return error;
  throw error;
}

function progress(measured: readonly MeasuredProbe[]): string {
  const newest = measured.at(-1);
  if (!newest) return "";
  return `${inWords(newest.level, newest.unit)}, within ${inWords(rangeOf(measured), newest.unit)}: waiting until it stands still`;
}

function notSteady(measured: readonly MeasuredProbe[]): string {
  const levels = measured.map(({ level }) => level);
  const unit = measured[0]?.unit ?? "V";
  const [least, most] = [Math.min(...levels), Math.max(...levels)].map((level) => inWords(level, unit));
  const open = measured.some(({ resembles }) => resembles === "open input");
  const likely = open
    ? "as an input with nothing on it does: is the probe plugged in, and on this channel?"
    : "a loose wire, or somebody moves it";
  return `the probe does not come to rest: it goes between ${least} and ${most}, ${likely}`;
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

/** How a kind of probe goes as its soil gets wetter: a capacitive one with a voltage falls, a seesaw counts up. */
const USUAL_SIGN: Readonly<Record<Unit, number>> = { V: -1, counts: 1 };

/** Why dry and wet are no calibration; undefined where they are one. `where`: the probe's place in the configuration. */
export function spanProblem(
  { dry, wet }: Pick<ProbeFound, "dry" | "wet">,
  where: string,
): string | undefined {
  const span = Math.abs(dry.level - wet.level);
  const noise = Math.max(dry.spread, wet.spread);
  const both = `${inWords(dry.level, dry.unit)} dry and ${inWords(wet.level, wet.unit)} wet`;
  if (span <= noise || span < LEAST_SPAN[dry.unit] / LITTLE)
    return `dry and wet make no difference (${both}): the probe is dead, it is another one than that of ${where}, or it was not moved`;
  if (span < LEAST_SPAN[dry.unit])
    return `dry and wet are too close (${both}): they must differ by ${inWords(LEAST_SPAN[dry.unit], dry.unit)} or more; was it in up to the mark?`;
  if (noise > span * ABSURD_SPREAD)
    return `the probe's noise (${inWords(noise, dry.unit)}) is more than a tenth of its span (${both}): a loose wire, a long cable, or a bad supply`;
  return undefined;
}

/** Half of the least span is no span at all (a choice). */
const LITTLE = 2;

/** Whether it goes the other way than its kind does: dry and wet were swapped, or it is of another make. */
export const isUnusual = ({ dry, wet }: Ends, unit: Unit): boolean =>
  Math.sign(wet - dry) !== USUAL_SIGN[unit];

/** What was found, a line each. */
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

/** The runtime takes a quarter of the span beyond either end (drivers/devices/soil-probe.ts). */
function outside(percent: number): string {
  if (percent >= 0 && percent <= 100) return "";
  const what = percent < 0 ? "drier than dry" : "wetter than wet";
  const beyond = percent < -25 || percent > 125 ? "; the runtime will call such a reading implausible" : "";
  return ` (! ${what}: were both ends taken with the blade in up to the mark?${beyond})`;
}
