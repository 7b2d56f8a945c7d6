import { ABSURD_SPREAD } from "../../../drivers/devices/soil-probe.js";
import { LEAST_SPAN } from "../../config/devices.js";
import { inWords, type Steady, type Unit } from "./steady.js";

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
