import { type EpochMillis, hours } from "../../units.js";
import type { Call, Care } from "./care.js";
import type { Photo } from "./facts.js";
import { latest } from "./facts.js";
import { isDay, timeOfDay } from "./plan.js";

/** Photos that are compared: one a day for a week, and one more. */
export const PHOTOS = 8;
/** Only photos of the same hours are compared: a winter morning is dark anyway. All hours here are UTC. */
const MIDDAY = { from: hours(10), to: hours(14) };
/** About once a day. */
const MIDDAY_EVERY = hours(20);
/** Without a cycle at midday, a photo at another hour is better than none. */
const AT_LEAST_EVERY = hours(22);

/** Takes a photo at midday, or by day if the last one is old. No photo if the runtime has no camera. */
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

/** Two dark photos in a row are more than a shadow. Two bright ones before them: the room is not always dark. */
const [IN_A_ROW, BRIGHT_BEFORE] = [2, 2];

type Sight = "seeing" | "darkened" | "unknown";

/** Whether something covers the camera. "darkened" only after bright photos; "unknown" if the last photo shows neither. */
export function sightOf({ facts }: Pick<Care, "facts">, wasDarkened: boolean): Sight {
  const midday = facts.photos?.filter(atMidday) ?? [];
  if (midday.at(-1)?.dark === false) return "seeing";
  const newest = midday.slice(-IN_A_ROW);
  const bright = midday.filter(({ dark }) => !dark).length;
  const darkened = newest.length === IN_A_ROW && newest.every(({ dark }) => dark);
  return darkened && (wasDarkened || bright >= BRIGHT_BEFORE) ? "darkened" : "unknown";
}
