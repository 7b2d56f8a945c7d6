/** For every tool, arguments that it takes; the tests bend them. A status here is well-formed, not true. */
export const VALID_ARGUMENTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  write_plant_status: {
    timestamp: "2026-06-01T08:00:00Z",
    sensor_reading: 10_000,
    water_24h: 0,
    light_today: 0,
    plant_state: "healthy",
    next_action_sequence: [{ order: 1, action: "water", value: 20 }],
    reasoning: "dry",
  },
  read_moisture: {},
  measure_probe: { place: "pot" },
  read_climate: { place: "kitchen" },
  dispense_water: { ml: 10 },
  get_water_usage_24h: {},
  turn_on_light: { minutes: 30 },
  turn_off_light: {},
  get_light_status: {},
  capture_photo: { include_image: true },
  get_recent_photos: { n: 3, offset: 0 },
  log_thought: {
    observation: "leaves hang",
    hypothesis: "thirst",
    candidate_actions: [{ order: 1, action: "water", value: 20 }],
    reasoning: "the soil is dry",
    uncertainties: "none",
    tags: ["water"],
  },
  get_recent_thoughts: { n: 3, offset: 0 },
  get_thoughts_in_range: { start_time: "2026-06-01T00:00:00Z", end_time: "2026-06-02T00:00:00Z" },
  search_thoughts: { keyword: "soil", hours: 24 },
  save_notes: { content: "a note", mode: "append" },
  fetch_notes: {},
  send_message_to_human: { message: "hello" },
  list_messages_from_human: { limit: 10, offset: 0, include_content: true },
  log_action: { type: "observe", details: { leaf: "green" } },
  get_recent_actions: { n: 5, offset: 0 },
  search_actions: { keyword: "observe", hours: 24 },
  add_task: { description: "look at the leaves", due: "2026-06-01T10:00:00Z" },
  list_tasks: { done: false, limit: 20, offset: 0 },
  complete_task: { id: 1 },
  add_memory: { text: "it likes rain" },
  list_memories: { n: 20, offset: 0 },
  forget_memory: { id: 1 },
  get_current_time: {},
  get_overview: {},
  send_message_to_agent: { message: "hello" },
  list_messages_from_agent: { limit: 10, offset: 0, include_content: true },
  set_hold: { hold: false, reason: "a test" },
  clear_fault: { reason: "a test" },
  release_care: {},
  stop_all: {},
  list_approvals: { limit: 20 },
  answer_approval: { id: 1, approve: false },
};

const HISTORY = {
  hours: 24,
  samples_per_hour: 1,
  aggregation: "count",
  value_field: "timestamp",
  end_time: "2026-06-01T09:00:00Z",
  include_empty: true,
};

export const validArguments = (tool: string): Readonly<Record<string, unknown>> => {
  const found = VALID_ARGUMENTS[tool] ?? (/_history/.test(tool) ? HISTORY : undefined);
  if (!found) throw new Error(`no arguments for ${tool}: add some to test/contract/valid-arguments.ts`);
  return found;
};
