import type { EpochMillis } from "../../units.js";
import type { PlantResult } from "../result.js";
import { DAY, instant } from "./time-axis.js";

/** What the pump gave on one day, in ml: what of it came to the soil, and what did not. */
export interface DayOfWater {
  /** Midnight, UTC. */
  readonly day: EpochMillis;
  readonly arrived: number;
  readonly lost: number;
}

/** Days without a dose are left out. */
export function waterByDay(doses: PlantResult["doses"]): readonly DayOfWater[] {
  const days = new Map<EpochMillis, DayOfWater>();
  for (const { at, ml, arrived } of doses) {
    const day = Math.floor(instant(at, "a dose's time") / DAY) * DAY;
    const before = days.get(day) ?? { day, arrived: 0, lost: 0 };
    days.set(day, { day, arrived: before.arrived + arrived, lost: before.lost + Math.max(0, ml - arrived) });
  }
  return [...days.values()].sort((a, b) => a.day - b.day);
}
