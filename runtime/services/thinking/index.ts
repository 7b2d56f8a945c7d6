import { defineModule } from "../module.js";
import * as tools from "./tools.js";

/** The agent's observations and thoughts, and one note from session to session. */
export const thinkingModule = defineModule({
  name: "thinking",
  canBeOff: false,
  toolset: "plants",
  journals: [{ definition: tools.THOUGHT_LOG }],
  parts: [tools.thoughts, tools.notes],
  tools: [
    tools.logThought,
    tools.getRecentThoughts,
    tools.getThoughtsInRange,
    tools.searchThoughts,
    tools.getThoughtHistory,
    tools.saveNotes,
    tools.fetchNotes,
  ],
});
