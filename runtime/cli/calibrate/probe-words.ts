import type { MeasuredProbe } from "../../wire/plants.js";
import {
  type Ends,
  inWords,
  isImplausible,
  LEAST_SPAN,
  percentOf,
  rangeOf,
  type Steady,
  spanTrouble,
} from "../../wire/probe-levels.js";

/** What wire/probe-levels.ts finds, in words for a terminal. */

/** What is shown while a level is not steady yet. */
export function progress(measured: readonly MeasuredProbe[]): string {
  const newest = measured.at(-1);
  if (!newest) return "";
  return `${inWords(newest.level, newest.unit)}, within ${inWords(rangeOf(measured), newest.unit)}: waiting until it is steady`;
}

export function notSteady(measured: readonly MeasuredProbe[]): string {
  const levels = measured.map(({ level }) => level);
  const unit = measured[0]?.unit ?? "V";
  const [least, most] = [Math.min(...levels), Math.max(...levels)].map((level) => inWords(level, unit));
  const open = measured.some(({ resembles }) => resembles === "open input");
  const likely = open
    ? "like an input without a probe: is the probe plugged in, and on this channel?"
    : "a loose wire, or somebody moves it";
  return `the probe is not steady: it varies between ${least} and ${most}, ${likely}`;
}

export interface ProbeFound {
  readonly dry: Steady;
  readonly wet: Steady;
  readonly pot: Steady;
}

/** Why dry and wet are no valid calibration; undefined if they are. `where`: the probe's address in the configuration. */
export function spanProblem(
  { dry, wet }: Pick<ProbeFound, "dry" | "wet">,
  where: string,
): string | undefined {
  const { unit } = dry;
  const both = `${inWords(dry.level, unit)} dry and ${inWords(wet.level, unit)} wet`;
  const noise = inWords(Math.max(dry.spread, wet.spread), unit);
  const trouble = spanTrouble(dry, wet);
  return (
    trouble &&
    {
      same: `dry and wet are the same (${both}): the probe is broken, it is not the one on ${where}, or it was not moved`,
      close: `dry and wet are too close (${both}): they must differ by ${inWords(LEAST_SPAN[unit], unit)} or more; was it in up to the mark?`,
      noisy: `the probe's noise (${noise}) is more than a tenth of its span (${both}): a loose wire, a long cable, or a bad supply`,
    }[trouble]
  );
}

export function probeInWords({ dry, wet, pot }: ProbeFound, before: Ends): string[] {
  const { unit } = dry;
  const ends = { dry: dry.level, wet: wet.level };
  const span = Math.abs(ends.dry - ends.wet);
  const noise = Math.max(dry.spread, wet.spread, pot.spread);
  const percent = percentOf(pot.level, ends);
  const turned = Math.sign(before.wet - before.dry) !== Math.sign(ends.wet - ends.dry);
  return [
    `  dry    ${inWords(ends.dry, unit)}`,
    `  wet    ${inWords(ends.wet, unit)}: it ${ends.wet < ends.dry ? "falls" : "rises"} as the soil gets wetter${turned ? "; the file had it the other way round" : ""}`,
    `  span   ${inWords(span, unit)}, its noise is ${((100 * noise) / span).toFixed(1)} % of that`,
    `  in pot ${inWords(pot.level, unit)}: ${percent.toFixed(0)} %${outside(percent)}`,
  ];
}

function outside(percent: number): string {
  if (percent >= 0 && percent <= 100) return "";
  const what = percent < 0 ? "drier than dry" : "wetter than wet";
  const beyond = isImplausible(percent) ? "; the runtime will call such a reading implausible" : "";
  return ` (! ${what}: were both ends taken with the blade in up to the mark?${beyond})`;
}
