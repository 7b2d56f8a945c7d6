import { z } from "zod";
import { measuredProbe, moistureResult } from "../../wire/plants.js";
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
  output: moistureResult,
  run: async (_, { services, plant }) => ({
    ...publicReading(await services.moisture.read(plant)),
    quality: "ok" as const,
  }),
});

export const measureProbe = defineTool({
  name: "measure_probe",
  description:
    "What a soil probe gives in its own unit, whatever its calibration says of it: for calibrating it in air and in water. Nothing is kept, and no fault is raised or lifted.",
  annotations: { destructiveHint: false, idempotentHint: true },
  role: "human",
  perPlant: true,
  input: z.strictObject({
    place: z
      .enum(["air", "water", "pot"])
      .optional()
      .describe("where you have put the probe; on the bench it is put there"),
  }),
  output: measuredProbe,
  run: async ({ place }, { services, plant }) => {
    const { raw: _, resembles = null, ...measured } = await services.moisture.measure(plant, place);
    return { ...measured, resembles, timestamp: services.timestamp() };
  },
});

export const getMoistureHistory = historyTool({
  name: "get_moisture_history",
  description:
    "Soil readings over time, in buckets: one reading a bucket (first, last, middle), or count, sum or mean of `value` (raw), `percent`, `noise` or `level` (volts, or the counts of a seesaw).",
  perPlant: true,
  of: (services) => services.moisture,
});
