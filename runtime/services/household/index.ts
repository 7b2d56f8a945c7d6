import { defineModule } from "../module.js";
import { HOUSEHOLD_ERRORS, household, peopleKeys } from "./household.js";

/** The people of the house, and whose rows a call may see. */
export const householdModule = defineModule({
  name: "household",
  canBeOff: false,
  toolset: "planner",
  config: peopleKeys,
  errors: HOUSEHOLD_ERRORS,
  parts: [household],
  tools: [],
});
