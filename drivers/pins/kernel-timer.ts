import { type Millis, millis } from "../units.js";

/**
 * How long the kernel's timer is armed beyond the end that the guard keeps: more than the guard is ever late, so that
 * the exact end is the guard's.
 */
export const BACKSTOP_MARGIN: Millis = millis(250);
/**
 * The timer wheel groups distant timers: level n begins at 63 · 8ⁿ⁻¹ ticks and rounds up to the next 8ⁿ
 * [kernel/time/timer.c, LVL_START and LVL_GRAN], up to 12.7 % late.
 */
const LATENESS = 8 / 63;

/** When the kernel's timer has ended a pulse of `duration` at the latest, whoever is dead. */
export const latestEnd = (duration: Millis): Millis =>
  millis(Math.ceil((duration + BACKSTOP_MARGIN) * (1 + LATENESS)));
