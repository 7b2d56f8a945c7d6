import { defineModule } from "../module.js";
import { moistureConfig } from "./config.js";
import { sampler } from "./sampler.js";
import { MOISTURE_ERRORS, moisture, publicReading } from "./service.js";
import { soilWatch } from "./soil-watch.js";
import { getMoistureHistory, measureProbe, readMoisture } from "./tools.js";

/** The soil probes, and what follows from what they read. */
export const moistureModule = defineModule({
  name: "moisture",
  canBeOff: false,
  toolset: "plants",
  config: moistureConfig,
  errors: MOISTURE_ERRORS,
  parts: [moisture, soilWatch, sampler],
  tools: [readMoisture, getMoistureHistory, measureProbe],
  sample: (house) => house.get(sampler).sample(),
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
