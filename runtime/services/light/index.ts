import { z } from "zod";
import { exceptPhotos } from "../../tools/taint.js";
import { acts, defineTool, reads, sets } from "../../tools/tool.js";
import { lightOn, lightStatus } from "../../wire/plants.js";
import { historyTool } from "../log-tools.js";
import { defineModule } from "../module.js";
import { LIGHT_ERRORS, LIGHT_LOG, lightLedger } from "./ledger.js";
import { light } from "./service.js";

const turnOnLight = defineTool({
  name: "turn_on_light",
  service: light,
  description:
    "Switch the grow light on for 30 to 120 minutes; it goes off by itself. Needs a plant status that was cleared and plans for it, and 30 minutes of rest since it was last on.",
  facts: acts("Switch the grow light on"),
  inCare: true,
  neededForCare: true,
  role: "agent",
  perPlant: true,
  confirmation: {
    ofTheHouse: true,
    misledBy: exceptPhotos,
    check: ({ minutes }, { service, call, plant }) => service.assertPossible(plant, minutes, call),
  },
  input: z.strictObject({ minutes: z.int().min(30).max(120).describe("how long") }),
  output: lightOn,
  run: ({ minutes }, { service, call, plant }) => service.turnOn(plant, minutes, call),
});

const turnOffLight = defineTool({
  name: "turn_off_light",
  service: light,
  description: "Switch the grow light off now. Always allowed; its rest of 30 minutes begins.",
  facts: sets("Switch the grow light off"),
  inCare: true,
  role: "observer",
  perPlant: true,
  switchesOff: true,
  input: z.strictObject({}),
  output: z.object({ status: z.literal("off"), was_on: z.boolean(), timestamp: z.string() }),
  run: async (_, { service, isoNow, plant }) => ({
    was_on: await service.turnOff(plant),
    status: "off" as const,
    timestamp: isoNow(),
  }),
});

const getLightStatus = defineTool({
  name: "get_light_status",
  service: light,
  description:
    "Whether the light is on, when it last went on and off, when it may be used again, and `light_today`, the whole minutes lit since 00:00 UTC that write_plant_status asks for.",
  facts: reads("Light status", { world: "closed" }),
  inCare: true,
  role: "observer",
  perPlant: true,
  input: z.strictObject({}),
  output: lightStatus,
  run: (_, { service, plant }) => service.status(plant),
});

const getLightHistory = historyTool({
  name: "get_light_history",
  title: "Light history",
  service: light,
  description:
    "Stretches of light over time, in buckets. For the minutes a day of the last week: hours 168, samples_per_hour 0.042, aggregation sum, value_field minutes.",
  perPlant: true,
});

/** The grow lights. Each period ends by itself, and a rest follows. */
export const lightModule = defineModule({
  name: "light",
  canBeOff: false,
  toolset: "plants",
  journals: [
    {
      definition: LIGHT_LOG,
      atRestore: "stays",
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
