import type { FamilyContract } from "../contract.js";

/** From issue 21, "Turns on the wire". */
export const contract: FamilyContract = {
  toolset: "chats",
  tools: {
    begin_turn: {
      parameters: "kind chat_id? task_id? user_id?",
      result: "turn_id kind user_id name language zone chat_id expires tainted task",
      role: "agent",
      valid: { kind: "conversation", chat_id: "phone", task_id: "0b8f6a52", user_id: "anna" },
      calls: [{ kind: "care" }],
    },
    end_turn: {
      parameters: "outcome? reason? chat_id?",
      defaults: { outcome: "done" },
      result: "turn_id outcome ended_at",
      role: "agent",
      valid: { outcome: "failed", reason: "no answer from the model", chat_id: "phone" },
      calls: [],
    },
  },
};
