import { z } from "zod";
import { defineTool } from "../define-tool.js";
import { historyTool } from "../history-tool.js";
import { publicReading } from "./service.js";

export const readMoisture = defineTool({
  name: "read_moisture",
  description:
    "Read the soil probe now. `value` is the raw figure of the probe that write_plant_status asks for; `percent` runs from dry (0) to wet (100) by calibration. A faulty probe is an error that carries the last good reading.",
  annotations: { readOnlyHint: true },
  role: "observer",
  perPlant: true,
  input: z.strictObject({}),
  output: z.object({
    value: z.int(),
    timestamp: z.string(),
    percent: z.number(),
    noise: z.number(),
    quality: z.enum(["ok", "stale", "implausible", "disconnected"]),
  }),
  run: async (_, { services, plant }) => ({
    ...publicReading(await services.moisture.read(plant)),
    quality: "ok" as const,
  }),
});

export const getMoistureHistory = historyTool({
  name: "get_moisture_history",
  description:
    "Soil readings over time, in buckets: one reading a bucket (first, last, middle), or count, sum or mean of `value` (raw), `percent`, `noise` or `level` (volts, or the counts of a seesaw).",
  perPlant: true,
  of: (services) => services.moisture,
});
