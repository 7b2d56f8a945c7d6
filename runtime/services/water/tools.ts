import { z } from "zod";
import { changes, defineTool, reads } from "../../tools/tool.js";
import { DOSE_ML, dose, waterUsage } from "../../wire/plants.js";
import { historyTool } from "../log-tools.js";
import { water } from "./service.js";

export const dispenseWater = defineTool({
  name: "dispense_water",
  service: water,
  description:
    "Pump 10 to 25 ml to the plant. Needs a plant status that was cleared and plans for it; counts against the rolling 24 h limit. Refused while the soil is wet, and while it has not answered the last doses. For more, call it several times, one after the other.",
  facts: changes("Pour water", { destroys: true, repeatable: false, speaks: false, world: "closed" }),
  inCare: true,
  role: "agent",
  perPlant: true,
  confirmable: ["SOIL_WET"],
  confirmation: {
    ofTheHouse: true,
    check: ({ ml }, { service, call, plant }) => service.assertPossible(plant, ml, call),
  },
  input: z.strictObject({ ml: z.int().min(DOSE_ML.least).max(DOSE_ML.most).describe("millilitres") }),
  output: dose,
  run: ({ ml }, { service, call, plant }) => service.dispense(plant, ml, call),
  refused: ({ ml }, context, error) => context.service.noteRefusal(ml, context, error),
});

export const getWaterUsage = defineTool({
  name: "get_water_usage_24h",
  service: water,
  description:
    "Water that counts against the rolling 24 h limit, what is left of it, and how many doses that were.",
  facts: reads("Water of the last 24 hours", { world: "closed" }),
  inCare: true,
  role: "observer",
  perPlant: true,
  input: z.strictObject({}),
  output: waterUsage,
  run: (_, { service, plant }) => service.usage(plant),
});

export const getWaterHistory = historyTool({
  name: "get_water_history",
  title: "Water history",
  service: water,
  description:
    "Doses over time, in buckets. For the millilitres a day of the last week: hours 168, samples_per_hour 0.042, aggregation sum, value_field ml_dispensed.",
  perPlant: true,
});
