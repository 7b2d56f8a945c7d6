import { z } from "zod";
import { defineTool } from "../define-tool.js";
import { historyTool } from "../history-tool.js";
import { pageInput } from "../log-input.js";
import { Picture } from "../picture.js";
import { assertFitsAnswer } from "./service.js";

const photo = z.object({
  plant: z.string(),
  timestamp: z.string(),
  url: z.string().nullable(),
  light_on: z.boolean(),
  dark: z.boolean(),
  width: z.int(),
  height: z.int(),
});

export const capturePhoto = defineTool({
  name: "capture_photo",
  description:
    "Take a photo of the plant. `url` opens it for a while without a token; `dark` says that there is too little light to see anything; include_image adds the picture itself.",
  annotations: { destructiveHint: false, idempotentHint: false },
  role: "agent",
  perPlant: true,
  input: z.strictObject({ include_image: z.boolean().default(false) }),
  output: z.object({ url: z.string(), timestamp: z.string(), light_on: z.boolean(), dark: z.boolean() }),
  run: async ({ include_image }, { services, plant }) => {
    const { view, jpeg } = await services.camera.capture(plant);
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
  description: "The last photos, oldest of them first, each with a link that opens it for a while.",
  annotations: { readOnlyHint: true },
  role: "observer",
  perPlant: true,
  input: pageInput(5),
  output: z.object({ count: z.int(), photos: z.array(photo) }),
  run: async ({ n, offset }, { services, plant }) => {
    const photos = await services.camera.recent(plant, n, offset);
    return { count: photos.length, photos };
  },
});

export const getCameraHistory = historyTool({
  name: "get_camera_history_bucketed",
  description:
    "Photos over time, in buckets. For the number of photos a day of the last month: hours 720, samples_per_hour 0.042, aggregation count.",
  perPlant: true,
  of: (services) => services.camera,
});
