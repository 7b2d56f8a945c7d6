import type { FamilyContract } from "../contract.js";

export const contract: FamilyContract = {
  toolset: "plants",
  tools: {
    get_current_time: {
      parameters: "",
      result: "timestamp zone",
      role: "observer",
      inCare: true,
      valid: {},
      calls: [{}],
    },
  },
};
