import type { FamilyContract } from "../contract.js";

export const contract: FamilyContract = {
  toolset: "costs",
  tools: {
    report_cost: {
      parameters: "model calls tokens money",
      result: "timestamp success",
      role: "agent",
      listedTo: "human",
      valid: { model: "openai:gpt-4.1", calls: 3, tokens: 12_000, money: 0.02 },
      calls: [{ model: "ollama:qwen3", calls: 1, tokens: 0, money: null }],
    },
  },
};
