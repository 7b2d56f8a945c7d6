import t, { type Test } from "tap";
import type { Arguments } from "../../../agent-client/cycle/arguments.js";
import { withoutEmptyExtras } from "../../../agent-client/cycle/arguments.js";
import type { Model, ToolCall } from "../../../agent-client/models/model.js";
import { AgentInRig } from "../../agent-in-rig.js";
import { type Rig, rigFor } from "../../rig.js";
import { STATUS_WITH_A_FILLED_EXTRA, STATUS_WITH_EMPTY_EXTRAS } from "../recorded-calls.js";
import { linesOf, written } from "../run-log/written.js";
import { runScripted } from "../scripted-cycle.js";
import { call, ScriptedModel } from "../scripted-model.js";

/** A tool's schema as the runtime lists it. */
async function schemaOf(t: Test, tool: string) {
  const rig = await rigFor(t);
  const listed = rig.core.registry.list({ name: "agent", role: "agent" });
  return listed.find(({ name }) => name === tool)?.inputSchema ?? {};
}

t.test("what Qwen 1.5B wrote too much of is left out and named, and all else is as it was", async (t) => {
  const given = JSON.parse(STATUS_WITH_EMPTY_EXTRAS);
  const { args, ignored } = withoutEmptyExtras(given, await schemaOf(t, "write_plant_status"));
  t.strictSame(ignored, ["uncertainties", "tags"]);
  const { uncertainties, tags, ...rest } = given;
  t.strictSame(args, rest);
});

t.test("every empty value counts, also within the objects of a list; a value never does", async (t) => {
  const status = JSON.parse(STATUS_WITH_A_FILLED_EXTRA);
  const schema = await schemaOf(t, "write_plant_status");
  t.strictSame(withoutEmptyExtras(status, schema), { args: status, ignored: [] }, "as Qwen 0.5B wrote it");
  for (const empty of ["", [], {}, null]) {
    const step = { order: 1, action: "water", value: 10 };
    const given = { ...status, next_action_sequence: [{ ...step, reason: empty }, step] };
    const { args, ignored } = withoutEmptyExtras(given, schema);
    t.strictSame(ignored, ["next_action_sequence[0].reason"], JSON.stringify(empty));
    t.strictSame(args, { ...status, next_action_sequence: [step, step] });
  }
  for (const value of [0, false, " ", "fern", [""], { a: null }])
    t.strictSame(withoutEmptyExtras({ extra: value }, schema).ignored, [], JSON.stringify(value));
});

t.test(
  "what the schema knows stays, however empty; an object that takes any key is left alone",
  async (t) => {
    const status = { reasoning: "", next_action_sequence: [], plant_state: null };
    t.strictSame(withoutEmptyExtras(status, await schemaOf(t, "write_plant_status")).args, status);
    const action = { type: "observe", details: { seen: "", leaves: [], more: { why: null } } };
    t.strictSame(withoutEmptyExtras(action, await schemaOf(t, "log_action")).args, action);
    t.strictSame(withoutEmptyExtras({ a: "" }, { type: "object", properties: {} }).args, { a: "" });
  },
);

t.test("of a flood of empty keys twenty are named, shortened, and the rest is counted", async (t) => {
  const flood = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`${at}`.padStart(200, "x"), ""]));
  const { args, ignored } = withoutEmptyExtras(flood, await schemaOf(t, "dispense_water"));
  t.strictSame(args, {});
  t.equal(ignored.length, 21);
  t.equal(ignored.at(-1), "and 480 more");
  t.ok(ignored.every((name) => name.length <= 80));
});

const LOOKS = ["get_current_time", "read_moisture", "get_water_usage_24h", "get_light_status"];

/** Looks, writes a true status that plans 20 ml with these keys too many, then calls what it is given. */
const gardener = (extras: Arguments, then: readonly ToolCall[]): Model & { heard: Arguments[] } => ({
  name: "gardener",
  heard: [],
  async respond(conversation) {
    const answers = conversation.flatMap((message) => (message.role === "tool" ? [message] : []));
    this.heard = answers.map(({ content }) => JSON.parse(content) as Arguments);
    if (answers.length === 0) return { toolCalls: LOOKS.map((name) => call(name)) };
    if (answers.length > LOOKS.length) return { toolCalls: answers.length === 5 ? then : [] };
    const [time, soil, water, light] = this.heard;
    const status = {
      ...JSON.parse(STATUS_WITH_EMPTY_EXTRAS),
      timestamp: time?.timestamp,
      sensor_reading: soil?.value,
      water_24h: water?.used_ml,
      light_today: light?.light_today,
      next_action_sequence: [{ order: 1, action: "water", value: 20, reason: "" }],
      ...extras,
    };
    return { toolCalls: [call("write_plant_status", JSON.stringify(status))] };
  },
});

const pulses = (rig: Rig) => rig.bench.pumpEdges("basil").filter(({ level }) => level === 1).length;

t.test("the status of Qwen 1.5B is cleared, with a word about what was ignored", async (t) => {
  const rig = await rigFor(t, { start: "2026-06-01T12:00:00.000Z", hydration: 60 });
  const dose = call("dispense_water", { ml: 20, plant: "" });
  const model = gardener({}, [dose]);
  await new AgentInRig(rig, model).turn();
  t.strictSame(model.heard[4], {
    proceed: true,
    ignored: ["next_action_sequence[0].reason", "uncertainties", "tags"],
  });
  t.match(model.heard[5], { dispensed: 20, ignored: ["plant"] });
  t.equal(pulses(rig), 1);
});

t.test("where one plant is configured, a dose for another by name never waters it", async (t) => {
  const rig = await rigFor(t, { start: "2026-06-01T12:00:00.000Z", hydration: 60 });
  const model = gardener({}, [call("dispense_water", { ml: 20, plant: "fern", tags: [] })]);
  await new AgentInRig(rig, model).turn();
  t.match(model.heard[5], { error: { code: "INVALID_ARGUMENT", message: /plant/ }, ignored: ["tags"] });
  t.equal(pulses(rig), 0);
});

t.test("the log shows the arguments that were sent, and what was left out of them", async (t) => {
  const closed = { log_action: { type: "object", properties: { type: {} }, additionalProperties: false } };
  const text = await written({
    script: { schemas: closed },
    replies: [{ toolCalls: [call("log_action", { type: "observe", tags: [] })] }],
  });
  t.match(
    linesOf(text).find(({ kind }) => kind === "call"),
    { tool: "log_action", arguments: { type: "observe" }, ignored: ["tags"] },
  );
  const [reply] = linesOf(text).filter(({ kind }) => kind === "reply");
  t.match(reply, { reply: { toolCalls: [{ arguments: { type: "observe", tags: [] } }] } }, "its own words");
});

t.test("calls that differ in what is ignored alone are the same call", async (t) => {
  const closed = { read_moisture: { type: "object", properties: {}, additionalProperties: false } };
  const read = (args: Arguments) => [call("read_moisture", args)];
  const model = new ScriptedModel([read({}), read({ tags: [] }), read({ plant: null })]);
  const { runtime } = await runScripted(model, { schemas: closed });
  t.strictSame(runtime.argsOf("read_moisture"), [{}, {}]);
  t.match(model.answers[2], { error: { code: "REPEATED" }, ignored: ["plant"] });
});
