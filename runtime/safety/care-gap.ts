import type { Clock } from "../../drivers/ports.js";
import { type Millis, millis } from "../../drivers/units.js";
import { elapsed, type Stamp, stampOf } from "./stamp.js";

/**
 * A stamp that also says how long the machine has slept since its boot; the monotonic clock stands still in a sleep.
 */
export interface Moment extends Stamp {
  readonly slept_ms: number;
}

export const momentOf = (clock: Clock): Moment => ({ ...stampOf(clock), slept_ms: clock.slept?.() ?? 0 });

/**
 * How long nobody has completed a care of a plant. Only time that can be proved counts, because a person who gets
 * false alarms stops reading them:
 *
 * - Steps of the wall clock, in either direction, change nothing. Within one boot the monotonic clock counts.
 * - A sleep of the machine counts. The clock measures it apart from the wall clock.
 * - A reboot: the time across it counts if the wall clock was right before it and is right after it. It may become
 *   right minutes or days after the boot. If it never does, the time from the last count to the boot is lost (the
 *   runtime counts every hour); everything counted before stays.
 * - A restart of the runtime alone is no reboot: all of its time counts.
 * - A hold or a fault does not stop the count, because the plant still dries.
 * - On the bench the plant's own time counts, at any speed. It stands still while the bench is off. In `simulate` it is
 *   simulated time, in which a power cut is a reboot.
 */
interface CareGap {
  /** Proved time from the last completed care to `at`. */
  readonly ms: number;
  readonly at: Moment;
  /** The last count at which the wall clock was right: a later boot continues from here. Null if there was none. */
  readonly right: { readonly wall_ms: number; readonly boot: string; readonly ms: number } | null;
  /** The part of `ms` that the person was told of: whole periods. */
  readonly told_ms: number;
}

/** The gap of a plant that was just cared for, or is new. */
export const careAt = (at: Moment): CareGap => ({ ms: 0, at, right: rightAt(at, 0), told_ms: 0 });

export function countCareGap(gap: CareGap, now: Moment): CareGap {
  const ms = Math.max(gap.ms + sinceLastCount(gap.at, now), acrossBoots(gap, now));
  return { ...gap, ms, at: now, right: rightAt(now, ms) ?? gap.right };
}

/** Whether another whole period has passed that the person was not told of. */
export const isOverdue = (gap: CareGap, period: Millis): boolean => gap.ms - gap.told_ms >= period;

/** After a message: the next is due one period after the last period that is over, not one period after this moment. */
export const toldOf = (gap: CareGap, period: Millis): CareGap => ({
  ...gap,
  told_ms: Math.floor(gap.ms / period) * period,
});

/** Within one boot only; {@link acrossBoots} does the rest. */
function sinceLastCount(at: Moment, now: Moment): Millis {
  if (at.boot !== now.boot) return millis(0);
  return millis(elapsed(at, now).atLeast + Math.max(0, now.slept_ms - at.slept_ms));
}

function acrossBoots({ right }: CareGap, now: Moment): number {
  if (!right || !now.synced || right.boot === now.boot) return 0;
  return right.ms + (now.wall_ms - right.wall_ms);
}

const rightAt = ({ synced, wall_ms, boot }: Moment, ms: number): CareGap["right"] =>
  synced ? { wall_ms, boot, ms } : null;
