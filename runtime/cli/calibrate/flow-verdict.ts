import { longestDose, MAX_PULSE, MIN_FLOW } from "../../../drivers/devices/pump.js";
import type { MlPerSecond } from "../../../drivers/units.js";
import { MOST_FLOW } from "../../config/schema.js";

/** A dose into a jug: what the scale says, and how long the pump was really on. */
export interface Poured {
  readonly grams: number;
  readonly seconds: number;
}

/** Of the mean; more than that is air in the tube, or a scale that was moved (a choice). */
const MOST_SPREAD = 0.1;
/** Kitchen scales show whole grams: two doses of the same water may differ by so much. */
const SCALE_STEP = 1;

/**
 * ml/s; a gram of water is a millilitre (0.997 to 1.000 g from 0 to 25 °C). All doses together, since a scale's step weighs
 * least there. Rounded up to 0.01: the ledger never counts less than flows.
 */
export function flowOf(poured: readonly Poured[]): number {
  const grams = sum(poured.map((each) => each.grams));
  return Math.ceil((grams / sum(poured.map(({ seconds }) => seconds))) * 100 - ROUNDING) / 100;
}

/** Floating-point noise of a quotient. */
const ROUNDING = 1e-6;

/** From the least to the greatest dose, as a share of the mean, beyond what a scale's step explains. */
export function spreadOf(poured: readonly Poured[]): number {
  const flows = poured.map(({ grams, seconds }) => grams / seconds);
  const mean = sum(flows) / flows.length;
  const step = SCALE_STEP / Math.min(...poured.map(({ seconds }) => seconds));
  return Math.max(0, Math.max(...flows) - Math.min(...flows) - step - ROUNDING) / mean;
}

export const disagree = (poured: readonly Poured[]): boolean => spreadOf(poured) > MOST_SPREAD;

/** Why this is no calibration; undefined where it is one. */
export function flowProblem(poured: readonly Poured[]): string | undefined {
  if (disagree(poured))
    return `the doses differ too much (${poured.map(({ grams }) => `${grams} g`).join(", ")}): air in the tube, which the first dose drives out, a tank nearly empty, or a scale that was moved`;
  const flow = flowOf(poured);
  const rate = `${flow} ml/s`;
  if (flow < MIN_FLOW)
    return `${rate} is too slow: 25 ml would take ${secondsFor(flow)} s, and the hardware ends a pulse after ${MAX_PULSE / 1000} s at the latest; use a stronger pump, a wider or shorter tube, or lift the water less high`;
  if (flow > MOST_FLOW)
    return `${rate} is more than ${MOST_FLOW} ml/s: a dose could not be timed; use a smaller pump`;
  return undefined;
}

/** What a flow means. */
export const flowInWords = (flow: number): string =>
  `${flow} ml/s: 25 ml, the largest dose, take ${secondsFor(flow)} s (the hardware ends every pulse after ${MAX_PULSE / 1000} s at the latest)`;

/** Tenths, rounded up: what takes too long must not look as if it did not. */
const secondsFor = (flow: number): string =>
  (Math.ceil(longestDose(flow as MlPerSecond) / 100) / 10).toFixed(1);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
