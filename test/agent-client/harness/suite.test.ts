import { fileURLToPath } from "node:url";
import t from "tap";
import { loadScenario, type Scenario, scenarioNames } from "../../../agent-client/harness/scenario.js";
import { endOf } from "../../run-tendril.js";
import { spawnNode } from "../../spawn-node.js";
import type { Outcome, ScenarioRun } from "./scenario-runs.js";

/** What the scenarios promise, each in a short version. The whole matrix: docs/simulation.md. */

const SCENARIO_RUNS = fileURLToPath(new URL("scenario-runs.js", import.meta.url));

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
/** Whoever waters. The first is careful, the others look at no plant. */
const WATERING_MODELS = ["caretaker", "always-water", "random-water"];

const suite = scenarioNames()
  .map(loadScenario)
  .filter(({ water_decides }) => water_decides);
const outcomes = outcomesOf([
  ...suite.flatMap(suiteRuns),
  ...WATER_SCENARIOS.map(loadScenario).flatMap(waterRuns),
]);

for (const { name } of suite)
  t.test(
    `${name}: the caretaker is best, no water is clearly worse, and a fool who always waters does little harm`,
    async (t) => {
      const of = await outcomesIn(name);
      const total = (model: string) => Number(of.find((each) => each.model === model)?.total);
      const [caretaker, never, always] = [total("caretaker"), total("never-water"), total("always-water")];
      t.ok(never <= caretaker - CLEARLY, `caretaker ${caretaker}, never-water ${never}`);
      t.ok(always < caretaker, `caretaker ${caretaker}, always-water ${always}`);
      t.ok(always >= KEPT_FROM_HARM, "the runtime keeps him from drowning the plants");
    },
  );

for (const name of WATER_SCENARIOS)
  t.test(`${name}: at most a tenth of the water runs out of the pot, whoever waters`, async (t) => {
    const of = await outcomesIn(name);
    const models = of.map(({ model }) => model);
    t.ok(
      WATERING_MODELS.every((each) => models.includes(each)),
      models.join(", "),
    );
    for (const { model, given, drained, beside } of of) {
      t.ok(drained <= given / 10, `${model}: ${drained} of ${given} ml ran out below`);
      t.ok(beside <= UNANSWERED_ML, `${model}: ${beside} ml went beside the pot`);
    }
  });

function suiteRuns(scenario: Scenario): readonly ScenarioRun[] {
  const days = Math.min(scenario.days, enough(scenario));
  return ["caretaker", "never-water", "always-water"].map((model) => ({
    scenario: scenario.name,
    model,
    days,
  }));
}

function enough({ name, days, hydration, events }: Scenario): number {
  if (name === IN_FULL) return days;
  const last = Math.max(0, ...events.map(({ day }) => day));
  return Math.max(SHORT.least + (hydration > 80 ? SHORT.drying : 0), Math.ceil(last) + SHORT.afterwards);
}

/** Those that the suite has not. */
function waterRuns(scenario: Scenario): readonly ScenarioRun[] {
  const known = scenario.water_decides ? suiteRuns(scenario).map(({ model }) => model) : [];
  const others = WATERING_MODELS.filter((model) => !known.includes(model));
  return others.map((model) => ({
    scenario: scenario.name,
    model,
    days: Math.min(scenario.days, WATER_DAYS),
  }));
}

async function outcomesOf(runs: readonly ScenarioRun[]): Promise<readonly Outcome[]> {
  const { code, out, err } = await endOf(spawnNode([SCENARIO_RUNS, JSON.stringify(runs)]));
  if (code !== 0) throw new Error(`the runs ended with ${code}: ${err}`);
  return JSON.parse(out);
}

async function outcomesIn(scenario: string): Promise<readonly Outcome[]> {
  return (await outcomes).filter((each) => each.scenario === scenario);
}
