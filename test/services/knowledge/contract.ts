import type { FamilyContract } from "../contract.js";

/** From seeds/002 and 003, and CONTRACT-2, "Knowledge and web". */
export const contract: FamilyContract = {
  toolset: "knowledge",
  after: ["thinking"],
  tools: {
    retrieve_knowledge: {
      parameters: "query source_type?",
      result: "chunks complete missing? meaning?",
      role: "agent",
      valid: { query: "why are the leaves yellow?", source_type: "thought" },
      calls: [{ query: "leaves" }],
    },
    search_knowledge_base: {
      parameters: "query",
      result: "answer passages answering? complete missing? meaning?",
      role: "agent",
      valid: { query: "why are the leaves yellow?" },
      calls: [{ query: "leaves" }],
    },
    listFiles: { parameters: "", result: "files", role: "agent", valid: {}, calls: [{}] },
  },
};
