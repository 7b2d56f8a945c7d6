import { z } from "zod";
import { lightOn, lightStatus } from "../../wire/plants.js";
import { defineTool } from "../define-tool.js";
import { historyTool } from "../history-tool.js";

export const turnOnLight = defineTool({
  name: "turn_on_light",
  description:
    "Switch the grow light on for 30 to 120 minutes; it goes off by itself. Needs a plant status that was cleared and plans for it, and 30 minutes of rest since it was last on.",
  annotations: { destructiveHint: false, idempotentHint: false },
  role: "agent",
  perPlant: true,
  confirmation: {
    words: ({ minutes }) => `switch the light on for ${minutes} min`,
    scope: (plant, { lightMinutes }) => `all light of ${plant} in this cycle, ${lightMinutes} min planned`,
    check: ({ minutes }, { services, call, plant }) => services.light.assertPossible(plant, minutes, call),
  },
  input: z.strictObject({ minutes: z.int().min(30).max(120).describe("how long") }),
  output: lightOn,
  run: ({ minutes }, { services, call, plant }) => services.light.turnOn(plant, minutes, call),
});

export const turnOffLight = defineTool({
  name: "turn_off_light",
  description: "Switch the grow light off now. Always allowed; its rest of 30 minutes begins.",
  annotations: { destructiveHint: false, idempotentHint: true },
  role: "observer",
  perPlant: true,
  switchesOff: true,
  input: z.strictObject({}),
  output: z.object({ status: z.literal("off"), was_on: z.boolean(), timestamp: z.string() }),
  run: async (_, { services, plant }) => ({
    was_on: await services.light.turnOff(plant),
    status: "off" as const,
    timestamp: services.timestamp(),
  }),
});

export const getLightStatus = defineTool({
  name: "get_light_status",
  description:
    "Whether the light is on, when it last went on and off, when it may be used again, and `light_today`, the whole minutes lit since 00:00 UTC that write_plant_status asks for.",
  annotations: { readOnlyHint: true },
  role: "observer",
  perPlant: true,
  input: z.strictObject({}),
  output: lightStatus,
  run: (_, { services, plant }) => services.light.status(plant),
});

export const getLightHistory = historyTool({
  name: "get_light_history",
  description:
    "Stretches of light over time, in buckets. For the minutes a day of the last week: hours 168, samples_per_hour 0.042, aggregation sum, value_field minutes.",
  perPlant: true,
  of: (services) => services.light,
});
