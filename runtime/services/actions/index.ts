import { HOUSEHOLD } from "../household/household.js";
import { defineModule, knowledgeOf } from "../module.js";
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
  knowledge: [
    knowledgeOf({
      type: "action",
      log: ACTION_LOG,
      isFinal: true,
      text: ({ timestamp, type, details, by }) => ({
        title: type,
        text: JSON.stringify(details),
        owner: HOUSEHOLD,
        at: Date.parse(timestamp),
        metadata: { by },
      }),
    }),
  ],
  tools: [logAction, getRecentActions, searchActions, getActionHistory],
});
