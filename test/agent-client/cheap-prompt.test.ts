import t, { type Test } from "tap";
import { shown, TOOL_SETS, type ToolSet } from "../../agent-client/cycle/tool-runner.js";
import type { ToolInfo } from "../../agent-client/link/tools.js";
import type { Message, Model, ToolCall } from "../../agent-client/models/model.js";
import { tokensIn } from "../../agent-client/prompts/prompt.js";
import { AgentInRig } from "../agent-in-rig.js";
import { type Rig, rigFor } from "../rig.js";
import { call } from "./scripted-model.js";

const TWO_PLANTS =
  "server: { calls_per_second: 100000 }\nplants: [{ id: basil, name: Basil }, { id: fern, name: Fred, species: fern, probe: { channel: 1 } }]";

/** What Qwen2.5's own chat template writes around the tools (tokenizer_config.json of Qwen2.5-Instruct). */
const [BEFORE_TOOLS, AFTER_TOOLS] = [
  "\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>",
  '</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>',
];

/** A request as that template writes it: the system text, the tools with a space after each comma and colon, the conversation. */
function asQwenWrites(conversation: readonly Message[], tools: readonly ToolInfo[]): string {
  const [system, ...rest] = conversation;
  const listed = tools.map(({ name, description, inputSchema }) =>
    spaced({ type: "function", function: { name, description, parameters: inputSchema } }),
  );
  return [system?.content, BEFORE_TOOLS, ...listed, AFTER_TOOLS, ...rest.map(written)].join("\n");
}

const written = (message: Message): string =>
  [
    message.role,
    message.content,
    ...(message.role === "assistant" ? message.toolCalls.map((made) => spaced(made)) : []),
  ].join("\n");

/** JSON with Python's spaces. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${spaced(each)}`);
  return `{${fields.join(", ")}}`;
}

/** Replies in rounds, and keeps every request. */
class Costed implements Model {
  readonly name = "costed";
  readonly requests: string[] = [];

  constructor(
    private readonly rounds: readonly ((told: (tool: string) => Told) => readonly ToolCall[])[] = [],
  ) {}

  async respond(conversation: readonly Message[], tools: readonly ToolInfo[]) {
    this.requests.push(asQwenWrites(conversation, tools));
    const told = (tool: string): Told => {
      const answer = conversation.findLast((message) => message.role === "tool" && message.name === tool);
      return JSON.parse(answer?.content ?? "{}");
    };
    const round = conversation.filter(({ role }) => role === "assistant").length;
    return { toolCalls: this.rounds[round]?.(told) ?? [] };
  }

  get tokensRead(): number {
    return this.requests.reduce((sum, request) => sum + tokensIn(request), 0);
  }
}

type Told = Readonly<Record<string, unknown>>;

async function firstRequests(t: Test, set: ToolSet) {
  const rig = await rigFor(t, { config: TWO_PLANTS, start: "2026-06-01T12:00:00.000Z" });
  const model = new Costed();
  await new AgentInRig(rig, shown(model, set)).turn();
  const [one = "", other = ""] = model.requests;
  const common = [...one].findIndex((character, at) => character !== other[at]);
  return { one, other, share: tokensIn(one.slice(0, common)) / tokensIn(one) };
}

t.test("cycles of two plants begin alike, in 95 % of the first request's tokens", async (t) => {
  for (const set of TOOL_SETS) {
    const { one, other, share } = await firstRequests(t, set);
    t.match(one, "Plant 0: Basil\n");
    t.match(other, "Plant 1: Fred (fern)\n");
    t.ok(share >= 0.95, `${(100 * share).toFixed(1)} % of ${tokensIn(one)} with ${set}`);
  }
});

const thought = call("log_thought", {
  observation:
    "The soil is at 38 %, below the mark; the leaves hang a little, and the light was off all night.",
  hypothesis: "The pot has dried over two warm days.",
  candidate_actions: [{ order: 1, action: "water", value: 20 }],
  reasoning: "One dose brings the soil back without making it wet.",
  uncertainties: "One probe sees one spot.",
});
const status = (told: (tool: string) => Told): ToolCall =>
  call("write_plant_status", {
    timestamp: told("get_current_time").timestamp,
    sensor_reading: told("read_moisture").value,
    water_24h: told("get_water_usage_24h").used_ml,
    light_today: told("get_light_status").light_today,
    plant_state: "healthy",
    next_action_sequence: [
      { order: 1, action: "water", value: 20 },
      { order: 2, action: "light", value: 60 },
    ],
    reasoning: "Dry after two warm days: one dose and an hour of light.",
  });
