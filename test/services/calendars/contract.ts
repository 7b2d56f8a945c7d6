import type { FamilyContract } from "../contract.js";

export const contract: FamilyContract = {
  toolset: "planner",
  config: "calendars: [{ name: family }]",
  tools: {
    list_events: {
      parameters: "from? to? calendar? user_id? limit? offset?",
      defaults: { limit: 50, offset: 0 },
      result: "events count zone calendars",
      role: "observer",
      valid: {
        from: "2026-06-01T00:00:00Z",
        to: "2026-06-08T00:00:00Z",
        calendar: "family",
        user_id: "anna",
        limit: 50,
        offset: 0,
      },
      calls: [{}, { from: "2026-06-01", to: "2026-06-08", calendar: "family", limit: 1 }],
    },
  },
};
