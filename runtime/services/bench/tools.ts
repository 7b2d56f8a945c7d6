import { z } from "zod";
import { changes, defineTool, reads } from "../../tools/tool.js";
import { BENCH_TROUBLES, benchPlant } from "../../wire/bench.js";
import { benchControls } from "./controls.js";

export const getBench = defineTool({
  name: "get_bench",
  service: benchControls,
  description:
    "The true soil moisture of simulated plants, beside what their probes say, and what is broken.",
  facts: reads("Look at the bench", { world: "closed" }),
  role: "human",
  input: z.strictObject({}),
  output: z.object({ plants: z.array(benchPlant) }),
  run: (_, { service }) => ({ plants: service.all() }),
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
