import t from "tap";
import { defaultConfig } from "../../runtime/configuration.js";
import { modulesOn, TOOLS, toolsOf } from "../../runtime/services/modules.js";
import { jsonSchema, listedSchema } from "../../runtime/tools/schema.js";

/** Names and parameters of the contract, word for word from seeds/000; a `?` marks what may be left out. */
const CONTRACT: Readonly<Record<string, string>> = {
  log_thought: "observation hypothesis candidate_actions reasoning uncertainties tags?",
  save_notes: "content mode?",
  send_message_to_human: "message in_reply_to?",
  get_recent_thoughts: "n? offset?",
  get_thoughts_in_range: "start_time end_time",
  search_thoughts: "keyword hours?",
  get_thought_history_bucketed: "hours? samples_per_hour? aggregation? value_field? end_time? include_empty?",
  fetch_notes: "",
  list_messages_from_human: "limit? offset? include_content?",
  log_action: "type details",
  get_recent_actions: "n? offset?",
  search_actions: "keyword hours?",
  get_action_history_bucketed: "hours? samples_per_hour? aggregation? value_field? end_time? include_empty?",
  write_plant_status:
    "timestamp sensor_reading water_24h light_today plant_state next_action_sequence reasoning",
  read_moisture: "",
  get_moisture_history: "hours? samples_per_hour? aggregation? value_field? end_time? include_empty?",
  dispense_water: "ml",
  get_water_usage_24h: "",
  get_water_history: "hours? samples_per_hour? aggregation? value_field? end_time? include_empty?",
  turn_on_light: "minutes",
  get_light_status: "",
  capture_photo: "include_image?",
  get_camera_history_bucketed: "hours? samples_per_hour? aggregation? value_field? end_time? include_empty?",
  get_current_time: "",
  // the ancestor's, from seeds/001, and what goes with them
  add_task: "description due",
  list_tasks: "done? limit? offset?",
  complete_task: "id",
  add_memory: "text",
  list_memories: "n? offset?",
  // our own additions, named in CONTRACT
  turn_off_light: "",
  get_light_history: "hours? samples_per_hour? aggregation? value_field? end_time? include_empty?",
  get_recent_photos: "n? offset?",
};

/** Listed where the configuration has a sensor of the air. */
const OF_THE_AIR: Readonly<Record<string, string>> = {
  read_climate: "place?",
  get_climate_history: "hours? samples_per_hour? aggregation? value_field? end_time? include_empty? place?",
};

/** For people: listed to the human role alone. */
const FOR_PEOPLE: Readonly<Record<string, string>> = {
  get_overview: "",
  send_message_to_agent: "message in_reply_to?",
  list_messages_from_agent: "limit? offset? include_content?",
  list_approvals: "limit?",
  answer_approval: "id approve",
  set_hold: "hold plant? reason?",
  clear_fault: "plant? reason?",
  release_care: "",
  measure_probe: "place?",
  forget_memory: "id",
  stop_all: "",
};

const DEFAULTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  get_recent_thoughts: { n: 3, offset: 0 },
  get_recent_actions: { n: 5, offset: 0 },
  search_thoughts: { hours: 24 },
  search_actions: { hours: 24 },
  save_notes: { mode: "replace" },
  log_thought: { tags: [] },
  list_messages_from_human: { limit: 10, offset: 0, include_content: true },
  get_moisture_history: { hours: 24, samples_per_hour: 6, aggregation: "middle", include_empty: false },
};

const tool = (name: string) => {
  const found = TOOLS.find((each) => each.name === name);
  if (!found) throw new Error(`no tool ${name}`);
  return found;
};

function parametersOf(name: string): string {
  const { properties = {}, required = [] } = jsonSchema(tool(name).input, "input") as {
    properties?: Record<string, unknown>;
    required?: string[];
  };
  return Object.keys(properties)
    .map((parameter) => (required.includes(parameter) ? parameter : `${parameter}?`))
    .join(" ");
}

t.test(
  "the tools are exactly the contract's 24, the ancestor's tasks and memories, the three additions, the two of the air, and those for people",
  async (t) => {
    const expected = [CONTRACT, OF_THE_AIR, FOR_PEOPLE].flatMap((each) => Object.keys(each)).sort();
    t.same(TOOLS.map(({ name }) => name).sort(), expected);
    t.equal(Object.keys(CONTRACT).length, 24 + 5 + 3);
  },
);

for (const [name, parameters] of Object.entries({ ...CONTRACT, ...OF_THE_AIR, ...FOR_PEOPLE })) {
  t.test(`${name} has exactly its parameters`, async (t) => t.equal(parametersOf(name), parameters));
}

t.test("parameters left out have the contract's defaults", async (t) => {
  for (const [name, defaults] of Object.entries(DEFAULTS)) {
    const minimal = name.startsWith("search") ? { keyword: "x" } : {};
    const given =
      name === "save_notes"
        ? { content: "" }
        : name === "log_thought"
          ? { observation: "", hypothesis: "", candidate_actions: [], reasoning: "", uncertainties: "" }
          : minimal;
    t.match(tool(name).input.parse(given), defaults, name);
  }
});

t.test("only what switches off is free of limits, and nothing that switches off is missing", async (t) => {
  const off = TOOLS.filter(({ switchesOff }) => switchesOff).map(({ name }) => name);
  t.same(off.sort(), ["stop_all", "turn_off_light"]);
  for (const name of off) t.equal(tool(name).role, "observer", `${name} is anybody's`);
});

t.test("every tool says in its annotations whether it changes anything", async (t) => {
  for (const { name, facts } of TOOLS) {
    const { annotations } = facts;
    t.ok(annotations.readOnlyHint === true || annotations.destructiveHint !== undefined, name);
  }
});

/** What `tools/list` shows to an agent, in the form in which model servers take tools. */
const listedToAgents = toolsOf(modulesOn(defaultConfig()))
  .filter(({ role, listedTo }) => (listedTo ?? role) !== "human")
  .map(({ name, description, input }) => ({
    type: "function",
    function: { name, description, parameters: listedSchema(input, "input") },
  }));

t.test("the listed schemas can be converted by any client: one type each, no references", async (t) => {
  for (const { name, input, output } of TOOLS) {
    for (const schema of [listedSchema(input, "input"), listedSchema(output, "output")]) {
      t.notMatch(
        JSON.stringify(schema),
        /"\$ref"|"definitions"|"propertyNames"|"type":\[|"(items|additionalProperties)":\{\}|[[,]\{\}/,
        name,
      );
    }
  }
});

t.test("a far bound is checked, but not listed: models pay for every word", async (t) => {
  t.notMatch(JSON.stringify(listedToAgents), /\d{5}/);
  t.equal(tool("get_moisture_history").input.safeParse({ hours: 876_001 }).success, false);
  const { properties } = jsonSchema(tool("get_moisture_history").input, "input");
  t.match(properties, { hours: { maximum: 876_000 } }, "and it stands in docs/tools.md");
});

// 19.8 kB before descriptions were shortened; whoever adds a tool raises this figure knowingly
t.test("the tools of an agent take at most 18,000 bytes as compact JSON", async (t) => {
  const bytes = Buffer.byteLength(JSON.stringify(listedToAgents));
  t.ok(bytes <= 18_000, `${bytes} bytes`);
});
