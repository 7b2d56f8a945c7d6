import { type FamilyContract, HISTORY, summed } from "../contract.js";

export const contract: FamilyContract = {
  toolset: "climate",
  config: "climate: [{ place: kitchen }]",
  tools: {
    read_climate: {
      parameters: "place?",
      result: "place timestamp temperature_c? humidity_percent? pressure_hpa? brightness_lux?",
      role: "observer",
      valid: { place: "kitchen" },
      calls: [{}, { place: "Kitchen" }],
    },
    get_climate_history: {
      ...HISTORY,
      parameters: `${HISTORY.parameters} place?`,
      valid: { ...HISTORY.valid, value_field: "temperature_c", place: "kitchen" },
      calls: summed("temperature_c"),
    },
  },
};
