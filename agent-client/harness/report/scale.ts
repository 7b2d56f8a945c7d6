/** Maps a range of values onto 0 to 1, in a straight line. */
export interface Scale {
  readonly from: number;
  readonly to: number;
  at(value: number): number;
}

/** @throws where the range is empty: nothing could be drawn on it. */
export function linear(from: number, to: number): Scale {
  if (!(to > from)) throw new Error(`a scale must run upwards, not from ${from} to ${to}`);
  return { from, to, at: (value) => (value - from) / (to - from) };
}

/** The smallest of 1, 2, 5, 10, … times a power of ten that is no smaller than `least`. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= least * (1 - EPSILON)) ?? 10;
  return step * power;
}

/** Room for the rounding of binary fractions: 0.1 + 0.2 is not beyond 0.3. */
const EPSILON = 1e-9;

/** A scale from round number to round number around all `values`, with its ticks; `most` intervals at most, about. */
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

/** Not Math.min(...values): a year of hours is more arguments than one should pass. */
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
