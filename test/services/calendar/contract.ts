import type { FamilyContract } from "../contract.js";

const ID = "0b8f6a52-9d5c-4a0e-9a06-9f3f5cf0a001";

/** From issue 21, "Calendar". */
export const contract: FamilyContract = {
  toolset: "planner",
  tools: {
    make_calendar_link: {
      parameters: "user_id?",
      result: "link_id user_id created_at path url",
      role: "human",
      valid: { user_id: "ana" },
      calls: [{}],
    },
    list_calendar_links: {
      parameters: "user_id?",
      result: "links count",
      role: "human",
      valid: { user_id: "ana" },
      calls: [{}],
    },
    revoke_calendar_link: {
      parameters: "link_id",
      result: "link_id user_id revoked",
      role: "human",
      valid: { link_id: ID },
      calls: [],
    },
  },
};
