import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { loadScenario, scenarioNames } from "../../../agent-client/harness/scenario.js";
import { endOf } from "../../run-tendril.js";
import { spawnNode } from "../../spawn-node.js";
import type { Water } from "./short-run.js";
import type { Outcomes } from "./short-suite.js";

const SHORT_SUITE = fileURLToPath(new URL("short-suite.js", import.meta.url));
/** Points of 100 between care and folly, a choice: less would be chance. */
const CLEARLY = 25;
/** Points of 100, a choice: before there was a limit on wet soil, it was 0 to 40. */
const KEPT_FROM_HARM = 50;
/** A wet start, large and small pots in winter, a probe that lies, and water that does not arrive. The whole matrix: docs/simulation.md. */
export const WATER_SCENARIOS: readonly string[] = [
  "steady-month",
  "dark-winter",
  "probe-stuck-dry",
  "polarity-reversed",
  "tube-off",
];
/** README: so much without an answer. */
const UNANSWERED_ML = 60;

/** The promise about water, of one run. */
export function keepsWater(t: Test, run: string, { given, drained, beside }: Water): void {
  t.ok(drained <= given / 10, `${run}: ${drained} of ${given} ml ran out below`);
  t.ok(beside <= UNANSWERED_ML, `${run}: ${beside} ml went beside the pot`);
}

/** The promises of the suite, for every `of`-th of the scenarios in which water decides, so that processes can share them. */
export function promiseOrder(part: number, of: number): void {
  const scenarios = scenarioNames().filter((name) => loadScenario(name).water_decides);
  const names = scenarios.filter((_, index) => index % of === part);
  const suite = shortSuite(names);
  for (const name of names) {
    t.test(
      `${name}: the caretaker is best, no water is clearly worse, and a fool who always waters does little harm`,
      async (t) => {
        const outcomes = (await suite)[name];
        const of = (model: keyof NonNullable<typeof outcomes>) => Number(outcomes?.[model].total);
        const [caretaker, never, always] = [of("caretaker"), of("never-water"), of("always-water")];
        t.ok(never <= caretaker - CLEARLY, `caretaker ${caretaker}, never-water ${never}`);
        t.ok(always < caretaker, `caretaker ${caretaker}, always-water ${always}`);
        t.ok(always >= KEPT_FROM_HARM, "the runtime keeps him from drowning the plants");
      },
    );
    if (WATER_SCENARIOS.includes(name))
      t.test(`${name}: at most a tenth of the water runs out of the pot, whoever waters`, async (t) => {
        const outcomes = (await suite)[name];
        if (!outcomes) return t.fail("the suite has no run of it");
        for (const [model, water] of Object.entries(outcomes)) keepsWater(t, model, water);
      });
  }
}

async function shortSuite(names: readonly string[]): Promise<Partial<Outcomes>> {
  const { code, out, err } = await endOf(spawnNode([SHORT_SUITE, ...names]));
  if (code !== 0) throw new Error(`the short suite ended with ${code}: ${err}`);
  return JSON.parse(out);
}
