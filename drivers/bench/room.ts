import { celsius, type EpochMillis, hours, percent, ppfd } from "../units.js";
import type { Air } from "./bench-plant.js";

/** Added to what a room has by itself. */
export interface RoomChange {
  /** Kelvin. */
  readonly temperature: number;
  /** Percent points of relative humidity. */
  readonly humidity: number;
  /** Factor on daylight: 0 behind a closed shutter. */
  readonly daylight: number;
}

/** The room that the plants stand in: a function of true time, its seed and what is changed about it. */
export class Room {
  change: RoomChange = { temperature: 0, humidity: 0, daylight: 1 };

  constructor(readonly seed: number) {}

  at(instant: EpochMillis): Air {
    const hour = (instant % hours(24)) / hours(1);
    const sun = Math.max(0, Math.sin(((hour - 6) / 14) * Math.PI));
    return {
      temperature: celsius(21 + 2 * sun + this.change.temperature),
      humidity: percent(50 - 8 * sun + this.change.humidity),
      daylight: ppfd((hour >= 6 && hour < 20 ? 150 * sun : 0) * this.change.daylight),
    };
  }
}
