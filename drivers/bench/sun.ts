import { hours } from "../units.js";

const DAY = hours(24);
const RADIANS = Math.PI / 180;

/** Number of the UTC day since 1970. */
export const dayOf = (instant: number) => Math.floor(instant / DAY);

/** 0 at 1 January to 2π a year later, of a day number; the calendar's leap days shift it by no more than a day. */
export const seasonOf = (day: number) => 2 * Math.PI * ((day / 365.2425) % 1);

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
