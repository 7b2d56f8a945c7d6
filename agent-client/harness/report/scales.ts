import { type EpochMillis, hours, type Millis } from "../../units.js";
import { clockTime, day } from "./format.js";

/** Maps a range of values to 0 to 1, linearly. */
export interface Scale {
  readonly from: number;
  readonly to: number;
  at(value: number): number;
}

/** @throws if the range is empty. */
export function linear(from: number, to: number): Scale {
  if (!(to > from)) throw new Error(`a scale must run upwards, not from ${from} to ${to}`);
  return { from, to, at: (value) => (value - from) / (to - from) };
}

/** The smallest of 1, 2, 5, 10 times a power of ten that is not below `least`. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= least * (1 - EPSILON)) ?? 10;
  return step * power;
}

/** Tolerance for binary fractions: 0.1 + 0.2 counts as 0.3. */
const EPSILON = 1e-9;

/** A scale between round numbers around all `values`, with its ticks; about `most` intervals at most. */
export function roundScale(
  values: Iterable<number>,
  most: number,
): { readonly scale: Scale; readonly ticks: readonly number[] } {
  const { least, greatest } = extremes(values);
  const step = roundStep((greatest > least ? greatest - least : 1) / most);
  const from = Math.floor(least / step + EPSILON);
  const to = Math.max(from + 1, Math.ceil(greatest / step - EPSILON));
  const ticks = Array.from({ length: to - from + 1 }, (_, index) => rounded((from + index) * step));
  return { scale: linear(rounded(from * step), rounded(to * step)), ticks };
}

/** Not Math.min(...values): a year of hours is too many arguments. */
function extremes(values: Iterable<number>): { readonly least: number; readonly greatest: number } {
  let [least, greatest] = [Infinity, -Infinity];
  for (const value of values) {
    least = Math.min(least, value);
    greatest = Math.max(greatest, value);
  }
  return Number.isFinite(least) ? { least, greatest } : { least: 0, greatest: 1 };
}

/** 0.30000000000000004 is 0.3. */
const rounded = (value: number): number => Number(value.toPrecision(12));

export const DAY: Millis = hours(24);

/** The shortest axis, for a run that was stopped at once. */
const SHORTEST: Millis = hours(1);

/** From the run's start to its end. */
export function timeScale(start: string, end: string): Scale {
  const from = instant(start, "start");
  return linear(from, Math.max(instant(end, "end"), from + SHORTEST));
}

/** @throws if it is not a time. */
export function instant(text: string, what: string): EpochMillis {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new Error(`${what} "${text}" is not a time: give it in ISO 8601, in UTC`);
  return at;
}

export interface TimeTick {
  readonly at: EpochMillis;
  readonly label: string;
}

/** Steps that people find round. */
const STEPS: readonly Millis[] = [
  ...[1, 2, 3, 6, 12].map(hours),
  ...[1, 2, 3, 7, 14].map((days) => days * DAY),
];
const MONTH_STEPS = [1, 2, 3, 6, 12];
/** The shortest month, so that months never give more than `most` ticks. */
const MONTH: Millis = 28 * DAY;

/** Full hours, midnights, or first days of months; `most` at most, except for runs of many years. */
export function timeTicks({ from, to }: Scale, most: number): readonly TimeTick[] {
  const wanted = (to - from) / (most - 1);
  const step = STEPS.find((length) => length >= wanted);
  const instants = step === undefined ? monthTicks(from, to, wanted) : evenTicks(from, to, step);
  return instants.map((at) => ({ at, label: at % DAY === 0 ? day(at) : clockTime(at) }));
}

/** Days are counted from the first midnight, so that the first day has its label. */
function evenTicks(from: EpochMillis, to: EpochMillis, step: Millis): EpochMillis[] {
  const grain = Math.min(step, DAY);
  const first = Math.ceil(from / grain) * grain;
  return Array.from({ length: Math.max(0, Math.floor((to - first) / step) + 1) }, (_, n) => first + n * step);
}

function monthTicks(from: EpochMillis, to: EpochMillis, wanted: Millis): EpochMillis[] {
  const months = MONTH_STEPS.find((count) => count * MONTH >= wanted) ?? 12;
  const start = new Date(from);
  const ticks: EpochMillis[] = [];
  for (let month = Math.ceil(start.getUTCMonth() / months) * months; ; month += months) {
    const at = Date.UTC(start.getUTCFullYear(), month, 1);
    if (at > to) return ticks;
    if (at >= from) ticks.push(at);
  }
}
