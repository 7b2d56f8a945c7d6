import {
  celsius,
  type EpochMillis,
  type Hectopascals,
  hectopascals,
  hours,
  percent,
  ppfd,
} from "../units.js";
import type { Air } from "./bench-plant.js";
import { DAYLIGHT_PHOTONS } from "./light.js";
import { uniform } from "./random.js";
import { clearSky, cloudTransmission, dayOf, SunPath, seasonOf } from "./sun.js";

/** Added to what a room has by itself. */
export interface RoomChange {
  /** Kelvin. */
  readonly temperature: number;
  /** Percent points of relative humidity; the air is held within 0 and 100 %. */
  readonly humidity: number;
  /** Factor on daylight: 0 behind a closed shutter. */
  readonly daylight: number;
}

/** Degrees north; the longitude is 0, so that UTC is solar time. A choice: the latitude of Prague, Kraków and Kyiv. */
const LATITUDE = 50;
/**
 * Of the daylight outdoors, what reaches leaves behind a bright window: a choice that gives 3–8 mol/m² on a summer's
 * day and about 1 in December.
 */
const WINDOW = 0.14;
/** °C and %: mean, and half the difference of summer and winter and of afternoon and night, about the recorded room's (test/fixtures/real-plant). */
const TEMPERATURE = { mean: 21.5, season: 1, day: 1.2, sun: 1 };
const HUMIDITY = { mean: 45, season: 6, day: -3 };
/** hPa: the standard atmosphere's, and a choice: by how much, and in how many days, weather moves it. */
const PRESSURE = { mean: 1013.25, swing: 12, days: 5.5 };
/** Midsummer's heat comes late in July, a day's at 16:00. */
const HOTTEST = { season: (2 * Math.PI * 205) / 365, hour: 16 };

/** What is the same all day. */
interface Weather {
  readonly sun: SunPath;
  /** Of the clear sky's light. */
  readonly clearness: number;
  readonly temperature: number;
  readonly humidity: number;
}

/** The room that the plants stand in: a function of true time, its seed and what is changed about it. */
export class Room {
  change: RoomChange = { temperature: 0, humidity: 0, daylight: 1 };
  private day = Number.NaN;
  private weather: Weather = this.weatherOf(0);

  constructor(readonly seed: number) {}

  at(instant: EpochMillis): Air {
    const { sun, clearness, temperature, humidity } = this.weatherAt(instant);
    const light = clearSky(sun.sineAt(instant)) * clearness;
    const hour = (instant % hours(24)) / hours(1);
    const warmth = Math.cos(((hour - HOTTEST.hour) / 12) * Math.PI);
    const { day, sun: gain } = TEMPERATURE;
    return {
      temperature: celsius(temperature + warmth * (day + gain * (clearness - 0.6)) + this.change.temperature),
      humidity: percent(Math.max(0, Math.min(100, humidity + warmth * HUMIDITY.day + this.change.humidity))),
      daylight: ppfd(light * DAYLIGHT_PHOTONS * WINDOW * this.change.daylight),
    };
  }

  /** Of the air, at sea level. */
  pressureAt(instant: EpochMillis): Hectopascals {
    const turns = instant / hours(24 * PRESSURE.days) + uniform(this.seed, 0);
    return hectopascals(PRESSURE.mean + PRESSURE.swing * Math.sin(2 * Math.PI * turns));
  }

  /** Worked out once a day, for plants ask every minute. */
  private weatherAt(instant: EpochMillis): Weather {
    const day = dayOf(instant);
    if (day !== this.day) {
      this.weather = this.weatherOf(day);
      this.day = day;
    }
    return this.weather;
  }

  private weatherOf(day: number): Weather {
    const summer = Math.cos(seasonOf(day) - HOTTEST.season);
    return {
      sun: new SunPath(day, LATITUDE),
      clearness: cloudTransmission(uniform(this.seed, day)),
      temperature: TEMPERATURE.mean + TEMPERATURE.season * summer,
      humidity: HUMIDITY.mean + HUMIDITY.season * summer,
    };
  }
}
