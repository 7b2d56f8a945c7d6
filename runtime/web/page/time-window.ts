/** The time that the chart shows, and how fingers change it. */

/** The time that the chart shows, epoch milliseconds. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

const HOUR = 3_600_000;
/** The shortest and the longest time that can be shown: the first and the last of the range buttons. */
const SHORTEST = HOUR;
const LONGEST = 87_600 * HOUR;
/**
 * The window in which what was under the fingers is still under them. `before` and `after`: where they were and are, in
 * pixels from the left of a chart of this `width`; the first two count. It does not reach beyond `latest`.
 */
export function moved(
  window: TimeWindow,
  { width, before, after, latest }: Fingers & { readonly latest: number },
): TimeWindow {
  const span = window.to - window.from;
  const stretched = Math.min(LONGEST, Math.max(SHORTEST, (span * apart(before)) / apart(after)));
  const held = window.from + (middle(before) / width) * span;
  const to = Math.min(latest, held + (1 - middle(after) / width) * stretched);
  return { from: to - stretched, to };
}

interface Fingers {
  readonly width: number;
  readonly before: readonly number[];
  readonly after: readonly number[];
}

const apart = ([a = 0, b]: readonly number[]): number => (b === undefined ? 1 : Math.max(1, Math.abs(b - a)));
const middle = ([a = 0, b = a]: readonly number[]): number => (a + b) / 2;
