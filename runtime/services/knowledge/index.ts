import { defineModule } from "../module.js";
import { knowledgeKeys } from "./declarations.js";
import { knowledgeService, listFiles, retrieveKnowledge, searchKnowledgeBase } from "./tools.js";

/** Finds what the house knows: in the modules' journals, the agent's note, the days' figures and the owner's files. */
export const knowledgeModule = defineModule({
  name: "knowledge",
  canBeOff: true,
  toolset: "knowledge",
  config: knowledgeKeys,
  needsBridge: ({ knowledge: { embedding, answers } }) => (embedding ?? answers) !== undefined,
  parts: [knowledgeService],
  tools: [retrieveKnowledge, searchKnowledgeBase, listFiles],
  everyHour: (house) => house.get(knowledgeService).knowledge.followIfUsed(),
});
