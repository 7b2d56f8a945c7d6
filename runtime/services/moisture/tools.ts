import { z } from "zod";
import { changes, defineTool, reads } from "../../tools/tool.js";
import { measuredProbe, moistureResult } from "../../wire/plants.js";
import { historyTool } from "../log-tools.js";
import { moisture, publicReading } from "./service.js";

export const readMoisture = defineTool({
  name: "read_moisture",
  service: moisture,
  description:
    "Read the soil probe now. `value` is the raw figure of the probe that write_plant_status asks for; `percent` runs from dry (0) to wet (100) by calibration. A faulty probe is an error that carries the last good reading.",
  facts: reads("Read the soil probe", { world: "closed" }),
  inCare: true,
  role: "observer",
  perPlant: true,
  input: z.strictObject({}),
  output: moistureResult,
  run: async (_, { service, plant }) => ({
    ...publicReading(await service.read(plant)),
    quality: "ok" as const,
  }),
});

export const measureProbe = defineTool({
  name: "measure_probe",
  service: moisture,
  description:
    "What a soil probe gives in its own unit, whatever its calibration says of it: for calibrating it in air and in water. Nothing is kept, and no fault is raised or lifted.",
  facts: changes("Measure a probe for calibration", {
    destroys: false,
    repeatable: true,
    speaks: false,
    world: "closed",
  }),
  role: "human",
  perPlant: true,
  input: z.strictObject({
    place: z
      .enum(["air", "water", "pot"])
      .optional()
      .describe("where you have put the probe; on the bench it is put there"),
  }),
  output: measuredProbe,
  run: async ({ place }, { service, isoNow, plant }) => {
    const { raw: _, resembles = null, ...measured } = await service.measure(plant, place);
    return { ...measured, resembles, timestamp: isoNow() };
  },
});

export const getMoistureHistory = historyTool({
  name: "get_moisture_history",
  title: "Moisture history",
  service: moisture,
  description:
    "Soil readings over time, in buckets: one reading a bucket (first, last, middle), or count, sum, mean, min or max of `value` (raw), `percent`, `noise` or `level` (volts, or the counts of a seesaw).",
  perPlant: true,
});
