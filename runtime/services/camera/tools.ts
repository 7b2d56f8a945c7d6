import { z } from "zod";
import { changes, defineTool, Picture } from "../../tools/tool.js";
import { photoList, takenPhoto } from "../../wire/plants.js";
import { historyTool, pageInput, recordsTool } from "../log-tools.js";
import { assertFitsAnswer, camera } from "./service.js";

export const capturePhoto = defineTool({
  name: "capture_photo",
  service: camera,
  description:
    "Take a photo of the plant. `url` opens it for a while without a token; `dark` says that there is too little light to see anything; include_image adds the picture itself.",
  facts: changes("Take a photo", { destroys: false, repeatable: false, speaks: false, world: "closed" }),
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
    return new Picture(result, jpeg);
  },
});

export const getRecentPhotos = recordsTool({
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

export const getCameraHistory = historyTool({
  name: "get_camera_history_bucketed",
  title: "Photo history",
  service: camera,
  description:
    "Photos over time, in buckets. For the number of photos a day of the last month: hours 720, samples_per_hour 0.042, aggregation count.",
  perPlant: true,
});
