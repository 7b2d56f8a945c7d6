import type { Clock } from "../../drivers/ports.js";
import { type Millis, millis } from "../../drivers/units.js";

/** When something happened, with all that is needed to say later how long ago that was. */
export interface Stamp {
  /** Wall clock, milliseconds since 1970-01-01T00:00:00Z. */
  readonly wall_ms: number;
  /** Monotonic clock of the boot named by `boot`, milliseconds. */
  readonly mono_ms: number;
  readonly boot: string;
  /** Whether the wall clock was known to be right. */
  readonly synced: boolean;
}

export interface Elapsed {
  /** At least this much true time has passed; never negative. */
  readonly atLeast: Millis;
  /** Whether `atLeast` is also all that has passed. */
  readonly certain: boolean;
}

export const stampOf = (clock: Clock): Stamp => ({
  wall_ms: clock.now(),
  mono_ms: clock.monotonic(),
  boot: clock.bootId,
  synced: clock.synchronised(),
});

const UNKNOWN: Elapsed = { atLeast: millis(0), certain: false };

/**
 * The time from one stamp to a later one. Time is never believed in the house's disfavour: within one boot
 * the monotonic clock counts; across boots the wall clock counts only if it was right at both ends; else,
 * and when the later stamp lies before the earlier one, no time has passed that anyone can prove.
 */
export function elapsed(from: Stamp, to: Stamp): Elapsed {
  if (from.boot === to.boot) return proven(to.mono_ms - from.mono_ms);
  return from.synced && to.synced ? proven(to.wall_ms - from.wall_ms) : UNKNOWN;
}

const proven = (difference: number): Elapsed =>
  difference >= 0 ? { atLeast: millis(difference), certain: true } : UNKNOWN;
