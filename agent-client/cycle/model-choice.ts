import type { Model } from "../models/model.js";
import type { CycleLog, CycleOutcome } from "./cycle.js";

/** Chooses the model of each turn. One turn at a time: `first`, then `next` after each model, then `over`. */
export interface ModelChoice {
  /** The model for the next turn: the care of this plant, or "" for a turn about no plant. */
  first(plant: string): Model;
  /** The model that tries the same turn again after this outcome; undefined: none. */
  next(outcome: CycleOutcome): Model | undefined;
  /** The turn is over: tells the person what there is to tell. Rejects with a LinkError. */
  over(): Promise<void>;
}

/** One model for every turn. Calls `begins` before each. */
export const oneModel = (model: Model, begins: () => void = () => undefined): ModelChoice => ({
  first: () => {
    begins();
    return model;
  },
  next: () => undefined,
  over: () => Promise.resolve(),
});

interface Attempt {
  readonly log: CycleLog;
  readonly outcome: CycleOutcome;
}

/** Lets one model after the other try a turn, until there is none left to try. True if the last has completed it. */
export async function runWithModels(
  models: Pick<ModelChoice, "first" | "next">,
  plant: string,
  attempt: (model: Model) => Promise<Attempt>,
): Promise<boolean> {
  let completed = false;
  for (let model: Model | undefined = models.first(plant); model; ) {
    const { log, outcome } = await attempt(model);
    model = models.next(outcome);
    log.ended(outcome, model?.name);
    completed = outcome.completed;
  }
  return completed;
}
