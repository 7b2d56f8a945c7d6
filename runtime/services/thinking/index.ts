import { HOUSEHOLD } from "../household/household.js";
import { defineModule, knowledgeOf } from "../module.js";
import * as tools from "./tools.js";

/** The agent's observations and thoughts, and one note from session to session. */
export const thinkingModule = defineModule({
  name: "thinking",
  canBeOff: false,
  toolset: "plants",
  journals: [{ definition: tools.THOUGHT_LOG }],
  parts: [tools.thoughts, tools.notes],
  knowledge: [
    knowledgeOf({
      type: "thought",
      log: tools.THOUGHT_LOG,
      isFinal: true,
      text: ({ timestamp, observation, hypothesis, reasoning, uncertainties, tags, by }) => ({
        title: tags.join(" "),
        text: [observation, hypothesis, reasoning, uncertainties].filter((part) => part !== "").join("\n"),
        owner: HOUSEHOLD,
        at: Date.parse(timestamp),
        metadata: { by },
      }),
    }),
  ],
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
