import { defineModule } from "../module.js";
import { LIGHT_ERRORS, LIGHT_LOG, lightLedger } from "./ledger.js";
import { light } from "./service.js";
import { getLightHistory, getLightStatus, turnOffLight, turnOnLight } from "./tools.js";

/** The grow lights. Each period ends by itself, and a rest follows. */
export const lightModule = defineModule({
  name: "light",
  canBeOff: false,
  toolset: "plants",
  journals: [
    {
      definition: LIGHT_LOG,
      // it is unknown when the light was last on: the rest begins now
      afterLoss: async (house) => {
        const ledger = await house.use(lightLedger);
        for (const plant of house.plants.ids) await ledger.restAfterLoss(plant);
      },
    },
  ],
  errors: LIGHT_ERRORS,
  parts: [lightLedger, light],
  tools: [turnOnLight, turnOffLight, getLightStatus, getLightHistory],
  overview: { plant: (house, plant) => ({ light: { ...house.get(light).status(plant) } }) },
  allOff: (house) => house.plants.ids.map((plant) => house.get(light).turnOff(plant)),
});
