import { loadScenario } from "../../../agent-client/harness/scenario.js";
import { simulated } from "./short-run.js";

/** `node water-run.js DAYS MODEL SCENARIO...`: what became of the water, as JSON. A process of its own, as short-suite.ts is. */
const [days, model = "", ...names] = process.argv.slice(2);

export interface WaterRun {
  readonly scenario: string;
  readonly given: number;
  readonly drained: number;
  /** What went beside the pots, ml. */
  readonly beside: number;
}

const runs: WaterRun[] = [];
for (const name of names) runs.push(await waterOf(name));
process.stdout.write(JSON.stringify(runs));

async function waterOf(name: string): Promise<WaterRun> {
  const scenario = loadScenario(name);
  const { plants, start } = scenario;
  const run = {
    scenario,
    plants,
    start: Date.parse(start),
    days: Math.min(scenario.days, Number(days)),
    model,
  };
  const result = await simulated(run);
  const water = result.plants.map(({ score }) => score.water);
  const lost = result.plants.flatMap(({ doses }) => doses.map(({ ml, arrived }) => ml - arrived));
  return {
    scenario: name,
    given: water.reduce((sum, { given }) => sum + given, 0),
    drained: water.reduce((sum, { drained }) => sum + drained, 0),
    beside: lost.reduce((sum, ml) => sum + ml, 0),
  };
}
