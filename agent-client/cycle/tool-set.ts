import type { ToolInfo } from "../link/tools.js";
import type { Model, ToolSet, ToolsShown } from "../models/model.js";

export type { ToolSet };

export const TOOL_SETS = ["care", "all"] as const satisfies readonly ToolSet[];

/**
 * The tools to show, in the runtime's order; all where nothing is said. A model reads its tools with every request, so each
 * one costs: see tokens.ts. Names are of a recording: they stand for the set that they are of.
 */
export function toolsIn(shown: ToolsShown | undefined, tools: readonly ToolInfo[]): readonly ToolInfo[] {
  if (shown === "care") return careOf(tools);
  if (shown === undefined || shown === "all") return tools;
  const recorded = tools.filter(({ name }) => shown.includes(name));
  const care = careOf(tools);
  return recorded.every((tool) => care.includes(tool)) ? care : tools;
}

/** What the runtime says a care cycle takes. An older runtime does not say it: then all are shown. */
function careOf(tools: readonly ToolInfo[]): readonly ToolInfo[] {
  const care = tools.filter(({ inCare }) => inCare);
  return care.length > 0 ? care : tools;
}

/** The same model, shown the tools of this set. */
export const shown = (model: Model, toolSet: ToolSet): Model => ({
  name: model.name,
  toolSet,
  respond: (...asked) => model.respond(...asked),
});
