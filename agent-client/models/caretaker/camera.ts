import { type EpochMillis, hours } from "../../units.js";
import type { Call, Care } from "./care.js";
import type { Photo } from "./facts.js";
import { latest } from "./facts.js";
import { isDay, timeOfDay } from "./plan.js";

/** Photos to look back on: a week of days, and one. */
export const PHOTOS = 8;
/** Pictures of the same hours can be compared: a winter's morning is dark without anything being wrong. UTC, as all hours here. */
const MIDDAY = { from: hours(10), to: hours(14) };
/** Once a day, at about the same hour. */
const MIDDAY_EVERY = hours(20);
/** Where no cycle falls on midday, a photo at another hour of the day is better than none. */
const AT_LEAST_EVERY = hours(22);

/** A photo at midday, else by day when the last one is old; the runtime has to know of photos at all. */
export function photograph(care: Care): readonly Call[] {
  const { now, photos } = care.facts;
  if (!care.has("capture_photo") || latest(care.exchanges, "capture_photo")) return [];
  if (now === undefined || !photos || !isDay(now)) return [];
  const isDue =
    now - lastOf(photos) >= AT_LEAST_EVERY ||
    (isMidday(now) && now - lastOf(photos.filter(atMidday)) >= MIDDAY_EVERY);
  return isDue ? [care.call("capture_photo")] : [];
}

const isMidday = (at: EpochMillis) => timeOfDay(at) >= MIDDAY.from && timeOfDay(at) < MIDDAY.to;
const atMidday = ({ timestamp }: Photo) => isMidday(timestamp);
const lastOf = (photos: readonly Photo[]) => Math.max(...photos.map(({ timestamp }) => timestamp));

/** Two in a row are no passing shadow, and two bright ones before them no room that is always dark. */
const [IN_A_ROW, BRIGHT_BEFORE] = [2, 2];

export type Sight = "seeing" | "darkened" | "unknown";

/** Whether the camera has stopped seeing: "darkened" only after it has seen; "unknown" where the last photo tells neither. */
export function sightOf({ facts }: Pick<Care, "facts">, wasDarkened: boolean): Sight {
  const midday = facts.photos?.filter(atMidday) ?? [];
  if (midday.at(-1)?.dark === false) return "seeing";
  const newest = midday.slice(-IN_A_ROW);
  const bright = midday.filter(({ dark }) => !dark).length;
  const darkened = newest.length === IN_A_ROW && newest.every(({ dark }) => dark);
  return darkened && (wasDarkened || bright >= BRIGHT_BEFORE) ? "darkened" : "unknown";
}
