import { type FamilyContract, HISTORY, summed } from "../contract.js";

export const contract: FamilyContract = {
  toolset: "plants",
  tools: {
    log_action: {
      parameters: "type details",
      result: "timestamp success",
      role: "agent",
      inCare: true,
      speaks: true,
      valid: { type: "observe", details: { leaf: "green" } },
      calls: [{ type: "water", details: { ml: 10, why: ["dry"] } }],
    },
    get_recent_actions: {
      parameters: "n? offset?",
      defaults: { n: 5, offset: 0 },
      result: "count actions",
      role: "observer",
      valid: { n: 5, offset: 0 },
      calls: [{}, { n: 1, offset: 0 }],
    },
    search_actions: {
      parameters: "keyword hours?",
      defaults: { hours: 24 },
      result: "count actions",
      role: "observer",
      valid: { keyword: "observe", hours: 24 },
      calls: [{ keyword: "dry" }],
    },
    get_action_history_bucketed: { ...HISTORY, calls: summed("details.ml") },
  },
};
