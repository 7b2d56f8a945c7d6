import { defineModule } from "../module.js";
import { TURN_ERRORS } from "./open-turn.js";
import { TAINT_LOG } from "./taint.js";
import { beginTurn, endTurn, turnService } from "./tools.js";
import { taintAfterLoss, turnParts } from "./turns.js";

/** The turns of agents, and which of them have read words of strangers. */
export const turnsModule = defineModule({
  name: "turns",
  canBeOff: false,
  toolset: "chats",
  journals: [{ definition: TAINT_LOG, afterLoss: taintAfterLoss }],
  errors: TURN_ERRORS,
  parts: [...turnParts, turnService],
  tools: [beginTurn, endTurn],
});