const READS = [
  "get_current_time",
  "read_moisture",
  "get_water_usage_24h",
  "get_light_status",
  "list_messages_from_human",
  "fetch_notes",
].map((name) => call(name));
const DEEDS = [call("dispense_water", { ml: 20 }), call("turn_on_light", { minutes: 60 })];
const LOGS = [
  call("log_action", { type: "water", details: { ml: 20, reason: "38 %, below the mark" } }),
  call("log_action", { type: "light", details: { minutes: 60 } }),
  call("save_notes", {
    content: "38 % before 20 ml at noon; look whether the leaves stand again.",
    mode: "replace",
  }),
  call("send_message_to_human", {
    message: "The soil had dried to 38 %; I gave 20 ml and an hour of light.",
  }),
];

/** Every call by itself. */
const ONE_A_ROUND = [
  ...READS.map((each) => () => [each]),
  () => [thought],
  (told: (tool: string) => Told) => [status(told)],
  ...DEEDS.map((each) => () => [each]),
  () => [READS[1] as ToolCall],
  ...LOGS.map((each) => () => [each]),
];

/** As the rules ask for. */
const TOGETHER = [
  () => READS,
  (told: (tool: string) => Told) => [thought, status(told)],
  () => DEEDS,
  () => LOGS,
];

/** The reads together, and all else by itself. */
const READS_TOGETHER = [() => READS, ...ONE_A_ROUND.slice(READS.length).filter((_, at) => at !== 4)];

async function cycleOf(t: Test, rounds: typeof ONE_A_ROUND, set: ToolSet): Promise<Costed> {
  const rig: Rig = await rigFor(t, { start: "2026-06-01T12:00:00.000Z", hydration: 40 });
  const model = new Costed(rounds);
  const agent = new AgentInRig(rig, shown(model, set));
  t.equal(await agent.turn(), true, agent.story);
  return model;
}

/** Of a first request with all tools Qwen's own tokenizer counts 6,691 tokens (2026-11-22), and the estimate 8,325. */
const OF_ESTIMATE = 0.8;

t.test("a whole cycle with its calls together reads no more than 40,000 tokens", async (t) => {
  const care = await cycleOf(t, TOGETHER, "care");
  t.equal(care.requests.length, 5);
  t.ok(care.tokensRead <= 40_000, `${care.tokensRead} tokens`);
  const all = await cycleOf(t, TOGETHER, "all");
  t.comment(`14 calls in 4 replies: ${care.tokensRead} tokens read, with all tools ${all.tokensRead}`);
  const mixed = await cycleOf(t, READS_TOGETHER, "care");
  const asQwenCounts = mixed.tokensRead * OF_ESTIMATE;
  t.ok(asQwenCounts <= 40_000, `${asQwenCounts} tokens with the reads together alone`);
  t.comment(
    `the reads together, else a call a reply: ${mixed.tokensRead} in ${mixed.requests.length} requests`,
  );
});

/** 0.54 with every module; where some are left out, there is less to leave out for care. */
const HARDLY_MORE_THAN_HALF = 0.6;

t.test(
  "fifteen calls, each by itself, cost hardly more than half, and nearly all of it is read from the cache",
  async (t) => {
    const care = await cycleOf(t, ONE_A_ROUND, "care");
    const all = await cycleOf(t, ONE_A_ROUND, "all");
    t.equal(care.requests.length, 16);
    t.ok(care.tokensRead < HARDLY_MORE_THAN_HALF * all.tokensRead, `${care.tokensRead} of ${all.tokensRead}`);
    const fresh = care.requests.map(
      (request, at) => tokensIn(request) - commonWith(request, care.requests[at - 1]),
    );
    const uncached = fresh.reduce((sum, tokens) => sum + tokens, 0);
    t.ok(uncached < care.tokensRead / 10, `${uncached} of ${care.tokensRead}`);
    t.comment(`a call a reply: ${care.tokensRead} read, ${uncached} new; with all tools ${all.tokensRead}`);
  },
);

/** Of a request, the tokens that the one before begins with too. */
const commonWith = (request: string, before = ""): number =>
  before !== "" && request.startsWith(before) ? tokensIn(before) : 0;
