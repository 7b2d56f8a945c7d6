import type { FamilyContract } from "../contract.js";

const ID = "0b8f6a52-9d5c-4a0e-9a06-9f3f5cf0a001";

/** From issue 21, "Turns on the wire". */
export const contract: FamilyContract = {
  toolset: "chats",
  tools: {
    send_chat_message: {
      parameters: "text chat_id? user_id? in_reply_to? forwarded?",
      defaults: { forwarded: false },
      result: "message_id chat_id timestamp",
      role: "agent",
      speaks: true,
      valid: { text: "Is the fern dry?", chat_id: "phone", user_id: "anna", forwarded: false },
      calls: [{ text: "Is the fern dry?" }, { text: "And the basil?", chat_id: "kitchen" }],
    },
    list_chat_messages: {
      parameters: "chat_id? user_id? after? limit? version? wait_s?",
      defaults: { limit: 20, wait_s: 0 },
      result: "chat_id user_id messages count unanswered version turn",
      role: "agent",
      valid: { chat_id: "phone", user_id: "anna", after: ID, limit: 20, version: "5f.1", wait_s: 0 },
      calls: [{}, { chat_id: "kitchen", limit: 1 }],
    },
  },
};
