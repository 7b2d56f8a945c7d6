import type { FamilyContract } from "../contract.js";

/** From CONTRACT-2, "Caps and clean-up". */
export const contract: FamilyContract = {
  toolset: "planner",
  tools: {
    list_people: {
      parameters: "records?",
      defaults: { records: true },
      result: "people",
      role: "human",
      valid: { records: false },
      calls: [{}],
    },
    export_person: {
      parameters: "user_id skip?",
      defaults: { skip: 0 },
      result: "user_id lines next",
      role: "human",
      valid: { user_id: "ana", skip: 1 },
      calls: [],
    },
    erase_person: {
      parameters: "user_id",
      result: "user_id erased records set_aside",
      role: "human",
      valid: { user_id: "ana" },
      calls: [],
    },
  },
};
