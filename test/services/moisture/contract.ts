import { type FamilyContract, HISTORY, summed } from "../contract.js";

export const contract: FamilyContract = {
  toolset: "plants",
  tools: {
    read_moisture: {
      parameters: "",
      perPlant: true,
      result: "value timestamp percent noise quality",
      role: "observer",
      inCare: true,
      valid: {},
      calls: [{}],
    },
    measure_probe: {
      parameters: "place?",
      perPlant: true,
      result: "level unit spread resembles dry wet timestamp",
      role: "human",
      valid: { place: "pot" },
      calls: [{}, { place: "air" }, { place: "pot" }],
    },
    get_moisture_history: { ...HISTORY, perPlant: true, calls: summed("percent") },
  },
};
