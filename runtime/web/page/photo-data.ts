import type { History, Photo, PhotoList } from "../../wire/plants.js";
import { at } from "./figures.js";
import { type House, ofPlant } from "./house.js";
import type { PhotoSeen } from "./story-data.js";

/** Hours back, and photos an hour that are asked for: fine enough to find one near an hour of the day. */
export const SPANS = {
  week: { hours: 168, samples: 2 },
  month: { hours: 720, samples: 1 },
  year: { hours: 8760, samples: 0.25 },
} as const;
export type SpanName = keyof typeof SPANS;

/** The first photo of each bucket, oldest first. `end`: ISO 8601. */
export async function queryPhotos(
  house: House,
  plant: string,
  span: SpanName,
  end: string,
): Promise<PhotoSeen[]> {
  const { hours, samples } = SPANS[span];
  return photosUntil(house, plant, { hours, samples_per_hour: samples, end_time: end });
}

/** The last photo before a moment, and the first after it: within half a day. */
export async function photosAround(
  house: House,
  plant: string,
  time: number,
): Promise<{ readonly before?: PhotoSeen | undefined; readonly after?: PhotoSeen | undefined }> {
  const end_time = new Date(time + HALF_DAY).toISOString();
  const photos = await photosUntil(house, plant, { hours: 24, samples_per_hour: 60, end_time });
  return {
    before: photos.findLast(({ timestamp }) => at(timestamp) <= time),
    after: photos.find(({ timestamp }) => at(timestamp) > time),
  };
}

const HALF_DAY = 12 * 3_600_000;

/** The first photo of each bucket whose picture is still there. */
export async function photosUntil(house: House, plant: string, query: object): Promise<PhotoSeen[]> {
  const asked = { ...ofPlant(house, plant), ...query, aggregation: "first" };
  const { items } = await house.call<History<Photo>>("get_camera_history_bucketed", asked);
  return withPicture(items);
}

const withPicture = (photos: readonly Photo[]): PhotoSeen[] =>
  photos.flatMap((photo) => (photo.url === null ? [] : [{ ...photo, url: photo.url }]));

/** Hours back in which a photo by day is looked for. A choice: a night, also where no photo was taken the day after. */
const LAST_DAYS = 48;

/** The last photo of a plant and, where nothing can be seen on that, the last one by day in its place. */
export async function lastPhotos(house: House, plant: string, now: string): Promise<LastPhotos | undefined> {
  const found = await house.call<PhotoList>("get_recent_photos", { ...ofPlant(house, plant), n: 1 });
  const [last] = withPicture(found.photos);
  if (!last?.dark) return last && { shown: last };
  const query = { hours: LAST_DAYS, samples_per_hour: 1, end_time: now };
  const byDay = (await photosUntil(house, plant, query)).findLast(({ dark }) => !dark);
  return { shown: byDay ?? last, dark: last };
}

interface LastPhotos {
  readonly shown: PhotoSeen;
  /** The last one, if nothing can be seen on it. */
  readonly dark?: PhotoSeen;
}
