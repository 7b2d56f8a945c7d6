import { DriverError } from "../errors.js";
import type { Millis } from "../units.js";

/** What both ends of the pipe ask of a pulse. Throws PULSE_INVALID or PULSE_TOO_LONG. `duration` may come from outside. */
export function assertPulse(name: string, duration: Millis, ceiling: Millis): void {
  if (typeof duration !== "number" || !(duration > 0))
    throw new DriverError("PULSE_INVALID", `${name} was asked for a pulse of ${duration} ms`);
  if (duration <= ceiling) return;
  throw new DriverError(
    "PULSE_TOO_LONG",
    `${name} was asked for ${duration / 1000} s, its longest pulse is ${ceiling / 1000} s`,
  );
}
