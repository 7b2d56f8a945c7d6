import { loadScenario, type Scenario } from "../../../agent-client/harness/scenario.js";
import { simulated, type Water, waterOf } from "./short-run.js";

/**
 * `node short-suite.js SCENARIO...`: each in a short version with each model; their totals and what became of the water on stdout as JSON. A process of
 * its own, since tap follows every promise to its end, which doubles what a simulated day costs.
 */

const MODELS = ["caretaker", "never-water", "always-water"] as const;
/**
 * Days that every run takes, days more until a freshly watered pot is dry, and days after the last event: choices, so that
 * the suite is short and plants suffer in it.
 */
const SHORT = { least: 12, drying: 12, afterwards: 4 };
/** What comes of a fortnight without care shows weeks later. */
const IN_FULL = "forgotten-fortnight";

/** What came of a run: points of 100, and the water. */
export interface Outcome extends Water {
  readonly total: number;
}

/** By model, by scenario. */
export type Outcomes = Readonly<Record<string, Readonly<Record<(typeof MODELS)[number], Outcome>>>>;

const outcomes: Record<string, object> = {};
for (const name of process.argv.slice(2)) outcomes[name] = await outcomesOf(shortened(loadScenario(name)));
process.stdout.write(JSON.stringify(outcomes));

async function outcomesOf(run: ReturnType<typeof shortened>): Promise<object> {
  const outcomes: [string, Outcome][] = [];
  for (const model of MODELS) {
    const result = await simulated({ ...run, model });
    outcomes.push([model, { total: result.score.total, ...waterOf(result) }]);
  }
  return Object.fromEntries(outcomes);
}

function shortened(scenario: Scenario) {
  const { plants, start } = scenario;
  return { scenario, plants, start: Date.parse(start), days: Math.min(scenario.days, enough(scenario)) };
}

function enough({ name, days, hydration, events }: Scenario): number {
  if (name === IN_FULL) return days;
  const last = Math.max(0, ...events.map(({ day }) => day));
  return Math.max(SHORT.least + (hydration > 80 ? SHORT.drying : 0), Math.ceil(last) + SHORT.afterwards);
}
