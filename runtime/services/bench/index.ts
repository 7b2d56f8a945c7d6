import { defineModule } from "../module.js";
import { BENCH_ERRORS, benchConfig, benchControls } from "./controls.js";
import { breakBench, cutBenchPower, getBench, setBenchSpeed } from "./tools.js";

/** The truth of simulated plants, and ways to break things, for a person who tries the safety chain. Off by default. */
export const benchModule = defineModule({
  name: "bench",
  canBeOff: false,
  config: benchConfig,
  isNeeded: ({ bench }) => bench.controls,
  toolset: "bench",
  errors: BENCH_ERRORS,
  parts: [benchControls],
  tools: [getBench, breakBench, setBenchSpeed, cutBenchPower],
});
