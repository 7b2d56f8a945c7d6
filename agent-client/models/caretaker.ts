import type { ToolInfo } from "../link/tools.js";
import { careOf, plantName, summary } from "./caretaker/care.js";
import { numbered } from "./caretaker/facts.js";
import { photograph } from "./caretaker/messages.js";
import {
  act,
  firstCalls,
  look,
  lookBack,
  openCycle,
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
    const calls = firstCalls(care, STEPS);
    if (calls.length === 0) return { text: `${plantName(care)}: ${summary(care)}`, toolCalls: [] };
    return { toolCalls: numbered(care.exchanges, calls) };
  }
}
