import { defineModule } from "../module.js";
import { fetchNotes, notes, saveNotes } from "./notes.js";
import { THOUGHT_LOG } from "./table.js";
import {
  getRecentThoughts,
  getThoughtHistory,
  getThoughtsInRange,
  logThought,
  searchThoughts,
  thoughts,
} from "./tools.js";

/** What the agent sees, suspects and weighs, and one note from session to session. */
export const thinkingModule = defineModule({
  name: "thinking",
  canBeOff: false,
  toolset: "plants",
  journals: [{ definition: THOUGHT_LOG }],
  parts: [thoughts, notes],
  tools: [
    logThought,
    getRecentThoughts,
    getThoughtsInRange,
    searchThoughts,
    getThoughtHistory,
    saveNotes,
    fetchNotes,
  ],
});
