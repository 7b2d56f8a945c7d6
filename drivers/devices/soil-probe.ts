import { DriverError } from "../errors.js";
import { type Counts, counts, type Level, type Percent } from "../units.js";

/**
 * What a probe reads at the ends of its span, in its own unit: volts behind an ADC, counts of a seesaw. Their order is the
 * polarity: a capacitive probe with a voltage reads higher when drier, a seesaw higher when wetter.
 */
export interface Calibration<L extends Level = Level> {
  readonly dry: L;
  readonly wet: L;
}

export interface MoistureReading {
  /** Median of the conversions. */
  readonly raw: Counts;
  /** The same in the unit of the calibration. */
  readonly level: Level;
  /** 0 = as dry as calibrated, 100 = as wet; one decimal, not clipped. */
  readonly percent: Percent;
  /** Three robust standard deviations of the conversions (median absolute deviation), at least one step of the sensor. */
  readonly noise: Counts;
}

/** What a probe measures, without its calibration. */
export interface ProbeLevel {
  /** Median of the conversions. */
  readonly raw: Counts;
  readonly level: Level;
  readonly unit: "V" | "counts";
  /** From the least to the greatest of the conversions, in that unit. */
  readonly spread: number;
  /** What gives such a level without any probe, where something does. */
  readonly resembles?: "open input" | "supply";
}

export interface SoilProbe {
  /** The level, in soil or not: for calibration. Rejects with what the bus and the chip say, and with PROBE_STUCK. */
  measure(): Promise<ProbeLevel>;

  /**
   * Rejects with what the bus and the chip say (BUS_NACK and others), with PROBE_DISCONNECTED, PROBE_IMPLAUSIBLE or
   * PROBE_STUCK for a reading that cannot be the soil's.
   */
  read(): Promise<MoistureReading>;
}

/** An odd number, so that the median is a value the sensor gave. */
const CONVERSIONS = 5;
/** A level may leave the calibrated span by a quarter of it: a probe drifts, and calibrations are made by eye. */
const MARGIN = 0.25;
/** Conversions milliseconds apart hardly differ in soil; a tenth of the span is hum on a loose wire. */
export const ABSURD_SPREAD = 0.1;

export const spanOf = ({ dry, wet }: Calibration): number => Math.abs(dry - wet);

/** Whether soil can give this level. */
export function isInSpan(level: Level, calibration: Calibration): boolean {
  const { dry, wet } = calibration;
  const margin = spanOf(calibration) * MARGIN;
  return level >= Math.min(dry, wet) - margin && level <= Math.max(dry, wet) + margin;
}

/** Where a level lies in the calibrated span: 0 = dry, 100 = wet; one decimal, not clipped. */
export const percentOf = (level: Level, { dry, wet }: Calibration): Percent =>
  (Math.round((1000 * (level - dry)) / (wet - dry)) / 10) as Percent;

/** As many conversions as a reading has, one after the other. */
export async function takeConversions(convert: () => Promise<Counts>): Promise<Counts[]> {
  const values: Counts[] = [];
  while (values.length < CONVERSIONS) values.push(await convert());
  return values;
}

/** What conversions say together; `inUnit` turns counts into the unit. */
export function levelOf<L extends Level>(
  values: readonly Counts[],
  unit: ProbeLevel["unit"],
  inUnit: (raw: Counts) => L,
): ProbeLevel & { readonly level: L } {
  const raw = median(values);
  const range = counts(Math.max(...values) - Math.min(...values));
  return { raw, level: inUnit(raw), unit, spread: inUnit(range) };
}

/** The reading of conversions. Throws PROBE_IMPLAUSIBLE where they disagree. `step`: between neighbouring results. */
export function readingOf(
  values: readonly Counts[],
  { raw, level, unit, spread }: ProbeLevel,
  {
    calibration,
    step,
    name,
  }: { readonly calibration: Calibration; readonly step: Counts; readonly name: string },
): MoistureReading {
  if (!isAbsurd(spread, calibration))
    return { raw, level, percent: percentOf(level, calibration), noise: noiseOf(values, step) };
  const difference = unit === "V" ? `${spread.toFixed(3)} V` : `${spread}`;
  throw new DriverError(
    "PROBE_IMPLAUSIBLE",
    `conversions of the ${name} taken at once differ by ${difference}`,
  );
}

/** Whether levels that should be the same differ by more than hum can explain. */
export const isAbsurd = (difference: number, calibration: Calibration): boolean =>
  difference > spanOf(calibration) * ABSURD_SPREAD;

/** Of an odd number of values. */
function median(values: readonly Counts[]): Counts {
  const [middle] = values.toSorted((a, b) => a - b).slice(values.length >> 1);
  return middle ?? counts(Number.NaN);
}

/**
 * 1.4826 × the median absolute deviation estimates the standard deviation of normal noise and ignores outliers
 * (Rousseeuw and Croux 1993); three of them hold 99.7 %.
 */
function noiseOf(values: readonly Counts[], step: Counts): Counts {
  const centre = median(values);
  const deviation = median(values.map((value) => counts(Math.abs(value - centre))));
  return counts(Math.max(step, Math.ceil(3 * 1.4826 * deviation)));
}
