import { hours, type Millis, minutes } from "../../drivers/units.js";
import { elapsed, type Stamp } from "./stamp.js";
import { LONGEST_PULSE } from "./water-window.js";

export interface ResponseRule {
  /** So much water must show: millilitres. */
  readonly ml: number;
  /** Doses older than this are no longer judged. */
  readonly window: Millis;
  /** Water needs so long from the pump to the probe. */
  readonly settle: Millis;
}

/** CONTRACT.md "Water": 60 ml in 3 h; a quarter of an hour for the water to sink in. */
const RESPONSE_DEFAULTS: ResponseRule = { ml: 60, window: hours(3), settle: minutes(15) };

export interface PouredDose {
  readonly ml: number;
  /** The end of the dose. */
  readonly stamp: Stamp;
  /** How long it flowed; where that is not known, the longest pulse. */
  readonly flowed?: Millis;
}

/** A reading in percent of the calibrated span, so that up is wet whatever the probe's polarity; noise likewise. */
export interface SoilReading {
  readonly percent: number;
  readonly noise: number;
  readonly stamp: Stamp;
}

export type ResponseVerdict =
  /** Too little settled water in the window, or the soil became wetter. */
  | { readonly verdict: "fine" }
  | { readonly verdict: "cannot judge"; readonly what: string }
  | { readonly verdict: "unresponsive"; readonly what: string };

export interface ResponseEvidence {
  readonly doses: readonly PouredDose[];
  readonly readings: readonly SoilReading[];
  readonly now: Stamp;
  readonly rule?: ResponseRule;
}

/** Readings of this long before the first dose are its baseline: older ones tell of a wetter soil, and of its drying since. */
const BASELINE = minutes(30);

/** Whether the soil has answered to the water of the last hours: a tube off, an empty tank, a probe in the air. */
export function judgeResponse({
  doses,
  readings,
  now,
  rule = RESPONSE_DEFAULTS,
}: ResponseEvidence): ResponseVerdict {
  const counted = aged(doses, now).filter(({ age }) => age >= rule.settle && age < rule.window);
  const poured = counted.reduce((total, { ml }) => total + ml, 0);
  if (counted.length === 0 || poured < rule.ml) return { verdict: "fine" };
  const [first, last] = [Math.max(...counted.map(ageOf)), Math.min(...counted.map(ageOf))];
  const before = baseline(aged(readings, now), Math.max(...counted.map(ageAtStart)));
  const later = aged(readings, now).filter(({ age }) => age < first);
  if (before.length === 0) return cannotJudge("there is no reading from before the first dose");
  if (later.some(({ age }) => age <= last - rule.settle)) return compare(poured, before, later);
  return cannotJudge("there is no reading from after the last dose had settled");
}

type Aged<T> = T & { readonly age: Millis };

/** What cannot be dated proves nothing, neither a baseline nor a rise. */
function aged<T extends { readonly stamp: Stamp }>(events: readonly T[], now: Stamp): Aged<T>[] {
  const dated = events.map((event) => ({ event, ...elapsed(event.stamp, now) }));
  return dated.filter(({ certain }) => certain).map(({ event, atLeast }) => ({ ...event, age: atLeast }));
}

/** Stamps are of the ends. */
const ageAtStart = ({ age, flowed = LONGEST_PULSE }: Aged<PouredDose>) => age + flowed;

/** What was read shortly before the first dose; where nothing was, the last there is. */
function baseline(readings: readonly Aged<SoilReading>[], began: number): readonly Aged<SoilReading>[] {
  const older = readings.filter(({ age }) => age >= began).toSorted((a, b) => b.age - a.age);
  const fresh = older.filter(({ age }) => age <= began + BASELINE);
  return fresh.length > 0 ? fresh : older.slice(-1);
}

const ageOf = ({ age }: { readonly age: Millis }) => age;
const cannotJudge = (what: string): ResponseVerdict => ({ verdict: "cannot judge", what });

function compare(
  poured: number,
  before: readonly SoilReading[],
  later: readonly SoilReading[],
): ResponseVerdict {
  const baseline = median(before.map(({ percent }) => percent));
  const noise = median(before.map((reading) => reading.noise));
  const best = Math.max(...later.map(({ percent }) => percent));
  if (best > baseline + noise) return { verdict: "fine" };
  const [was, is, band] = [baseline, best, noise].map((value) => value.toFixed(1));
  return {
    verdict: "unresponsive",
    what: `after ${poured} ml the soil went from ${was} % to ${is} % at best (noise ± ${band} %)`,
  };
}

/** Of at least one value. */
function median(values: readonly number[]): number {
  const ordered = values.toSorted((a, b) => a - b);
  const middle = (ordered.length - 1) / 2;
  const [low = Number.NaN, high = Number.NaN] = [ordered[Math.floor(middle)], ordered[Math.ceil(middle)]];
  return (low + high) / 2;
}
