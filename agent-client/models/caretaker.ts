import type { ToolInfo } from "../link/tools.js";
import { photograph } from "./caretaker/camera.js";
import { type Call, type Care, careOf, plantName, summary } from "./caretaker/care.js";
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
import type { Message, Model, Reply } from "./model.js";

/** In this order; each comes up again until it has nothing more to ask for. */
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
 * A rule-based stand-in for a language model: it sees the conversation and the tools, as a model would, and
 * nothing else. It keeps no state of its own: the same conversation always gets the same reply.
 */
export class Caretaker implements Model {
  readonly name = "caretaker";

  async respond(conversation: readonly Message[], tools: readonly ToolInfo[]): Promise<Reply> {
    const care = careOf(conversation, tools);
    const calls = nextCalls(care);
    if (calls.length === 0) return { text: `${plantName(care)}: ${summary(care)}`, toolCalls: [] };
    const made = care.exchanges.length;
    return { toolCalls: calls.map((call, index) => ({ id: `call-${made + index + 1}`, ...call })) };
  }
}

/** What was done is logged before anything else is. */
function nextCalls(care: Care): readonly Call[] {
  const unlogged = record(care);
  for (const step of STEPS) {
    const calls = step(care);
    if (calls.length > 0) return [...unlogged, ...calls];
  }
  return unlogged;
}
