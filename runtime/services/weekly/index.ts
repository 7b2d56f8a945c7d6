import { defineModule } from "../module.js";
import { tellOfWeek, weeklyConfig } from "./letter.js";

/** A letter about the week. It is on if the configuration has `weekly_letter:`. */
export const weeklyModule = defineModule({
  name: "weekly",
  canBeOff: true,
  config: weeklyConfig,
  isNeeded: ({ weekly_letter }) => weekly_letter !== null,
  toolset: "weekly",
  parts: [],
  tools: [],
  everyHour: tellOfWeek,
});
