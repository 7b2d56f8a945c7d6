import t, { type Test } from "tap";
import type { RunResult } from "../../../agent-client/harness/result.js";
import { loadScenario, type Scenario, scenarioNames } from "../../../agent-client/harness/scenario.js";
import { simulated, waterOf } from "./short-run.js";

/** What the scenarios promise, each in a short version. The whole matrix: docs/simulation.md. */

/** Points of 100 between care and folly, a choice: less would be chance. */
const CLEARLY = 25;
/** Points of 100, a choice: before there was a limit on wet soil, it was 0 to 40. */
const KEPT_FROM_HARM = 50;
/** README: so much without an answer. */
const UNANSWERED_ML = 60;

/**
 * Days that every run of the suite takes, days more until a freshly watered pot is dry, and days after the last event: choices, so that
 * the suite is short and plants suffer in it.
 */
const SHORT = { least: 12, drying: 12, afterwards: 4 };
/** What comes of a fortnight without care shows weeks later. */
const IN_FULL = "forgotten-fortnight";
/** Days of a run in which only the water is looked at. A choice. */
const WATER_DAYS = 9;

/** A wet start, large and small pots in winter, a probe that lies, and water that does not arrive. */
const WATER_SCENARIOS: readonly string[] = [
  "steady-month",
  "dark-winter",
  "probe-stuck-dry",
  "polarity-reversed",
  "tube-off",
];
/** Whoever decides in the suite: a careful one, and two who look at no plant. */
const SUITE = ["caretaker", "never-water", "always-water"] as const;
/** Who waters beside them. */
const WATERING = ["caretaker", "always-water", "random-water"] as const;
type Model = (typeof SUITE)[number] | (typeof WATERING)[number];

for (const name of scenarioNames()) {
  const scenario = loadScenario(name);
  if (scenario.water_decides) promisesOrder(scenario);
  else if (WATER_SCENARIOS.includes(name)) promisesWater(scenario, WATERING);
}

function promisesOrder(scenario: Scenario): void {
  const { name, days } = scenario;
  t.test(
    `${name}: the caretaker is best, no water is clearly worse, and a fool who always waters does little harm`,
    async (t) => {
      const results = await resultsOf(scenario, SUITE, Math.min(days, enough(scenario)));
      const [caretaker = 0, never = 0, always = 0] = results.map(({ score }) => score.total);
      t.ok(never <= caretaker - CLEARLY, `caretaker ${caretaker}, never-water ${never}`);
      t.ok(always < caretaker, `caretaker ${caretaker}, always-water ${always}`);
      t.ok(always >= KEPT_FROM_HARM, "the runtime keeps him from drowning the plants");
      if (WATER_SCENARIOS.includes(name)) for (const result of results) keepsWater(t, result);
    },
  );
  // the others of them are in the runs above
  if (WATER_SCENARIOS.includes(name)) promisesWater(scenario, ["random-water"]);
}

function promisesWater(scenario: Scenario, models: readonly Model[]): void {
  t.test(
    `at most a tenth of the water runs out of the pot, under every policy: ${scenario.name} with ${models.join(", ")}`,
    async (t) => {
      for (const result of await resultsOf(scenario, models, Math.min(scenario.days, WATER_DAYS)))
        keepsWater(t, result);
    },
  );
}

/** The promise about water, of one run. */
function keepsWater(t: Test, result: RunResult): void {
  const { given, drained, beside } = waterOf(result);
  t.ok(drained <= given / 10, `${result.model}: ${drained} of ${given} ml ran out below`);
  t.ok(beside <= UNANSWERED_ML, `${result.model}: ${beside} ml went beside the pot`);
}

function enough({ name, days, hydration, events }: Scenario): number {
  if (name === IN_FULL) return days;
  const last = Math.max(0, ...events.map(({ day }) => day));
  return Math.max(SHORT.least + (hydration > 80 ? SHORT.drying : 0), Math.ceil(last) + SHORT.afterwards);
}

async function resultsOf(scenario: Scenario, models: readonly Model[], days: number): Promise<RunResult[]> {
  const { plants, start } = scenario;
  const results: RunResult[] = [];
  for (const model of models)
    results.push(await simulated({ scenario, plants, start: Date.parse(start), model, days }));
  return results;
}
