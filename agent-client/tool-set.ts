import type { ToolInfo } from "./connect.js";
import type { Model, ToolSet } from "./models/model.js";

export type { ToolSet };

export const TOOL_SETS = ["care", "all"] as const satisfies readonly ToolSet[];

/**
 * What a care cycle takes. A model reads its tools with every request, so each one costs: see tokens.ts. Left out are the
 * histories, the searches, the lists that the prompt shows anyway, and the tasks that only a person plans.
 */
const CARE_TOOLS: ReadonlySet<string> = new Set([
  // what there is to see
  "get_current_time",
  "read_moisture",
  "get_water_usage_24h",
  "get_light_status",
  "list_messages_from_human",
  "fetch_notes",
  // what every cycle has to write
  "log_thought",
  "write_plant_status",
  // what a cleared status allows, and what takes it back
  "dispense_water",
  "turn_on_light",
  "turn_off_light",
  // what is left behind
  "log_action",
  "save_notes",
  "send_message_to_human",
  // a task that is due begins a cycle again and again until it is completed
  "complete_task",
  // lessons that the prompt of each later cycle shows
  "add_memory",
  // the picture of the day, which no rule takes while a language model decides
  "capture_photo",
]);

/** The tools of a set, in the runtime's order; all where there is no set. */
export const toolsIn = (set: ToolSet | undefined, tools: readonly ToolInfo[]): readonly ToolInfo[] =>
  set === "care" ? tools.filter(({ name }) => CARE_TOOLS.has(name)) : tools;

/** The set that these names are of. */
export const setOf = (names: readonly string[]): ToolSet =>
  names.every((name) => CARE_TOOLS.has(name)) ? "care" : "all";

/** The same model, shown the tools of this set. */
export const shown = (model: Model, toolSet: ToolSet): Model => ({
  name: model.name,
  toolSet,
  respond: (...asked) => model.respond(...asked),
});
