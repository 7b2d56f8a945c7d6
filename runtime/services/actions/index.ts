import { defineModule } from "../module.js";
import {
  ACTION_LOG,
  actions,
  getActionHistory,
  getRecentActions,
  logAction,
  searchActions,
} from "./tools.js";

/** A log of what was done, and in what circumstances. */
export const actionsModule = defineModule({
  name: "actions",
  canBeOff: false,
  toolset: "plants",
  journals: [{ definition: ACTION_LOG }],
  parts: [actions],
  tools: [logAction, getRecentActions, searchActions, getActionHistory],
});
