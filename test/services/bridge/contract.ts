import type { FamilyContract } from "../contract.js";

export const contract: FamilyContract = {
  toolset: "bridge",
  tools: {
    take_jobs: {
      parameters: "bridge version problems? wait_s? leaving?",
      defaults: { wait_s: 10, leaving: false },
      result: "jobs asks",
      role: "human",
      scopesOnly: true,
      // one that stays would let other tools wait for it
      valid: { bridge: "0123456789abcdef", version: "1", wait_s: 0, leaving: true },
      calls: [],
    },
    answer_job: {
      parameters: "bridge job_id outcome result? code? message?",
      result: "job_id accepted",
      role: "human",
      scopesOnly: true,
      valid: { bridge: "0123456789abcdef", job_id: "1", outcome: "failed", code: "WHY", message: "why" },
      calls: [],
    },
  },
};
