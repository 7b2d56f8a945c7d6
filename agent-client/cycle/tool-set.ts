import type { ToolInfo } from "../link/tools.js";
import type { Model, ToolSet, ToolsShown } from "../models/model.js";

export type { ToolSet };

export const TOOL_SETS = ["care", "all"] as const satisfies readonly ToolSet[];

/**
 * The tools to show, in the runtime's order; all by default. A model reads its tools with every request, so each one costs
 * tokens: see tokens.ts. A list of names comes from a recording, and selects the set that contains them.
 */
export function toolsIn(shown: ToolsShown | undefined, tools: readonly ToolInfo[]): readonly ToolInfo[] {
  if (shown === "care") return careOf(tools);
  if (shown === undefined || shown === "all") return tools;
  const recorded = tools.filter(({ name }) => shown.includes(name));
  const care = careOf(tools);
  return recorded.every((tool) => care.includes(tool)) ? care : tools;
}

/** The program begins and ends turns and sends the answer; a model never does. */
const OF_THE_PROGRAM: ReadonlySet<string> = new Set([
  "begin_turn",
  "end_turn",
  "send_chat_message",
  "list_chat_messages",
]);

/** The tools that a model may be shown at all. */
export const forModels = (tools: readonly ToolInfo[]): readonly ToolInfo[] =>
  tools.filter(({ name }) => !OF_THE_PROGRAM.has(name));

/** The tools that the runtime marks for a care cycle. An older runtime marks none: then all are shown. */
function careOf(tools: readonly ToolInfo[]): readonly ToolInfo[] {
  const care = tools.filter(({ inCare }) => inCare);
  return care.length > 0 ? care : tools;
}

export const shown = (model: Model, toolSet: ToolSet): Model => ({
  name: model.name,
  toolSet,
  respond: (...asked) => model.respond(...asked),
});
