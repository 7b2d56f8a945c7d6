import { hours } from "../../../drivers/units.js";
import { defineModule, type House } from "../module.js";
import { responseWatch } from "../water/response-watch.js";
import { historyConfig, MOISTURE_ERRORS, moisture, moistureConfig, publicReading } from "./service.js";
import { soilWatch } from "./soil-watch.js";
import { getMoistureHistory, measureProbe, readMoisture } from "./tools.js";

/** The soil probes, and what follows from their readings. */
export const moistureModule = defineModule({
  name: "moisture",
  canBeOff: false,
  toolset: "plants",
  config: { ...moistureConfig, ...historyConfig },
  errors: MOISTURE_ERRORS,
  parts: [moisture, soilWatch],
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

/** Reads the probe, then checks whether the last water has arrived and whether the soil stays wet. */
async function readAndLook(house: House, plant: string): Promise<void> {
  await house.get(moisture).read(plant);
  await house.get(responseWatch).look(plant);
  await house.get(soilWatch).look(plant);
}
