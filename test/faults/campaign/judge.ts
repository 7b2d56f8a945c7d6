/**
 * What really flowed and shone, in true time, against what is promised. It shares no code with the runtime: it knows
 * pumps, lamps and a clock that nobody can set.
 */

/** A contact that was closed, in milliseconds of true time. */
export interface Closed {
  readonly from: number;
  readonly to: number;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Sums of binary fractions. */
const ROUNDING = 1e-6;

/** The most millilitres that a pump of this flow gave within any 24 hours. Such a window begins, or ends, with a pulse. */
export function mostIn24h(pulses: readonly Closed[], mlPerSecond: number): number {
  const starts = pulses.flatMap(({ from, to }) => [from, to - DAY]);
  const within = (start: number) =>
    pulses.reduce(
      (sum, { from, to }) => sum + Math.max(0, Math.min(to, start + DAY) - Math.max(from, start)),
      0,
    );
  return Math.max(0, ...starts.map((start) => (within(start) / 1000) * mlPerSecond));
}

/** What broke a promise about water, as sentences. */
export function brokenWater(
  pot: string,
  pulses: readonly Closed[],
  mlPerSecond: number,
  limit: number,
): string[] {
  const most = mostIn24h(pulses, mlPerSecond);
  const long = pulses.filter(({ from, to }) => to - from > 30_000);
  return [
    ...(most > limit + ROUNDING ? [`${pot}: ${most.toFixed(3)} ml in 24 h, ${limit} are allowed`] : []),
    ...long.map(({ from }) => `${pot}: the pump ran for more than 30 s at ${from}`),
  ];
}

/** What broke a promise about light, as sentences. */
export function brokenLight(pot: string, lit: readonly Closed[]): string[] {
  const ordered = lit.toSorted((a, b) => a.from - b.from);
  return ordered.flatMap(({ from, to }, at) => {
    const before = ordered[at - 1];
    const rest = before ? from - before.to : Number.POSITIVE_INFINITY;
    return [
      ...(rest < 30 * MINUTE
        ? [`${pot}: light at ${from} after ${(rest / MINUTE).toFixed(3)} min of rest`]
        : []),
      ...(to - from > 120 * MINUTE ? [`${pot}: light for more than 120 min at ${from}`] : []),
    ];
  });
}
