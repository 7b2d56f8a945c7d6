import { z } from "zod";
import { hours } from "../../../drivers/units.js";
import { defineTool, reads, sets } from "../../tools/tool.js";
import { measuredProbe, moistureResult } from "../../wire/plants.js";
import { historyTool } from "../log-tools.js";
import { defineModule, type House } from "../module.js";
import { responseWatch } from "../water/response-watch.js";
import { probeWatch } from "./probe-watch.js";
import { historyConfig, MOISTURE_ERRORS, moisture, moistureConfig, publicReading } from "./service.js";
import { soilWatch } from "./soil-watch.js";

const readMoisture = defineTool({
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

const measureProbe = defineTool({
  name: "measure_probe",
  service: moisture,
  description:
    "What a soil probe gives in its own unit, whatever its calibration says of it: for calibrating it in air and in water. Nothing is kept, and no fault is raised or lifted.",
  facts: sets("Measure a probe for calibration"),
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

const getMoistureHistory = historyTool({
  name: "get_moisture_history",
  title: "Moisture history",
  service: moisture,
  description:
    "Soil readings over time, in buckets: one reading a bucket (first, last, middle), or count, sum, mean, min or max of `value` (raw), `percent`, `noise` or `level` (volts, or the counts of a seesaw).",
  perPlant: true,
});

/** The soil probes, and what follows from their readings. */
export const moistureModule = defineModule({
  name: "moisture",
  canBeOff: false,
  toolset: "plants",
  config: { ...moistureConfig, ...historyConfig },
  errors: MOISTURE_ERRORS,
  parts: [moisture, soilWatch, probeWatch],
  tools: [readMoisture, getMoistureHistory, measureProbe],
  sample: (house, attempt) =>
    Promise.all(house.plants.ids.map((plant) => attempt({ plant }, () => readAndLook(house, plant)))),
  everyHour: (house) => house.store.tidyHistory(keptFrom(house)),
  overview: {
    plant: (house, plant) => {
      const probes = house.get(moisture);
      const reading = probes.last(plant);
      const fault = probes.fault(plant);
      return {
        moisture: reading ? publicReading(reading) : null,
        probe_fault: fault ? { ...fault } : null,
      };
    },
  },
});

/** Undefined keeps all: a clock that nothing has set could be years ahead. */
function keptFrom(house: House): number | undefined {
  const { clock } = house;
  const { keep_raw } = house.config(historyConfig).history;
  return keep_raw === "always" || !clock.synchronised() ? undefined : clock.now() - hours(24 * keep_raw);
}

/** Reads the probe, then checks whether it is sound, whether the last water has arrived, and whether the soil stays wet. */
async function readAndLook(house: House, plant: string): Promise<void> {
  await house
    .get(moisture)
    .read(plant)
    .finally(() => house.get(probeWatch).look(plant));
  await house.get(responseWatch).look(plant);
  await house.get(soilWatch).look(plant);
}
