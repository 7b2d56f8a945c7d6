import { loadScenario } from "../../../agent-client/harness/scenario.js";
import { simulated, type Water, waterOf } from "./short-run.js";

/** `node water-run.js DAYS MODEL SCENARIO...`: what became of the water, as JSON. A process of its own, as short-suite.ts is. */
const [days, model = "", ...names] = process.argv.slice(2);

export interface WaterRun extends Water {
  readonly scenario: string;
}

const runs: WaterRun[] = [];
for (const name of names) runs.push({ scenario: name, ...waterOf(await simulated(runOf(name))) });
process.stdout.write(JSON.stringify(runs));

function runOf(name: string) {
  const scenario = loadScenario(name);
  const { plants, start } = scenario;
  const run = { scenario, plants, start: Date.parse(start), model };
  return { ...run, days: Math.min(scenario.days, Number(days)) };
}
