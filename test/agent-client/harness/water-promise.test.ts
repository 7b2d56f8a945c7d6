import { fileURLToPath } from "node:url";
import t from "tap";
import { loadScenario } from "../../../agent-client/harness/scenario.js";
import { endOf } from "../../run-tendril.js";
import { spawnNode } from "../../spawn-node.js";
import { keepsWater, WATER_SCENARIOS } from "./suite-order.js";
import type { WaterRun } from "./water-run.js";

const WATER_RUN = fileURLToPath(new URL("water-run.js", import.meta.url));
const DAYS = "9";
/** The suite has no runs of these. */
const NOT_IN_SUITE = WATER_SCENARIOS.filter((name) => !loadScenario(name).water_decides);
/** Whoever decides. The first is careful, the others look at no plant. suite-order.ts judges the suite's runs of the first two. */
const RUNS: Readonly<Record<string, readonly string[]>> = {
  caretaker: NOT_IN_SUITE,
  "always-water": NOT_IN_SUITE,
  "random-water": WATER_SCENARIOS,
};

for (const [model, scenarios] of Object.entries(RUNS))
  t.test(`at most a tenth of the water runs out of the pot, under every policy: ${model}`, async (t) => {
    const { code, out, err } = await endOf(spawnNode([WATER_RUN, DAYS, model, ...scenarios]));
    t.equal(code, 0, err);
    const runs: readonly WaterRun[] = JSON.parse(out);
    t.same(
      runs.map(({ scenario }) => scenario),
      scenarios,
    );
    for (const { scenario, ...water } of runs) keepsWater(t, scenario, water);
  });
