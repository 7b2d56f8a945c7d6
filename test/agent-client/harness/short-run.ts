import type { RunResult } from "../../../agent-client/harness/result.js";
import { carryOut, type RunOptions } from "../../../agent-client/harness/run.js";
import {
  type Run,
  type Scenario,
  type ScenarioEvent,
  scenarioWithName,
} from "../../../agent-client/harness/scenario.js";
import type { Model } from "../../../agent-client/models/model.js";
import { hours } from "../../../drivers/units.js";

export const START = Date.UTC(2026, 5, 1, 6);

/** As a file would declare it. */
export const scenario = (declared: Readonly<Record<string, unknown>> = {}): Scenario =>
  scenarioWithName.parse({
    name: "short",
    title: "A short test",
    story: "Nothing happens.",
    hydration: 60,
    water_decides: false,
    ...declared,
  });

export const event = (declared: Readonly<Record<string, unknown>>): ScenarioEvent => {
  const [first] = scenario({ events: [declared] }).events;
  if (!first) throw new Error("an event was declared");
  return first;
};

/** Two days of the caretaker with one basil, unless told otherwise. */
export const shortRun = (changes: Partial<Run> = {}): Run => ({
  scenario: scenario(),
  model: "caretaker",
  days: 2,
  plants: ["basil"],
  seed: 1,
  start: START,
  every: hours(6),
  maxRounds: 24,
  ...changes,
});

/** Carries out a short run; a model given here decides in place of the run's own. */
export function simulated(
  changes: Partial<Run> = {},
  { model, ...around }: Partial<RunOptions> & { model?: Model } = {},
): Promise<RunResult> {
  return carryOut(shortRun(changes), {
    log: () => undefined,
    signal: new AbortController().signal,
    ...(model && { wrap: () => model }),
    ...around,
  });
}

/** With what a person or a scenario did, as "1.5 text": days since the start. */
export const happened = ({ events, start }: RunResult): string[] =>
  events.map(({ at, text }) => `${dayOf(at, start)} ${text}`);

export const dayOf = (at: string, start: string): number =>
  Math.round((1000 * (Date.parse(at) - Date.parse(start))) / hours(24)) / 1000;

/** The one plant of a run of one plant, or the one of that id. */
export function plantOf({ plants }: RunResult, id?: string) {
  const found = plants.find((plant) => id === undefined || plant.id === id);
  if (!found) throw new Error(`no plant ${id}`);
  return found;
}

/** What became of a run's water, in ml: what was given, what of it ran out below, and what never came to a pot. */
export interface Water {
  readonly given: number;
  readonly drained: number;
  readonly beside: number;
}

export function waterOf({ plants }: RunResult): Water {
  const water = plants.map(({ score }) => score.water);
  const lost = plants.flatMap(({ doses }) => doses.map(({ ml, arrived }) => ml - arrived));
  return {
    given: water.reduce((sum, { given }) => sum + given, 0),
    drained: water.reduce((sum, { drained }) => sum + drained, 0),
    beside: lost.reduce((sum, ml) => sum + ml, 0),
  };
}
