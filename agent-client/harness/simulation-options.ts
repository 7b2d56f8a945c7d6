import type { EpochMillis, Millis } from "../../drivers/units.js";
import type { Log } from "../../runtime/log.js";
import type { ModelChoice } from "../agent.js";
import type { SimulationStory } from "./recorder.js";
import type { Replay } from "./replay.js";
import type { Scenario } from "./scenario.js";
import type { PlantSetup } from "./world.js";

export interface SimulationOptions {
  readonly scenario: Scenario;
  readonly days: number;
  readonly plants: readonly PlantSetup[];
  /** Undefined: nobody cares for the plants. */
  readonly models: ModelChoice | undefined;
  /** For the report. */
  readonly modelName: string;
  /** Whether the model sees, so that its pictures have to be worth looking at. */
  readonly looksAtPictures: boolean;
  readonly seed: number;
  readonly start: EpochMillis;
  /** From care cycle to care cycle. */
  readonly every: Millis;
  readonly maxRounds: number;
  /** Takes the place of all plants; `start` is its first row. */
  readonly replay?: Replay;
  /** An empty folder for the runtime's state. */
  readonly state: string;
  readonly story: SimulationStory;
  readonly log: Log;
  /** Stops between two cycles, and ends a model's thinking. */
  readonly signal: AbortSignal;
  readonly onHour?: (hour: HourReport) => void;
}

export interface HourReport {
  readonly hour: number;
  readonly plants: readonly { readonly id: string; readonly hydration: number; readonly vigour: number }[];
}
