import { join } from "node:path";
import type { Calendar, Clock } from "./clock.js";
import { type ModelChoice, oneModel } from "./cycle/cycle.js";
import type { Runtime } from "./link/runtime.js";
import { DecisionStore, decisionFile } from "./models/decider/decision.js";
import { Failover, modelStateFile } from "./models/failover.js";
import { DEFAULT_MODEL } from "./models/index.js";
import type { Model } from "./models/model.js";
import { RETRY_FOR, RETRY_FOR_ONCE, RetryingModel, waitInWords } from "./models/retrying-model.js";
import { StyledModel, stylePartsOf } from "./models/style.js";
import type { AgentOptions } from "./options/options.js";
import { areSet } from "./spending/limits.js";
import { CostReports, MeteredModel, Spending, spendingBook } from "./spending/spending.js";
import { DurableFile } from "./state/state-folder.js";

interface ModelServices {
  readonly runtime: Pick<Runtime, "call">;
  readonly clock: Clock & Calendar;
  readonly random: () => number;
  readonly newKey: () => string;
  readonly say: (label: string, text: string) => void;
  /** A line on the terminal that the next one replaces. */
  readonly pass: (text: string) => void;
}

/** The model of each cycle: the chosen one, within its limits and with retries, or the fallback. */
export function modelChoice(options: AgentOptions, services: ModelServices): ModelChoice {
  const { model, fallback, failedCycles, agentState, once, bounds } = options;
  if (model.name === DEFAULT_MODEL) return oneModel(model); // rules cost nothing and always answer
  const { runtime, newKey, clock, random, say, pass } = services;
  const { price } = options;
  const tellModel = (text: string) => say("model", text);
  const isPriced = price !== undefined;
  const reports = new CostReports({ runtime, newKey, model: model.name, isPriced, say: tellModel });
  // a call that a limit keeps back costs nothing, so the limits come first
  const books = [...limitsOf(options, services), reports];
  const counted = new MeteredModel(model, { books, price, clock });
  const retrying = new RetryingModel(counted, {
    bounds,
    retryFor: once ? RETRY_FOR_ONCE : RETRY_FOR,
    clock,
    random,
    onSlow: () => pass(`waiting for ${model.name}…`),
    onWait: (error, wait) => say("waiting", waitInWords(error, wait)),
  });
  const models = new Failover({
    model: styled(options, services, retrying),
    patience: retrying,
    fallback,
    clock,
    failedCycles,
    file: new DurableFile(join(agentState, "model.json"), modelStateFile),
    tell: (message) => tell(services, message),
    say: tellModel,
  });
  return reports.around(models);
}

function styled(
  { model, style, tools, agentState }: AgentOptions,
  services: ModelServices,
  retrying: Model,
): Model {
  const { clock, newKey } = services;
  const say = (text: string) => services.say("model", text);
  const decisions = new DurableFile(join(agentState, "decision.json"), decisionFile);
  return new StyledModel(retrying, {
    ...stylePartsOf(model, agentState, { clock, say }),
    style,
    tools,
    store: new DecisionStore(decisions, say),
    newKey,
  });
}

/** The book of the day's limits; none without limits. */
function limitsOf({ limits, agentState }: AgentOptions, { clock, say }: ModelServices): readonly Spending[] {
  if (!areSet(limits)) return [];
  const file = new DurableFile(join(agentState, "spending.json"), spendingBook);
  return [new Spending(file, limits, clock, (text) => say("model", text))];
}

async function tell({ runtime, newKey }: ModelServices, message: string): Promise<boolean> {
  const sent = await runtime.call("send_message_to_human", { message }, { idempotencyKey: newKey() });
  return sent.ok;
}
