import { fileURLToPath } from "node:url";
import t from "tap";
import { endOf } from "../../run-tendril.js";
import { spawnNode } from "../../spawn-node.js";
import type { WaterRun } from "./water-run.js";

const WATER_RUN = fileURLToPath(new URL("water-run.js", import.meta.url));
/** Whoever decides. The first is careful, the others look at no plant. */
const MODELS = ["caretaker", "always-water", "random-water"];
/** A wet start, large and small pots in winter, a probe that lies, and water that does not arrive. The whole matrix: docs/simulation.md. */
const DAYS = "9";
const SCENARIOS = ["steady-month", "dark-winter", "probe-stuck-dry", "polarity-reversed", "tube-off"];
/** README: so much without an answer. */
const UNANSWERED_ML = 60;

for (const model of MODELS)
  t.test(`at most a tenth of the water runs out of the pot, under every policy: ${model}`, async (t) => {
    const { code, out, err } = await endOf(spawnNode([WATER_RUN, DAYS, model, ...SCENARIOS]));
    t.equal(code, 0, err);
    for (const { scenario, given, drained, beside } of JSON.parse(out) as WaterRun[]) {
      t.ok(drained <= given / 10, `${scenario}: ${drained} of ${given} ml ran out below`);
      t.ok(beside <= UNANSWERED_ML, `${scenario}: ${beside} ml went beside the pot`);
    }
  });
