import type { FamilyContract } from "../contract.js";

/** From seeds/001, and what goes with it. */
export const contract: FamilyContract = {
  toolset: "memory",
  tools: {
    add_memory: {
      parameters: "text",
      result: "timestamp id known",
      role: "agent",
      inCare: true,
      speaks: true,
      valid: { text: "it likes rain" },
      calls: [{ text: "It likes rain." }],
    },
    list_memories: {
      parameters: "n? offset?",
      defaults: { n: 20, offset: 0 },
      result: "count memories",
      role: "observer",
      valid: { n: 20, offset: 0 },
      calls: [{}],
    },
    forget_memory: {
      parameters: "id",
      result: "timestamp success",
      role: "human",
      valid: { id: 1 },
      calls: [{ id: 1 }],
    },
  },
};
