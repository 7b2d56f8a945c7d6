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
    get_costs: {
      parameters: "start_time end_time",
      result: "count costs",
      role: "observer",
      listedTo: "human",
      valid: { start_time: "2026-06-01T00:00:00Z", end_time: "2026-06-02T00:00:00Z" },
      calls: [{ start_time: "2026-06-01T00:00:00Z", end_time: "2026-06-01T00:00:00Z" }],
    },
  },
};
