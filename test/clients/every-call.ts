type Args = Readonly<Record<string, unknown>>;

/** A week in daily buckets, as whole records and as figures, with the empty buckets too: every form of the result. */
const history = (valueField: string): readonly Args[] => [
  {},
  { hours: 168, samples_per_hour: 0.042, aggregation: "sum", value_field: valueField },
  { hours: 2, samples_per_hour: 6, aggregation: "mean", value_field: valueField, include_empty: true },
];

/** With nothing to add up: how many there were. */
const counted: readonly Args[] = [
  {},
  { hours: 2, samples_per_hour: 6, aggregation: "count", include_empty: true },
];

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

const status = {
  timestamp: "2026-06-01T08:00:00Z",
  sensor_reading: 0,
  water_24h: 0,
  light_today: 0,
  plant_state: "unknown",
  next_action_sequence: [],
  reasoning: "figures that are not true: the refused form of the answer",
};

/** Valid arguments for every tool, in an order in which a person may call them: what is read was written before, or asked by an agent. */
export const EVERY_CALL: readonly (readonly [tool: string, calls: readonly Args[]])[] = [
  ["get_current_time", [{}]],
  ["read_moisture", [{}]],
  ["measure_probe", [{}, { place: "air" }, { place: "pot" }]],
  ["get_light_status", [{}]],
  ["write_plant_status", [status]],
  ["dispense_water", [{ ml: 10 }]],
  ["get_water_usage_24h", [{}]],
  ["turn_on_light", [{ minutes: 30 }]],
  ["turn_off_light", [{}]],
  ["capture_photo", [{}, { include_image: true }]],
  ["log_thought", [thought, { ...thought, tags: [] }]],
  ["log_action", [{ type: "water", details: { ml: 10, why: ["dry"] } }]],
  ["save_notes", [{ content: "Waters well." }, { content: "Likes light.", mode: "append" }]],
  [
    "send_message_to_human",
    [{ message: "The tank is low." }, { message: "All is well.", in_reply_to: null }],
  ],
  ["send_message_to_agent", [{ message: "Less water, please." }]],
  ["add_task", [{ description: "look at the leaves", due: "2030-01-01T10:00:00+02:00" }]],
  ["list_tasks", [{}, { done: true }]],
  ["complete_task", [{ id: 1 }]],
  ["add_memory", [{ text: "It likes rain." }]],
  ["list_memories", [{}]],
  ["forget_memory", [{ id: 1 }]],
  ["fetch_notes", [{}]],
  ["list_messages_from_human", [{}, { limit: 1, include_content: false }]],
  ["list_messages_from_agent", [{}, { limit: 1, include_content: false }]],
  ["get_recent_thoughts", [{}, { n: 1, offset: 1 }]],
  ["get_thoughts_in_range", [{ start_time: "2020-01-01", end_time: "2100-01-01T00:00:00Z" }]],
  ["search_thoughts", [{ keyword: "drier" }, { keyword: "nowhere", hours: 1 }]],
  ["get_thought_history_bucketed", counted],
  ["get_recent_actions", [{}, { n: 1, offset: 0 }]],
  ["search_actions", [{ keyword: "dry" }]],
  ["get_action_history_bucketed", history("details.ml")],
  ["get_moisture_history", history("percent")],
  ["get_water_history", history("ml_dispensed")],
  ["get_light_history", history("minutes")],
  ["get_recent_photos", [{}, { n: 1 }]],
  ["get_camera_history_bucketed", counted],
  ["read_climate", [{}, { place: "Kitchen" }]],
  ["get_climate_history", history("temperature_c")],
  ["get_overview", [{}]],
  ["list_approvals", [{}]],
  ["answer_approval", [{ id: 1, approve: false }]],
  ["set_hold", [{ hold: true, reason: "holidays" }, { hold: false }]],
  ["release_care", [{}]],
  ["clear_fault", [{}]],
  ["stop_all", [{}]],
];
