import { type FamilyContract, HISTORY, summed } from "../contract.js";

export const contract: FamilyContract = {
  toolset: "plants",
  tools: {
    turn_on_light: {
      parameters: "minutes",
      perPlant: true,
      result: "status duration_minutes off_at",
      role: "agent",
      inCare: true,
      valid: { minutes: 30 },
      calls: [{ minutes: 30 }],
    },
    turn_off_light: {
      parameters: "",
      perPlant: true,
      result: "status was_on timestamp",
      role: "observer",
      inCare: true,
      switchesOff: true,
      valid: {},
      calls: [{}],
    },
    get_light_status: {
      parameters: "",
      perPlant: true,
      result: "status last_on last_off can_activate minutes_until_available light_today",
      role: "observer",
      inCare: true,
      valid: {},
      calls: [{}],
    },
    get_light_history: { ...HISTORY, perPlant: true, calls: summed("minutes") },
  },
};
