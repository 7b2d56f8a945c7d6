import { hours, minutes } from "../../drivers/units.js";

/** A stretch of light, [from, to) in milliseconds of the wall clock; a light that is still on ends now. */
export interface LitInterval {
  readonly from: number;
  readonly to: number;
}

const DAY = hours(24);

/** 00:00 UTC of the day that holds `wallMs`. */
export const startOfUtcDay = (wallMs: number): number => Math.floor(wallMs / DAY) * DAY;

/**
 * Whole lit minutes since 00:00 UTC. Where the wall clock was set back, intervals overlap: a minute of the
 * clock counts once, so the answer never exceeds the minutes of the day so far.
 */
export function litMinutesToday(intervals: readonly LitInterval[], nowMs: number): number {
  const midnight = startOfUtcDay(nowMs);
  const ordered = intervals.toSorted((a, b) => a.from - b.from);
  let [lit, covered] = [0, midnight];
  for (const { from, to } of ordered) {
    const end = Math.min(to, nowMs);
    lit += Math.max(0, end - Math.max(from, covered));
    covered = Math.max(covered, end);
  }
  return Math.floor(lit / minutes(1));
}
