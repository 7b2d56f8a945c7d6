import { defineModule } from "../module.js";
import { soilWatch } from "../moisture/soil-watch.js";
import { control } from "../people/control.js";
import { carryOver, inheritances } from "./carry-over.js";
import { waterConfig } from "./config.js";
import { waterLedger } from "./ledger.js";
import { responseWatch } from "./response-watch.js";
import { water } from "./service.js";
import { DOSE_LOG, WATER_ERRORS } from "./table.js";
import { dispenseWater, getWaterHistory, getWaterUsage } from "./tools.js";

/** The pumps, and the account of what they pour. */
export const waterModule = defineModule({
  name: "water",
  canBeOff: false,
  toolset: "plants",
  config: waterConfig,
  journals: [
    {
      definition: DOSE_LOG,
      // what was poured is not known any more: a full day counts as poured
      afterLoss: async (house, reason) => {
        const timestamp = house.timestamp();
        await (await house.use(control)).record({ timestamp, kind: "doses_lost", by: "runtime", reason });
        await (await house.use(waterLedger)).chargeLostLedger(reason);
      },
    },
  ],
  errors: WATER_ERRORS,
  parts: [waterLedger, responseWatch, water],
  tools: [dispenseWater, getWaterUsage, getWaterHistory],
  overview: {
    plant: (house, plant) => {
      const limit = house.get(soilWatch).limit(plant);
      const service = house.get(water);
      return {
        water: {
          ...service.usage(plant),
          pouring: service.isPouring(plant),
          not_above: limit ? { ...limit } : null,
        },
      };
    },
  },
  settle: async (house) => {
    house.store.warnings.push(...inheritances(house.plants, await house.use(waterLedger)));
    await carryOver(house);
  },
  allOff: (house) => house.plants.ids.map((plant) => house.get(water).stop(plant)),
  everyHour: async (house) => void (await house.get(waterLedger).mark()),
});
