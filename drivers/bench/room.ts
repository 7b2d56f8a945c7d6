import {
  celsius,
  type EpochMillis,
  type Hectopascals,
  hectopascals,
  hours,
  type Ppfd,
  percent,
  ppfd,
} from "../units.js";
import type { Air } from "./bench-plant.js";
import { uniform } from "./math.js";

/** Added to what a room has by itself. */
interface RoomChange {
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

  /** Computed once a day, because plants ask every minute. */
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

const DAY = hours(24);
const RADIANS = Math.PI / 180;

/** Number of the UTC day since 1970. */
const dayOf = (instant: number) => Math.floor(instant / DAY);

/** 0 at 1 January to 2π a year later, of a day number; the calendar's leap days shift it by no more than a day. */
const seasonOf = (day: number) => 2 * Math.PI * ((day / 365.2425) % 1);

/** Sine of the sun's elevation on one day at one latitude, the longitude 0: UTC is solar time but for minutes. */
export class SunPath {
  private readonly constant: number;
  private readonly swing: number;

  /** @param latitude degrees north */
  constructor(day: number, latitude: number) {
    const declination = 0.409 * Math.sin(seasonOf(day) - 1.39); // FAO-56 eq. 24
    this.constant = Math.sin(latitude * RADIANS) * Math.sin(declination);
    this.swing = Math.cos(latitude * RADIANS) * Math.cos(declination);
  }

  /** Below 0 at night: sin φ sin δ + cos φ cos δ cos ω, ω the hour angle, 0 at noon (Iqbal 1983, Introduction to Solar Radiation, ch. 1). */
  sineAt(instant: number): number {
    const hourAngle = 2 * Math.PI * ((instant % DAY) / DAY) - Math.PI;
    return this.constant + this.swing * Math.cos(hourAngle);
  }
}

/** Clear-sky radiation on the ground, W/m² (Haurwitz 1945, J. Meteor. 2:154–166), from the sine of the sun's elevation. */
export const clearSky = (sine: number) => (sine <= 0 ? 0 : 1098 * sine * Math.exp(-0.057 / sine));

/** What a sky that is covered to the share `cloudiness` lets through (Kasten and Czeplak 1980, Solar Energy 24:177–189). */
export const cloudTransmission = (cloudiness: number) => 1 - 0.75 * cloudiness ** 3.4;

/**
 * Photons of daylight to all its energy, µmol/J: 4.57 within 400–700 nm (Thimijan and Heins 1983, HortScience 18:818–822),
 * which is 45 % of sunlight's energy (Meek et al. 1984, Agron. J. 76:939–945).
 */
const DAYLIGHT_PHOTONS = 2.06;
/** Of a white and red LED, which shines within 400–700 nm alone, µmol/J: between sunlight's 4.57 and red light's 5.5. */
const LAMP_PHOTONS = 4.8;
/** A 20 W LED bar 30 cm above the leaves: 8 hours of it are 5.8 mol/m², what a leafy herb lacks in winter (a choice). */
const LAMP = ppfd(200);

/** Of the lamp, at the leaves. */
export const lampLight = (lit: boolean): Ppfd => (lit ? LAMP : ppfd(0));

/** Shortwave radiation at the leaves, W/m². */
export const irradiance = (daylight: Ppfd, lamp: Ppfd) => daylight / DAYLIGHT_PHOTONS + lamp / LAMP_PHOTONS;
