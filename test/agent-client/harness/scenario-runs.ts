import { loadScenario } from "../../../agent-client/harness/scenario.js";
import { simulated, type Water, waterOf } from "./short-run.js";

/**
 * `node scenario-runs.js RUNS`: carries out each of the runs (`ScenarioRun[]`, as JSON), and prints what came of them (`Outcome[]`). A process
 * of its own, since tap follows every promise to its end, which doubles what a simulated day costs; and one for all, since each process
 * compiles the simulation anew, which costs as much as some forty simulated days.
 */
export interface ScenarioRun {
  readonly scenario: string;
  readonly model: string;
  readonly days: number;
}

/** What came of a run: points of 100, and the water. */
export interface Outcome extends Omit<ScenarioRun, "days">, Water {
  readonly total: number;
}

const runs: readonly ScenarioRun[] = JSON.parse(process.argv[2] ?? "");
const outcomes: Outcome[] = [];
for (const run of runs) outcomes.push(await outcomeOf(run));
process.stdout.write(JSON.stringify(outcomes));

async function outcomeOf({ scenario: name, model, days }: ScenarioRun): Promise<Outcome> {
  const scenario = loadScenario(name);
  const { plants, start } = scenario;
  const result = await simulated({ scenario, plants, start: Date.parse(start), model, days });
  return { scenario: name, model, total: result.score.total, ...waterOf(result) };
}
