import { join } from "node:path";
import type { AttentiveModel } from "./agent.js";
import type { Calendar, Clock } from "./clock.js";
import type { Runtime } from "./connect.js";
import { DurableFile } from "./durable-file.js";
import { BelievableModel } from "./models/believable.js";
import { BoundedModel } from "./models/bounded.js";
import { Failover } from "./models/failover.js";
import { DEFAULT_MODEL } from "./models/index.js";
import type { Model } from "./models/model.js";
import { RetryingModel } from "./models/retrying.js";
import { standingFile } from "./models/standing.js";
import type { AgentOptions } from "./options.js";
import { areSet } from "./spending/limits.js";
import { MeteredModel } from "./spending/metered-model.js";
import { Spending, spendingBook } from "./spending/spending.js";
import { shown } from "./tool-set.js";
import { type Millis, minutes, seconds } from "./units.js";

/** How long after the first question a reply is asked for again. A choice: a server that restarts has loaded its model by then. */
const PATIENCE: Millis = minutes(2);
/** Run once, somebody watches. */
const PATIENCE_ONCE: Millis = seconds(30);

export interface Surroundings {
  readonly runtime: Pick<Runtime, "call">;
  readonly clock: Clock & Calendar;
  readonly random: () => number;
  readonly newKey: () => string;
  /** A line of the log. */
  readonly say: (label: string, text: string) => void;
  /** A line for who looks on, until the next. */
  readonly pass: (text: string) => void;
}

/** The model as the agent keeps on with it for months: with limits, with bounds, with patience, and with somebody to stand in. */
export function steadyModel(options: AgentOptions, around: Surroundings): AttentiveModel {
  const { model, fallback, failedCycles, agentState, once, bounds } = options;
  if (model.name === DEFAULT_MODEL) return model; // rules cost nothing and are never away
  const { clock, random, say, pass } = around;
  const counted = withLimits(options, around, new BelievableModel(model, (text) => say("model", text)));
  const onSlow = () => pass(`waiting for ${model.name}…`);
  const bounded = new BoundedModel(counted, { bounds, clock, onSlow });
  const patience = once ? PATIENCE_ONCE : PATIENCE;
  const onWait = ({ message }: Error, wait: Millis) =>
    say("waiting", `${message}; asked again in ${(wait / 1000).toFixed(1)} s`);
  return new Failover({
    model: shown(new RetryingModel(bounded, { clock, random, patience, onWait }), options.tools),
    probe: shown(bounded, options.tools),
    fallback,
    clock,
    failedCycles,
    file: new DurableFile(join(agentState, "model.json"), standingFile),
    tell: (message) => tell(around, message),
    say: (text) => say("model", text),
  });
}

function withLimits({ limits, price, agentState }: AgentOptions, around: Surroundings, model: Model): Model {
  if (!areSet(limits)) return model;
  const { clock, say } = around;
  const file = new DurableFile(join(agentState, "spending.json"), spendingBook);
  const spending = new Spending(file, limits, clock, (text) => say("model", text));
  return new MeteredModel(model, { spending, price, clock });
}

async function tell({ runtime, newKey }: Surroundings, message: string): Promise<boolean> {
  const sent = await runtime.call("send_message_to_human", { message }, { idempotencyKey: newKey() });
  return sent.ok;
}
