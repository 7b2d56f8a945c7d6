import { type FamilyContract, HISTORY, summed } from "../contract.js";

export const contract: FamilyContract = {
  toolset: "plants",
  tools: {
    dispense_water: {
      parameters: "ml",
      perPlant: true,
      result: "dispensed used_24h? remaining_24h timestamp",
      role: "agent",
      inCare: true,
      valid: { ml: 10 },
      calls: [{ ml: 10 }],
    },
    get_water_usage_24h: {
      parameters: "",
      perPlant: true,
      result: "used_ml remaining_ml events",
      role: "observer",
      inCare: true,
      valid: {},
      calls: [{}],
    },
    get_water_history: { ...HISTORY, perPlant: true, calls: summed("ml_dispensed") },
  },
};
