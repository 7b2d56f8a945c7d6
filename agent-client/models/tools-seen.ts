import { tokensIn } from "../cycle/tokens.js";
import type { ToolInfo } from "../link/tools.js";
import { functionTools } from "./conversation.js";
import type { Message, Reply } from "./model.js";
import { ModelError } from "./model-error.js";

/** Of an estimate. A choice: the true count is some two thirds of the estimate, for English text a half. */
const LEAST_SHARE = 0.5;

interface Asked {
  /** Of the model. */
  readonly name: string;
  readonly conversation: readonly Message[];
  readonly tools: readonly ToolInfo[];
}

/**
 * Throws where a reply shows that the model has not seen the tools: some chat templates have no place for them, and the
 * server drops them without a word. A model that calls one has seen them. A count that is too small for the conversation
 * alone says nothing: it may be invented, or leave out what was cached.
 */
export function assertToolsSeen({ name, conversation, tools }: Asked, { usage, toolCalls }: Reply): void {
  const known = new Set(tools.map((tool) => tool.name));
  if (!usage || toolCalls.some((call) => known.has(call.name))) return;
  const { input } = usage;
  const ofTools = tokensIn(JSON.stringify(functionTools(tools)));
  const ofConversation = tokensIn(conversation.map(({ content }) => content).join("\n"));
  if (input >= ofTools * LEAST_SHARE || input < ofConversation * LEAST_SHARE) return;
  const ofAll = Math.round((ofTools + ofConversation) / 100) * 100;
  throw new ModelError(
    `${name} has not seen the tools (${input} tokens read of some ${ofAll}): its server or its template drops them; ask it for decisions with --style decide, or take a model that can call tools`,
    "person",
    { usage },
  );
}
