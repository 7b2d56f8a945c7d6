import { at, type HouseClock } from "./figures.js";
import type { PhotoSeen } from "./story-data.js";

/** Of each day of the house the photo nearest to an hour; one in which nothing can be seen only if there is no other. */
function atHour(photos: readonly PhotoSeen[], hour: number, clock: HouseClock): PhotoSeen[] {
  const days = new Map<number, PhotoSeen>();
  for (const photo of photos) {
    const day = clock.midnight(at(photo.timestamp));
    const best = days.get(day);
    if (!best || distance(photo, hour, clock) < distance(best, hour, clock)) days.set(day, photo);
  }
  return [...days.values()];
}

/** What a film shows: a photo of each day; of a single day all that show something, so that a new house has a film too. */
export function filmOf(
  photos: readonly PhotoSeen[],
  hour: number,
  clock: HouseClock,
): { readonly photos: readonly PhotoSeen[]; readonly ofOneDay: boolean } {
  const ofDays = atHour(photos, hour, clock);
  const bright = photos.filter(({ dark }) => !dark);
  const ofOneDay = ofDays.length === 1 && bright.length > 1;
  return { photos: ofOneDay ? bright : ofDays, ofOneDay };
}

/** Minutes; a dark photo is farther away than any other of its day. */
function distance({ timestamp, dark }: PhotoSeen, hour: number, clock: HouseClock): number {
  const [hours = 0, minutes = 0] = clock.clock(at(timestamp)).split(":").map(Number);
  return Math.abs(hours * 60 + minutes - hour * 60) + (dark ? 24 * 60 : 0);
}
