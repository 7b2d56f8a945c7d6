import { z } from "zod";
import { changes, defineTool, reads } from "../../tools/tool.js";
import { inputs } from "../inputs/inputs.js";
import { definePart } from "../module.js";
import { waterLedger } from "../water/ledger.js";
import { control } from "./control.js";

/** What a hold and a fault have to do with. */
export const controls = definePart("controls", async (house) => ({
  control: await house.use(control),
  inputs: await house.use(inputs),
  water: await house.use(waterLedger),
  interlock: house.board.interlock,
}));

/** For what concerns all families at once. */
export const everything = definePart("everything", (house) => house);

import { overviewResult } from "../../wire/overview.js";

const done = z.object({ timestamp: z.string(), success: z.boolean() });

export const setHold = defineTool({
  name: "set_hold",
  service: controls,
  description:
    "Keep everything from being switched on, or lift that again; one plant or all. Switching off stays possible. Not lifted while a stop button is pressed.",
  facts: changes("Hold or resume", { destroys: false, repeatable: true, speaks: false, world: "closed" }),
  role: "human",
  holds: true,
  input: z.strictObject({
    hold: z.boolean().describe("true: nothing may be switched on; false: lift the hold"),
    plant: z.string().optional().describe("one plant; all by default"),
    reason: z.string().min(1).max(1000).default("a person asked for it"),
  }),
  output: done,
  run: async ({ hold, plant: named, reason }, { service, plants, isoNow, call }) => {
    const timestamp = isoNow();
    const plant = named === undefined ? {} : { plant: plants.resolve(named) };
    if (!hold) {
      service.inputs.assertReleased();
      service.control.assertLiftable(plant.plant);
    }
    await service.control.record({
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
  service: controls,
  description:
    "Unlock a plant after you have looked at tube, tank and probe, for the leak, or at what the interlock names; one plant or all. Refused while the leak sensor is still wet, or the interlock's cause stands.",
  facts: changes("Clear a fault", { destroys: false, repeatable: true, speaks: false, world: "closed" }),
  role: "human",
  input: z.strictObject({
    plant: z.string().optional().describe("one plant; all by default"),
    reason: z.string().min(1).max(1000).default("a person has looked at it"),
  }),
  output: done,
  run: async ({ plant: named, reason }, { service, plants, isoNow, call }) => {
    const timestamp = isoNow();
    const plant = named === undefined ? {} : { plant: plants.resolve(named) };
    const concerned = plant.plant === undefined ? plants.ids : [plant.plant];
    service.inputs.assertDry(concerned);
    if (concerned.some((each) => service.control.hasFault(each, "INTERLOCK")))
      await service.interlock?.clear();
    const after_dose = service.water.lastId;
    await service.control.record({
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
  service: everything,
  description: "Switch every pump and light off now. Never refused, to nobody.",
  facts: changes("Switch everything off", {
    destroys: false,
    repeatable: true,
    speaks: false,
    world: "closed",
  }),
  role: "observer",
  listedTo: "human",
  switchesOff: true,
  input: z.strictObject({}),
  output: done,
  run: async (_, { service, isoNow, call }) => {
    await service.stopEverything(call.identity.name);
    return { timestamp: isoNow(), success: true };
  },
});

export const getOverview = defineTool({
  name: "get_overview",
  service: everything,
  description:
    "Everything about every plant at a glance: moisture, water, light, holds, faults, the last plant status; and the buttons and sensors.",
  facts: reads("Overview", { world: "closed" }),
  role: "observer",
  listedTo: "human",
  input: z.strictObject({}),
  output: overviewResult,
  run: (_, { service }) => service.overview(),
});
