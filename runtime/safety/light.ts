import { hours, minutes } from "../../drivers/units.js";
import { elapsed, type Stamp } from "./stamp.js";

/** Seed "Light Service": the light rests at least 30 minutes between two periods. */
const LIGHT_REST_MINUTES = 30;

/** The last entry of the light log. However it was switched off, `since` is the moment of which this is certain. */
export type LightState =
  | { readonly state: "never lit" }
  | { readonly state: "on"; readonly since: Stamp; readonly minutes: number }
  | { readonly state: "off"; readonly since: Stamp };

interface LightAvailability {
  readonly on: boolean;
  readonly canActivate: boolean;
  /** Whole minutes, rounded up: 0 when available; while it is on, the rest of the period and 30 more. */
  readonly minutesUntilAvailable: number;
}

/** When the light may be switched on next. Only time that can be proved counts as rest. */
export function lightAvailability(light: LightState, now: Stamp): LightAvailability {
  if (light.state === "never lit") return { on: false, canActivate: true, minutesUntilAvailable: 0 };
  if (light.state === "on") {
    const rest = minutesLeft(light.minutes, light.since, now) + LIGHT_REST_MINUTES;
    return { on: true, canActivate: false, minutesUntilAvailable: rest };
  }
  const minutesUntilAvailable = minutesLeft(LIGHT_REST_MINUTES, light.since, now);
  return { on: false, canActivate: minutesUntilAvailable === 0, minutesUntilAvailable };
}

const minutesLeft = (total: number, since: Stamp, now: Stamp): number =>
  Math.max(0, Math.ceil(total - elapsed(since, now).atLeast / minutes(1)));

/** A period of light, [from, to) in milliseconds of the wall clock; a light that is on ends now. */
interface LitInterval {
  readonly from: number;
  readonly to: number;
}

const DAY = hours(24);

/** 00:00 UTC of the day that holds `wallMs`. */
export const startOfUtcDay = (wallMs: number): number => Math.floor(wallMs / DAY) * DAY;

/** Whole lit minutes since 00:00 UTC. Periods overlap if the clock was set back; a minute of the clock counts once. */
export function litMinutesToday(intervals: readonly LitInterval[], nowMs: number): number {
  const midnight = startOfUtcDay(nowMs);
  const ordered = intervals.filter(({ to }) => to > midnight).sort((a, b) => a.from - b.from);
  let [lit, covered] = [0, midnight];
  for (const { from, to } of ordered) {
    const end = Math.min(to, nowMs);
    lit += Math.max(0, end - Math.max(from, covered));
    covered = Math.max(covered, end);
  }
  return Math.floor(lit / minutes(1));
}
