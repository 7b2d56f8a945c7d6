import { z } from "zod";
import { changes, defineTool, reads } from "../../tools/tool.js";
import { BENCH_TROUBLES, benchPlant, benchView } from "../../wire/bench.js";
import { benchControls } from "./controls.js";

export const getBench = defineTool({
  name: "get_bench",
  service: benchControls,
  description:
    "The true soil moisture of simulated plants, beside what their probes say, and what is broken.",
  facts: reads("Look at the bench", { world: "closed" }),
  role: "human",
  input: z.strictObject({}),
  output: benchView,
  run: (_, { service }) => service.all(),
});

export const breakBench = defineTool({
  name: "break_bench",
  service: benchControls,
  description:
    "Break something of a simulated plant, or mend it (broken: false), to see what the runtime does.",
  facts: changes("Break the bench", { destroys: false, repeatable: true, speaks: false, world: "closed" }),
  role: "human",
  perPlant: true,
  input: z.strictObject({ trouble: z.enum(BENCH_TROUBLES), broken: z.boolean().default(true) }),
  output: benchPlant,
  run: async ({ trouble, broken }, { service, plant }) => service.set(plant, trouble, broken),
});

export const setBenchSpeed = defineTool({
  name: "set_bench_speed",
  service: benchControls,
  description: "How fast the time of simulated plants passes: 1 is real time, 60 is an hour a minute.",
  facts: changes("Set the bench's speed", {
    destroys: false,
    repeatable: true,
    speaks: false,
    world: "closed",
  }),
  role: "human",
  input: z.strictObject({ speed: z.number().min(1).max(60) }),
  output: z.object({ speed: z.number() }),
  run: ({ speed }, { service }) => service.setSpeed(speed),
});

export const cutBenchPower = defineTool({
  name: "cut_bench_power",
  service: benchControls,
  description:
    "Cut the power of simulated hardware: the runtime ends at once, without an answer, and npm start starts it again.",
  facts: changes("Cut the bench's power", {
    destroys: true,
    repeatable: true,
    speaks: false,
    world: "closed",
  }),
  role: "human",
  input: z.strictObject({}),
  output: z.object({}),
  run: (_, { service }) => {
    service.cutPower();
    return {};
  },
});
