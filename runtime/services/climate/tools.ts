import { z } from "zod";
import { defineTool, reads } from "../../tools/tool.js";
import { climateReading } from "../../wire/overview.js";
import { historyResult } from "../../wire/plants.js";
import { historyInput, historyQuery } from "../log-tools.js";
import { climate } from "./service.js";

const place = z.string().min(1).max(60).optional().describe("the room; the first by default");

export const readClimate = defineTool({
  name: "read_climate",
  service: climate,
  description: "Read the air of a room now: temperature, relative humidity, pressure.",
  facts: reads("Read the air of a room", { world: "closed" }),
  role: "observer",
  input: z.strictObject({ place }),
  output: climateReading.extend({ quality: z.literal("ok") }),
  run: async ({ place }, { service }) => ({ ...(await service.read(place)), quality: "ok" as const }),
});

export const getClimateHistory = defineTool({
  name: "get_climate_history",
  service: climate,
  description:
    "The air of a room over time, in buckets: one reading a bucket (first, last, middle), or count, sum, mean, min or max of `temperature_c`, `humidity_percent` or `pressure_hpa`.",
  facts: reads("Climate history", { world: "closed" }),
  role: "observer",
  input: historyInput.extend({ place }),
  output: historyResult,
  run: ({ place, ...query }, { service, clock }) => service.history(historyQuery(query, clock), place),
});
