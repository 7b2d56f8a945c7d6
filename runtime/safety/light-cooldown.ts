import { minutes } from "../../drivers/units.js";
import { elapsed, type Stamp } from "./stamp.js";

/** Seed "Light Service": the light rests at least 30 minutes between two periods. */
const LIGHT_REST_MINUTES = 30;

/** The last thing the light log says. Whatever switched it off, `since` is the moment that was known for certain. */
export type LightState =
  | { readonly state: "never lit" }
  | { readonly state: "on"; readonly since: Stamp; readonly minutes: number }
  | { readonly state: "off"; readonly since: Stamp };

export interface LightAvailability {
  readonly on: boolean;
  readonly canActivate: boolean;
  /** Whole minutes, rounded up; 0 when available; while on, the rest of the period and 30 more. */
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
