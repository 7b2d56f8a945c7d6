import type { FamilyContract } from "../contract.js";

/** From seeds/001, and what goes with it. */
export const contract: FamilyContract = {
  toolset: "planner",
  tools: {
    add_task: {
      parameters: "description due",
      perPlant: true,
      result: "timestamp task known note?",
      role: "agent",
      speaks: true,
      valid: { description: "look at the leaves", due: "2026-06-01T10:00:00Z" },
      calls: [{ description: "look at the leaves", due: "2030-01-01T10:00:00+02:00" }],
    },
    list_tasks: {
      parameters: "done? limit? offset?",
      defaults: { done: false, limit: 20, offset: 0 },
      result: "count tasks",
      role: "observer",
      valid: { done: false, limit: 20, offset: 0 },
      calls: [{}, { done: true }],
    },
    complete_task: {
      parameters: "id",
      result: "timestamp task was_done",
      role: "agent",
      inCare: true,
      speaks: true,
      valid: { id: 1 },
      calls: [{ id: 1 }],
    },
  },
};
