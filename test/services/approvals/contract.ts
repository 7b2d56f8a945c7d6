import type { FamilyContract } from "../contract.js";

export const contract: FamilyContract = {
  toolset: "plants",
  tools: {
    list_approvals: {
      parameters: "limit?",
      defaults: { limit: 20 },
      result: "approvals",
      role: "human",
      valid: { limit: 20 },
      calls: [{}],
    },
    // request 1 is made by whoever calls these: no call of a person leaves one
    answer_approval: {
      parameters: "id approve",
      result: "timestamp approved approval",
      role: "human",
      valid: { id: 1, approve: false },
      calls: [{ id: 1, approve: false }],
    },
  },
};
