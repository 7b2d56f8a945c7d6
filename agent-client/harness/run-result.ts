import { speciesNamed } from "../../drivers/bench/species.js";
import { isoUtc } from "../../runtime/tools/iso-time.js";
import type { Observer } from "./observer.js";
import type { Recorder } from "./recorder.js";
import type { PlantResult, RunResult } from "./result.js";
import { scorePlant, scoreRun } from "./scoring.js";
import type { SimulationOptions } from "./simulation-options.js";
import type { Troubles } from "./troubles.js";
import type { PlantSetup, World } from "./world.js";

export interface Finished {
  readonly options: SimulationOptions;
  readonly world: World;
  readonly recorder: Recorder;
  readonly observer: Observer;
  readonly troubles: Troubles;
  readonly unanswered: number;
  /** Messages of the agent that answered none. */
  readonly unasked: number;
  /** It came to its last day. */
  readonly finished: boolean;
}

export function resultOf(run: Finished): RunResult {
  const { options, recorder, world, finished } = run;
  const { name, title, story } = options.scenario;
  const plants = options.plants.map((plant) => plantResult(plant, run));
  const { cycles, refusals, messages, events } = recorder;
  const end = isoUtc(world.now());
  return {
    version: 1,
    scenario: { name, title, story },
    model: options.modelName,
    seed: options.seed,
    start: isoUtc(options.start),
    end,
    days: options.days,
    finished,
    everyMinutes: options.every / 60_000,
    plants,
    cycles,
    refusals,
    messages,
    events,
    score: scoreRun({
      plants: plants.map(({ score }) => score),
      alarms: run.troubles.scores(),
      unanswered: run.unanswered,
      needless: Math.max(0, run.unasked - Math.ceil(options.days) * plants.length),
      cycles,
      refusals,
      end,
    }),
  };
}

function plantResult(plant: PlantSetup, { observer, recorder, world }: Finished): PlantResult {
  const { hourly, light } = observer.of(plant.id);
  const doses = recorder.doses.get(plant.id) ?? [];
  const { good } = speciesNamed(plant.species);
  const { need, drained } = world.bench.truth(plant.id).water;
  const score = scorePlant({ good, hourly, doses, water: { need, drained } });
  return { ...plant, good, hourly, doses, light, score };
}
