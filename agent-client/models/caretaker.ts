import type { ToolInfo } from "../link/tools.js";
import { type Call, type Care, careOf, plantName, summary } from "./caretaker/care.js";
import { photograph } from "./caretaker/messages.js";
import {
  act,
  look,
  lookBack,
  openCycle,
  record,
  recordQuiet,
  remember,
  type StepOfCare,
  tell,
  think,
} from "./caretaker/steps.js";
import { talk } from "./caretaker/talk/talk.js";
import type { AskOptions, Message, Model, Reply } from "./model.js";

/** The steps in order. Each is asked again until it has no more calls. */
const STEPS: readonly StepOfCare[] = [
  look,
  lookBack,
  think,
  openCycle,
  act,
  photograph,
  tell,
  recordQuiet,
  remember,
];

/**
 * A model made of rules, instead of a language model. It sees only the conversation and the tools, and keeps no state: the
 * same conversation always gets the same reply.
 */
export class Caretaker implements Model {
  readonly name = "caretaker";
  readonly reads = "plant";

  async respond(
    conversation: readonly Message[],
    tools: readonly ToolInfo[],
    _?: AbortSignal,
    { turn }: AskOptions = {},
  ): Promise<Reply> {
    if (turn !== undefined) return talk(conversation);
    const care = careOf(conversation, tools);
    const calls = nextCalls(care);
    if (calls.length === 0) return { text: `${plantName(care)}: ${summary(care)}`, toolCalls: [] };
    const made = care.exchanges.length;
    return { toolCalls: calls.map((call, index) => ({ id: `call-${made + index + 1}`, ...call })) };
  }
}

/** Actions are logged before the next step. */
function nextCalls(care: Care): readonly Call[] {
  const unlogged = record(care);
  for (const step of STEPS) {
    const calls = step(care);
    if (calls.length > 0) return [...unlogged, ...calls];
  }
  return unlogged;
}
