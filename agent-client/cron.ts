import { createTask, validateDetailed } from "node-cron";
import { type EpochMillis, hours, type Millis, minutes } from "./units.js";

/** Why a pattern is none of five fields, or undefined if it is. A sixth field would be seconds: no plant wants them. */
export function cronProblem(pattern: string): string | undefined {
  const fields = pattern.trim().split(/\s+/).length;
  if (fields !== 5) return `it has ${fields}`;
  const { valid, errors } = validateDetailed(pattern);
  return valid ? undefined : errors.map(({ message }) => message).join("; ");
}

/** When turns are due, in the plant's time. */
export interface Rhythm {
  /** Whether the first turn is now. */
  readonly beginsAtOnce: boolean;
  /** The next instant to look at, later than `after`. */
  next(after: EpochMillis): EpochMillis;
  /** Whether a turn is due at an instant that `next` gave. */
  isTurn(at: EpochMillis): boolean;
}

export const every = (interval: Millis): Rhythm => ({
  beginsAtOnce: true,
  next: (after) => after + interval,
  isTurn: () => true,
});

const MINUTE = minutes(1);
/** As far as is looked ahead at once: testing a minute takes 65 µs on a PC, a day of them 0.1 s. */
const AHEAD = hours(24);

/** The instants that a cron pattern names in a time zone. Throws for what is no pattern. */
export function cron(pattern: string, zone = "UTC"): Rhythm {
  const task = createTask(pattern, () => undefined, { timezone: zone });
  const matches = (at: EpochMillis) => task.match(new Date(at));
  return {
    beginsAtOnce: false,
    next(after) {
      const first = (Math.floor(after / MINUTE) + 1) * MINUTE;
      for (let at = first; at < first + AHEAD; at += MINUTE) if (matches(at)) return at;
      return first + AHEAD - MINUTE;
    },
    isTurn: matches,
  };
}
