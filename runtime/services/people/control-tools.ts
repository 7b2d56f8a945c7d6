import { z } from "zod";
import { overviewResult } from "../../wire/overview.js";
import { defineTool } from "../define-tool.js";

const done = z.object({ timestamp: z.string(), success: z.boolean() });

export const setHold = defineTool({
  name: "set_hold",
  description:
    "Keep everything from being switched on, or lift that again; one plant or all. Switching off stays possible. Not lifted while a stop button is pressed.",
  annotations: { destructiveHint: false, idempotentHint: true },
  role: "human",
  holds: true,
  input: z.strictObject({
    hold: z.boolean().describe("true: nothing may be switched on; false: lift the hold"),
    plant: z.string().optional().describe("one plant; all by default"),
    reason: z.string().min(1).max(1000).default("a person asked for it"),
  }),
  output: done,
  run: async ({ hold, plant: named, reason }, { services, call }) => {
    const timestamp = services.timestamp();
    const plant = named === undefined ? {} : { plant: services.plants.resolve(named) };
    if (!hold) {
      services.inputs.assertReleased();
      services.control.assertLiftable(plant.plant);
    }
    await services.control.record({
      timestamp,
      kind: hold ? "hold" : "resume",
      by: call.identity.name,
      reason,
      ...plant,
    });
    return { timestamp, success: true };
  },
});

export const clearFault = defineTool({
  name: "clear_fault",
  description:
    "Unlock a plant after you have looked at tube, tank and probe, for the leak, or at what the interlock names; one plant or all. Refused while the leak sensor is still wet, or the interlock's cause stands.",
  annotations: { destructiveHint: false, idempotentHint: true },
  role: "human",
  input: z.strictObject({
    plant: z.string().optional().describe("one plant; all by default"),
    reason: z.string().min(1).max(1000).default("a person has looked at it"),
  }),
  output: done,
  run: async ({ plant: named, reason }, { services, call }) => {
    const timestamp = services.timestamp();
    const plant = named === undefined ? {} : { plant: services.plants.resolve(named) };
    const concerned = plant.plant === undefined ? services.plants.ids : [plant.plant];
    services.inputs.assertDry(concerned);
    if (concerned.some((each) => services.control.hasFault(each, "INTERLOCK")))
      await services.interlock?.clear();
    const after_dose = services.water.lastDose();
    await services.control.record({
      timestamp,
      kind: "clear",
      by: call.identity.name,
      reason,
      after_dose,
      ...plant,
    });
    return { timestamp, success: true };
  },
});

export const stopAll = defineTool({
  name: "stop_all",
  description: "Switch every pump and light off now. Never refused, to nobody.",
  annotations: { destructiveHint: false, idempotentHint: true },
  role: "observer",
  listedTo: "human",
  switchesOff: true,
  input: z.strictObject({}),
  output: done,
  run: async (_, { services, call }) => {
    await services.stopEverything(call.identity.name);
    return { timestamp: services.timestamp(), success: true };
  },
});

export const getOverview = defineTool({
  name: "get_overview",
  description:
    "Everything about every plant at a glance: moisture, water, light, holds, faults, the last plant status; and the buttons and sensors.",
  annotations: { readOnlyHint: true },
  role: "observer",
  listedTo: "human",
  input: z.strictObject({}),
  output: overviewResult,
  run: (_, { services }) => services.overview(),
});
