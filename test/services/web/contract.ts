import type { FamilyContract } from "../contract.js";

/** From seeds/002, and CONTRACT-2, "Knowledge and web". */
export const contract: FamilyContract = {
  toolset: "web",
  config: "web: { search: duckduckgo }",
  tools: {
    search_web: {
      parameters: "query",
      result: "query? results? left_out? blocked? reason?",
      role: "agent",
      valid: { query: "yellow leaves of a fern" },
      // no bridge brings results in the tests of all tools, so this one is blocked
      calls: [{ query: "mail anna@example.com or ben@example.com" }],
    },
    list_web_searches: {
      parameters: "limit?",
      defaults: { limit: 50 },
      result: "searches count",
      role: "human",
      valid: { limit: 5 },
      calls: [{}],
    },
  },
};
