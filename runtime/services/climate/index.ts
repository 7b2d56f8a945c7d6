import { defineModule, definePart } from "../module.js";
import { SamplingLog } from "../sampling.js";
import { CLIMATE_ERRORS, climate } from "./service.js";
import { getClimateHistory, readClimate } from "./tools.js";

const samplingLog = definePart("climate's sampling log", ({ log }) => new SamplingLog("place", log));

/** The air of the rooms: temperature, humidity, pressure. It is on where the configuration has a sensor. */
export const climateModule = defineModule({
  name: "climate",
  canBeOff: true,
  isNeeded: ({ climate }) => climate.length > 0,
  toolset: "climate",
  errors: CLIMATE_ERRORS,
  parts: [climate, samplingLog],
  tools: [readClimate, getClimateHistory],
  overview: { view: (house) => ({ climate: house.get(climate).now() }) },
  sample: async (house) => {
    const [rooms, log] = [house.get(climate), house.get(samplingLog)];
    for (const place of rooms.places) await log.attempt(place, () => rooms.read(place));
  },
});
