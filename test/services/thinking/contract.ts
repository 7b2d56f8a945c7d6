import { counted, type FamilyContract, HISTORY } from "../contract.js";

const thought = {
  observation: "the soil is drier than yesterday",
  hypothesis: "it is warm",
  candidate_actions: [
    { order: 1, action: "water", value: 20 },
    { order: 2, action: "wait" },
  ],
  reasoning: "a dose would bring it back",
  uncertainties: "the probe drifts",
  tags: ["soil"],
};

export const contract: FamilyContract = {
  toolset: "plants",
  tools: {
    log_thought: {
      parameters: "observation hypothesis candidate_actions reasoning uncertainties tags?",
      defaults: { tags: [] },
      result: "timestamp success",
      role: "agent",
      inCare: true,
      speaks: true,
      valid: {
        observation: "leaves hang",
        hypothesis: "thirst",
        candidate_actions: [{ order: 1, action: "water", value: 20 }],
        reasoning: "the soil is dry",
        uncertainties: "none",
        tags: ["water"],
      },
      calls: [thought, { ...thought, tags: [] }],
    },
    get_recent_thoughts: {
      parameters: "n? offset?",
      defaults: { n: 3, offset: 0 },
      result: "count thoughts",
      role: "observer",
      valid: { n: 3, offset: 0 },
      calls: [{}, { n: 1, offset: 1 }],
    },
    get_thoughts_in_range: {
      parameters: "start_time end_time",
      result: "count thoughts",
      role: "observer",
      valid: { start_time: "2026-06-01T00:00:00Z", end_time: "2026-06-02T00:00:00Z" },
      calls: [{ start_time: "2020-01-01", end_time: "2100-01-01T00:00:00Z" }],
    },
    search_thoughts: {
      parameters: "keyword hours?",
      defaults: { hours: 24 },
      result: "count thoughts",
      role: "observer",
      valid: { keyword: "soil", hours: 24 },
      calls: [{ keyword: "drier" }, { keyword: "nowhere", hours: 1 }],
    },
    get_thought_history_bucketed: { ...HISTORY, calls: counted },
    save_notes: {
      parameters: "content mode?",
      defaults: { mode: "replace" },
      result: "timestamp note_length_chars",
      role: "agent",
      inCare: true,
      valid: { content: "a note", mode: "append" },
      calls: [{ content: "Waters well." }, { content: "Likes light.", mode: "append" }],
    },
    fetch_notes: {
      parameters: "",
      result: "content timestamp note_length_chars",
      role: "observer",
      inCare: true,
      valid: {},
      calls: [{}],
    },
  },
};
