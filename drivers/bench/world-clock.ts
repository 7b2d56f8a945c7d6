import type { Clock } from "../ports.js";
import type { EpochMillis } from "../units.js";

/** The clock of a simulated world: the wall clock may be set wrong, the sun and the soil go by true time. */
export interface WorldClock extends Clock {
  /** True time: goes on evenly, through steps of the wall clock and through reboots. */
  world(): EpochMillis;
}
