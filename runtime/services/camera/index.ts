import { z } from "zod";
import { notFound } from "../../errors.js";
import type { ResourceSource, Route } from "../../tools/host.js";
import { FROM_PHOTO } from "../../tools/taint.js";
import { acts, defineTool, Picture } from "../../tools/tool.js";
import { photoIn, photoUri, RESULT_META } from "../../wire/names.js";
import { photoList, takenPhoto } from "../../wire/plants.js";
import { historyTool, pageInput, recordsTool } from "../log-tools.js";
import { defineModule } from "../module.js";
import { type Turns, turns } from "../turns/turns.js";
import { assertFitsAnswer, type CameraService, camera, cameraConfig, PHOTOS_PATH } from "./service.js";

const capturePhoto = defineTool({
  name: "capture_photo",
  service: camera,
  description:
    "Take a photo of the plant. `url` opens it for a while without a token; `dark` says that there is too little light to see anything; include_image adds the picture itself.",
  facts: acts("Take a photo"),
  inCare: true,
  role: "agent",
  perPlant: true,
  input: z.strictObject({ include_image: z.boolean().default(false) }),
  output: takenPhoto,
  run: async ({ include_image }, { service, plant }) => {
    const { view, jpeg } = await service.capture(plant);
    const result = {
      url: view.url ?? "",
      timestamp: view.timestamp,
      light_on: view.light_on,
      dark: view.dark,
    };
    if (!include_image) return result;
    assertFitsAnswer(jpeg.byteLength);
    return new Picture(result, jpeg, [FROM_PHOTO]);
  },
});

const getRecentPhotos = recordsTool({
  name: "get_recent_photos",
  title: "Recent photos",
  service: camera,
  description: "The last photos, oldest of them first, each with a link that opens it for a while.",
  perPlant: true,
  key: "photos",
  input: pageInput(5),
  output: photoList,
  find: ({ n, offset }, { service, plant }) => service.recent(plant, n, offset),
});

const getCameraHistory = historyTool({
  name: "get_camera_history_bucketed",
  title: "Photo history",
  service: camera,
  description:
    "Photos over time, in buckets. For the number of photos a day of the last month: hours 720, samples_per_hour 0.042, aggregation count.",
  perPlant: true,
});

/** Photos of the plants. */
export const cameraModule = defineModule({
  name: "camera",
  canBeOff: false,
  toolset: "plants",
  config: cameraConfig,
  parts: [camera],
  tools: [capturePhoto, getRecentPhotos, getCameraHistory],
  routes: (house) => [photoRoute(house.get(camera))],
  resources: (house) => photoResources(house.get(camera), house.plants.ids, house.get(turns)),
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
      throw notFound(what);
    }
    const headers = {
      "Cache-Control": "private, no-store",
      // a person who has the link may show the photo in a page of their own
      "Cross-Origin-Resource-Policy": "cross-origin",
    };
    return { type: JPEG, body: file, headers };
  },
});

const photoResources = (
  camera: Pick<CameraService, "recent" | "forAnswer">,
  plants: readonly string[],
  turns: Pick<Turns, "noteRead">,
): ResourceSource => ({
  list: async () => (await Promise.all(plants.map((plant) => photosOf(camera, plant)))).flat(),
  read: async (uri, caller) => {
    const photo = photoIn(uri);
    const jpeg = photo && (await camera.forAnswer(photo));
    if (!jpeg) return undefined;
    await turns.noteRead(caller, [FROM_PHOTO]);
    const _meta = { [RESULT_META.untrusted]: [FROM_PHOTO] };
    return { mimeType: JPEG, blob: Buffer.from(jpeg).toString("base64"), _meta };
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
