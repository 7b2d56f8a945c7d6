import { z } from "zod";
import { Picture } from "../../tools/picture.js";
import { changes, defineTool, reads } from "../../tools/tool.js";
import { photoList, takenPhoto } from "../../wire/plants.js";
import { historyTool } from "../history-tool.js";
import { pageInput } from "../log-input.js";
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

export const getRecentPhotos = defineTool({
  name: "get_recent_photos",
  service: camera,
  description: "The last photos, oldest of them first, each with a link that opens it for a while.",
  facts: reads("Recent photos", { world: "closed" }),
  role: "observer",
  perPlant: true,
  input: pageInput(5),
  output: photoList,
  run: async ({ n, offset }, { service, plant }) => {
    const photos = await service.recent(plant, n, offset);
    return { count: photos.length, photos };
  },
});

export const getCameraHistory = historyTool({
  name: "get_camera_history_bucketed",
  title: "Photo history",
  service: camera,
  description:
    "Photos over time, in buckets. For the number of photos a day of the last month: hours 720, samples_per_hour 0.042, aggregation count.",
  perPlant: true,
});
