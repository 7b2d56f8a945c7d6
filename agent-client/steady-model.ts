import { join } from "node:path";
import type { AttentiveModel } from "./agent.js";
import type { Clock } from "./clock.js";
import type { Runtime } from "./connect.js";
import { DurableFile } from "./durable-file.js";
import { Failover, standing } from "./models/failover.js";
import { HurriedModel } from "./models/hurried.js";
import { DEFAULT_MODEL } from "./models/index.js";
import type { Model } from "./models/model.js";
import { RetryingModel } from "./models/retrying.js";
import type { AgentOptions } from "./options.js";
import type { PlantTime } from "./plant-time.js";
import { areSet } from "./spending/limits.js";
import { MeteredModel } from "./spending/metered-model.js";
import { Spending, spendingBook } from "./spending/spending.js";
import { type Millis, minutes, seconds } from "./units.js";

/** How long a reply is asked for again in one cycle. A choice: a server that restarts has loaded its model by then. */
const PATIENCE: Millis = minutes(2);
/** Run once, somebody watches. */
const PATIENCE_ONCE: Millis = seconds(30);
/** For a model that is out, before the fallback takes the cycle. A choice: half of the time from cycle to cycle by default. */
const PROBE: Millis = minutes(15);

export interface Surroundings {
  readonly runtime: Pick<Runtime, "call">;
  readonly plantTime: PlantTime;
  readonly clock: Clock;
  readonly random: () => number;
  readonly newKey: () => string;
  /** A line of the log. */
  readonly say: (label: string, text: string) => void;
}

/** The model as the agent keeps on with it for months: with limits, with patience, and with somebody to stand in. */
export function steadyModel(options: AgentOptions, around: Surroundings): AttentiveModel {
  const { model, fallback, failedCycles, agentState, once } = options;
  if (model.name === DEFAULT_MODEL) return model; // rules cost nothing and are never away
  const { clock, random, say } = around;
  const metered = withLimits(options, around);
  const patience = once ? PATIENCE_ONCE : PATIENCE;
  const onWait = ({ message }: Error, wait: Millis) =>
    say("waiting", `${message}; asked again in ${(wait / 1000).toFixed(1)} s`);
  return new Failover({
    model: new RetryingModel(metered, { clock, random, patience, onWait }),
    probe: new HurriedModel(metered, clock, PROBE),
    fallback,
    failedCycles,
    file: new DurableFile(join(agentState, "model.json"), standing),
    tell: (message) => tell(around, message),
    say: (text) => say("model", text),
  });
}

function withLimits({ model, limits, price, agentState }: AgentOptions, around: Surroundings): Model {
  if (!areSet(limits)) return model;
  const { plantTime, clock, say } = around;
  const file = new DurableFile(join(agentState, "spending.json"), spendingBook);
  const spending = new Spending(file, limits, (text) => say("model", text));
  const today = async (signal: AbortSignal) => {
    const now = await plantTime.now(signal);
    return now === undefined ? undefined : new Date(now).toISOString().slice(0, 10);
  };
  return new MeteredModel(model, { spending, price, today, clock });
}

async function tell({ runtime, newKey }: Surroundings, message: string): Promise<boolean> {
  const sent = await runtime.call("send_message_to_human", { message }, { idempotencyKey: newKey() });
  return sent.ok;
}
