import type { FamilyContract } from "../contract.js";

export const contract: FamilyContract = {
  toolset: "plants",
  tools: {
    write_plant_status: {
      parameters: "timestamp sensor_reading water_24h light_today plant_state next_action_sequence reasoning",
      perPlant: true,
      result: "proceed reason?",
      role: "agent",
      inCare: true,
      valid: {
        timestamp: "2026-06-01T08:00:00Z",
        sensor_reading: 10_000,
        water_24h: 0,
        light_today: 0,
        plant_state: "healthy",
        next_action_sequence: [{ order: 1, action: "water", value: 20 }],
        reasoning: "dry",
      },
      calls: [
        {
          timestamp: "2026-06-01T08:00:00Z",
          sensor_reading: 0,
          water_24h: 0,
          light_today: 0,
          plant_state: "unknown",
          next_action_sequence: [],
          reasoning: "figures that are not true: the refused form of the answer",
        },
      ],
    },
    release_care: {
      parameters: "",
      perPlant: true,
      result: "timestamp released",
      role: "agent",
      listedTo: "human",
      valid: {},
      calls: [{}],
    },
    get_care_record: {
      parameters: "start_time end_time",
      perPlant: true,
      result: "count events",
      role: "observer",
      listedTo: "human",
      valid: { start_time: "2026-06-01T00:00:00Z", end_time: "2026-06-02T00:00:00Z" },
      calls: [{ start_time: "2026-06-01T00:00:00Z", end_time: "2026-06-02T00:00:00Z" }],
    },
  },
};
