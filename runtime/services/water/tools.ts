import { z } from "zod";
import { dose, waterUsage } from "../../wire/plants.js";
import { defineTool } from "../define-tool.js";
import { historyTool } from "../history-tool.js";

export const dispenseWater = defineTool({
  name: "dispense_water",
  description:
    "Pump 10 to 25 ml to the plant. Needs a plant status that was cleared and plans for it; counts against the rolling 24 h limit. Refused while the soil is wet, and while it has not answered the last doses. For more, call it several times, one after the other.",
  annotations: { destructiveHint: true, idempotentHint: false },
  role: "agent",
  perPlant: true,
  confirmable: ["SOIL_WET"],
  confirmation: {
    words: ({ ml }) => `pour ${ml} ml`,
    scope: (plant, { ml }) => `all it pours on ${plant} in this cycle, ${ml} ml planned`,
    check: ({ ml }, { services, call, plant }) => services.water.assertPossible(plant, ml, call),
  },
  input: z.strictObject({ ml: z.int().min(10).max(25).describe("millilitres") }),
  output: dose,
  run: ({ ml }, { services, call, plant }) => services.water.dispense(plant, ml, call),
});

export const getWaterUsage = defineTool({
  name: "get_water_usage_24h",
  description:
    "Water that counts against the rolling 24 h limit, what is left of it, and how many doses that were.",
  annotations: { readOnlyHint: true },
  role: "observer",
  perPlant: true,
  input: z.strictObject({}),
  output: waterUsage,
  run: (_, { services, plant }) => services.water.usage(plant),
});

export const getWaterHistory = historyTool({
  name: "get_water_history",
  description:
    "Doses over time, in buckets. For the millilitres a day of the last week: hours 168, samples_per_hour 0.042, aggregation sum, value_field ml_dispensed.",
  perPlant: true,
  of: (services) => services.water,
});
