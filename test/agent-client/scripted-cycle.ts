import {
  type CycleLog,
  type CycleOptions,
  type CycleOutcome,
  runCycle,
} from "../../agent-client/cycle/cycle.js";
import type { Model } from "../../agent-client/models/model.js";
import { SimulatedClock } from "../../drivers/clock/simulated-clock.js";
import { type Script, ScriptedRuntime } from "./scripted-runtime.js";

const nothing = () => undefined;

/** Tells nobody of a cycle. */
export const silent: CycleLog = {
  began: nothing,
  progress: nothing,
  waits: nothing,
  answered: nothing,
  ended: nothing,
};

/** One cycle of a model against a scripted runtime. */
export async function runScripted(
  model: Model,
  script: Script = {},
  more: Partial<CycleOptions> = {},
): Promise<{ outcome: CycleOutcome; runtime: ScriptedRuntime }> {
  const runtime = new ScriptedRuntime(script);
  let keys = 0;
  const outcome = await runCycle({
    runtime,
    model,
    prompt: { system: "Care.", opening: "Now." },
    maxRounds: 10,
    clock: new SimulatedClock(),
    log: silent,
    signal: new AbortController().signal,
    newKey: () => `key-${++keys}`,
    ...more,
  });
  return { outcome, runtime };
}
