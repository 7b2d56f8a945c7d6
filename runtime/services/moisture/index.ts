import { defineModule, type House } from "../module.js";
import { responseWatch } from "../water/response-watch.js";
import { MOISTURE_ERRORS, moisture, moistureConfig, publicReading } from "./service.js";
import { soilWatch } from "./soil-watch.js";
import { getMoistureHistory, measureProbe, readMoisture } from "./tools.js";

/** The soil probes, and what follows from their readings. */
export const moistureModule = defineModule({
  name: "moisture",
  canBeOff: false,
  toolset: "plants",
  config: moistureConfig,
  errors: MOISTURE_ERRORS,
  parts: [moisture, soilWatch],
  tools: [readMoisture, getMoistureHistory, measureProbe],
  sample: (house, attempt) =>
    Promise.all(house.plants.ids.map((plant) => attempt({ plant }, () => readAndLook(house, plant)))),
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

/** Reads the probe, then checks whether the last water has arrived and whether the soil stays wet. */
async function readAndLook(house: House, plant: string): Promise<void> {
  await house.get(moisture).read(plant);
  await house.get(responseWatch).look(plant);
  await house.get(soilWatch).look(plant);
}
