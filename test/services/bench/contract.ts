import type { FamilyContract } from "../contract.js";

export const contract: FamilyContract = {
  toolset: "bench",
  config: "bench: { controls: true }",
  tools: {
    get_bench: {
      parameters: "",
      result: "plants speed can_cut_power",
      role: "human",
      valid: {},
      calls: [{}],
    },
    break_bench: {
      parameters: "trouble broken?",
      defaults: { broken: true },
      perPlant: true,
      result: "plant moisture_percent broken",
      role: "human",
      valid: { trouble: "lamp_dead", broken: true },
      calls: [{ trouble: "lamp_dead" }, { trouble: "lamp_dead", broken: false }],
    },
    set_bench_speed: {
      parameters: "speed",
      result: "speed",
      role: "human",
      valid: { speed: 60 },
      calls: [],
    },
    cut_bench_power: {
      parameters: "",
      result: "",
      role: "human",
      valid: {},
      calls: [],
    },
  },
};
