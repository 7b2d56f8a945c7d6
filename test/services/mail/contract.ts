import type { FamilyContract } from "../contract.js";

export const contract: FamilyContract = {
  toolset: "mail",
  config: "mail: { allow: [anna@example.org] }",
  tools: {
    sendEmail: {
      parameters: "to subject body",
      result: "message accepted message_id server",
      role: "agent",
      speaks: true,
      valid: { to: "anna@example.org", subject: "The basil", body: "It is well." },
      // without a bridge no mail is sent
      calls: [],
    },
  },
};
