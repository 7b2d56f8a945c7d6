import { defineModule } from "../module.js";
import { CLIMATE_ERRORS, climate, climateConfig } from "./service.js";
import { getClimateHistory, readClimate } from "./tools.js";

/** The air of rooms: temperature, humidity, pressure. It is on if the configuration has a sensor. */
export const climateModule = defineModule({
  name: "climate",
  canBeOff: true,
  config: climateConfig,
  isNeeded: ({ climate }) => climate.length > 0,
  wiring: ({ climate }) => ({ climate }),
  toolset: "climate",
  errors: CLIMATE_ERRORS,
  parts: [climate],
  tools: [readClimate, getClimateHistory],
  overview: { view: (house) => ({ climate: house.get(climate).now() }) },
  privateWords: (house) => house.get(climate).places.map((words) => ({ kind: "place" as const, words })),
  sample: async (house, attempt) => {
    const rooms = house.get(climate);
    for (const place of rooms.places) await attempt({ place }, () => rooms.read(place));
  },
});
