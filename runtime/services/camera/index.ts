import { TendrilError } from "../../errors.js";
import type { ResourceSource, Route } from "../../tools/host.js";
import { photoIn, photoUri } from "../../wire/names.js";
import { defineModule } from "../module.js";
import { type CameraService, camera, cameraConfig, PHOTOS_PATH } from "./service.js";
import { capturePhoto, getCameraHistory, getRecentPhotos } from "./tools.js";

/** Photos of the plants. */
export const cameraModule = defineModule({
  name: "camera",
  canBeOff: false,
  toolset: "plants",
  config: cameraConfig,
  parts: [camera],
  tools: [capturePhoto, getRecentPhotos, getCameraHistory],
  routes: (house) => [photoRoute(house.get(camera))],
  resources: (house) => photoResources(house.get(camera), house.plants.ids),
});

/** How many of the newest photos of each plant are listed as resources. */
const LISTED_PHOTOS = 20;
const JPEG = "image/jpeg";

/** Serves the photo of a signed link. */
const photoRoute = (camera: Pick<CameraService, "open">): Route => ({
  path: PHOTOS_PATH,
  may: "signed link",
  answer: async ({ path, query }) => {
    const file = await camera.open(path, query);
    if (!file) {
      const what = `there is no photo at ${path}, or its link has expired (get_recent_photos signs a new one)`;
      throw new TendrilError("NOT_FOUND", what);
    }
    const headers = {
      "Cache-Control": "private, no-store",
      // a person who has the link may show the photo in a page of their own
      "Cross-Origin-Resource-Policy": "cross-origin",
    };
    return { type: JPEG, body: file, headers };
  },
});

/** Photos as MCP resources. */
const photoResources = (
  camera: Pick<CameraService, "recent" | "forAnswer">,
  plants: readonly string[],
): ResourceSource => ({
  list: async () => (await Promise.all(plants.map((plant) => photosOf(camera, plant)))).flat(),
  read: async (uri) => {
    const photo = photoIn(uri);
    const jpeg = photo && (await camera.forAnswer(photo));
    return jpeg && { mimeType: JPEG, blob: Buffer.from(jpeg).toString("base64") };
  },
});

async function photosOf(camera: Pick<CameraService, "recent">, plant: string) {
  const kept = (await camera.recent(plant, LISTED_PHOTOS, 0)).filter((photo) => photo.url !== null);
  return kept.map(({ timestamp }) => ({
    uri: photoUri(plant, timestamp),
    name: `${plant} at ${timestamp}`,
    mimeType: JPEG,
  }));
}
