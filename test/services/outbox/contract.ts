import type { FamilyContract } from "../contract.js";

export const contract: FamilyContract = {
  toolset: "plants",
  after: ["people"],
  tools: {
    list_notifications: {
      parameters: "limit? since? channel?",
      defaults: { limit: 20 },
      result: "notifications",
      role: "human",
      valid: { limit: 20, since: "0", channel: "terminal" },
      calls: [{}, { limit: 1, since: "0", channel: "terminal" }],
    },
    note_delivery: {
      parameters: "message_id channel state",
      result: "timestamp known",
      role: "human",
      valid: { message_id: "1", channel: "terminal", state: "seen" },
      calls: [{ message_id: "1", channel: "terminal", state: "delivered" }],
    },
  },
};
