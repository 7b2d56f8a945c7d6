import t from "tap";
import { jsonSchema } from "../../runtime/tools/parameters.js";
import { type Rig, rigFor } from "../rig.js";
import { validArguments } from "../services/contracts.js";
import {
  type Args,
  assertProper,
  CALLABLE,
  callerOf,
  footprint,
  HUMAN,
  TWO_PLANTS,
  toolNamed,
  WHOLE_HOUSE,
} from "./proper-answer.js";

t.test("every tool refuses a parameter it does not have, by its name, and changes nothing", async (t) => {
  const rig = await rigFor(t, { config: WHOLE_HOUSE });
  const before = await footprint(rig);
  for (const { name } of CALLABLE) {
    const error = await rig.refused(name, { ...validArguments(name), amount_ml: 20 }, callerOf(name));
    t.match(error, { code: "INVALID_ARGUMENT", message: /amount_ml is not a parameter of this tool/ }, name);
    t.same(error.details, {
      problems: [{ parameter: "amount_ml", problem: "is not a parameter of this tool" }],
    });
  }
  t.same(await footprint(rig), before);
});

t.test("the refusal of an unknown parameter says to leave it out, and what the tool has", async (t) => {
  const rig = await rigFor(t, { config: WHOLE_HOUSE });
  const told = async (name: string, extra: Args) =>
    (await rig.refused(name, { ...validArguments(name), ...extra }, HUMAN)).message;
  t.match(
    await told("dispense_water", { plant: "fern" }),
    "dispense_water: plant is not a parameter of this tool; leave it out: dispense_water has ml: ",
  );
  t.match(
    await told("get_current_time", { zone: "UTC" }),
    "leave it out: get_current_time has no parameters: ",
  );
  const status = await told("write_plant_status", {
    uncertainties: "",
    tags: [],
    next_action_sequence: [1, 2, 3].map((order) => ({ order, action: "observe", reason: "dry" })),
  });
  const own = Object.keys(validArguments("write_plant_status")).length;
  t.match(status, /leave them out: /);
  t.match(status, "write_plant_status has timestamp, sensor_reading, water_24h, ");
  t.equal(/write_plant_status has ([^;:]*)/.exec(status)?.[1]?.split(", ").length, own);
  t.equal(status.split("each item of next_action_sequence has order, action, value").length, 2, "told once");
});

t.test("a key named __proto__ is refused by its name, wherever a parameter may stand", async (t) => {
  const rig = await rigFor(t, { config: WHOLE_HOUSE });
  const withProto = (args: Args) => ({ ...args, ...JSON.parse('{"__proto__": {"ml": 25}}') });
  for (const { name } of CALLABLE) {
    const { message } = await rig.refused(name, withProto(validArguments(name)), callerOf(name));
    t.match(message, `${name}: __proto__ is not a parameter of this tool`);
  }
  const { message } = await rig.refused("log_thought", {
    ...validArguments("log_thought"),
    candidate_actions: [withProto({ order: 1, action: "wait" })],
  });
  t.match(message, "candidate_actions.0.__proto__ is not a parameter of this tool");
});

t.test("the details of an action are kept as they are, with every key", async (t) => {
  const rig = await rigFor(t, { config: WHOLE_HOUSE });
  const details = JSON.parse(
    '{"__proto__": {"a": 1}, "constructor": 2, "in": [{"__proto__": null, "toString": "x", "": false}]}',
  );
  await rig.get("log_action", { type: "observe", details });
  const kept = async () => ((await rig.get("get_recent_actions", { n: 1 })).actions as Args[])[0]?.details;
  t.equal(JSON.stringify(await kept()), JSON.stringify(details));
  await rig.restart();
  t.equal(JSON.stringify(await kept()), JSON.stringify(details), "and from the journal");
  for (const none of [[1], "{}", { a: [{ b: Number.NaN }] }, { a: undefined }, { at: new Date(0) }]) {
    const error = await rig.refused("log_action", { type: "observe", details: none });
    t.match(error, { code: "INVALID_ARGUMENT", message: /details is no JSON object/ });
  }
});

const WRONG: readonly unknown[] = [null, "", "ten", "10", -1, 1e308, 0.5, true, [], {}, [[]], { a: 1 }];

t.test("every parameter of every tool is checked, and the refusal names it", async (t) => {
  const rig = await rigFor(t, { config: WHOLE_HOUSE });
  for (const { name, input } of CALLABLE) {
    const parameters = Object.keys(input.shape);
    const missed = await Promise.all(parameters.map((parameter) => missedOf(rig, name, parameter)));
    t.same(missed.flat(), [], name);
  }
});

/** Whatever the schema refuses, the call refuses, and names the parameter; nothing else is tried here. What did not go so. */
async function missedOf(rig: Rig, name: string, parameter: string): Promise<readonly string[]> {
  const bent = WRONG.map((value) => ({ ...validArguments(name), [parameter]: value }));
  const wrong = bent.filter((args) => !toolNamed(name).input.safeParse(args).success);
  const errors = await Promise.all(wrong.map((args) => rig.refused(name, args, callerOf(name))));
  const missed = errors.filter(
    ({ code, details }) => code !== "INVALID_ARGUMENT" || !isAbout(parameter, details),
  );
  return [
    ...(wrong.length >= 5 ? [] : [`takes few wrong values for ${parameter}: ${wrong.length}`]),
    ...missed.map(({ message }) => `${parameter}: ${message}`),
  ];
}

const isAbout = (parameter: string, details: Args | undefined): boolean => {
  const { problems } = details as { problems: readonly { parameter: string }[] };
  return problems.length > 0 && problems.every((each) => each.parameter.split(".")[0] === parameter);
};

t.test("a required parameter that is missing is named, all of them at once", async (t) => {
  const rig = await rigFor(t, { config: WHOLE_HOUSE });
  for (const { name, input } of CALLABLE) {
    const { required = [] } = jsonSchema(input, "input") as { required?: string[] };
    const [, operation] = name.split(" ");
    const missing = required.filter((parameter) => parameter !== "operation");
    if (missing.length === 0) continue;
    const { details } = await rig.refused(name, operation ? { operation } : {}, callerOf(name));
    t.same(details, { problems: missing.map((parameter) => ({ parameter, problem: "is missing" })) }, name);
  }
});

const OUT_OF_RANGE: readonly [string, Args][] = [
  ["dispense_water", { ml: 9 }],
  ["dispense_water", { ml: 26 }],
  ["dispense_water", { ml: 12.5 }],
  ["turn_on_light", { minutes: 29 }],
  ["turn_on_light", { minutes: 121 }],
  ["get_recent_thoughts", { n: 0 }],
  ["get_recent_thoughts", { n: 51 }],
  ["get_recent_thoughts", { offset: -1 }],
  ["search_actions", { keyword: "x", hours: 0 }],
  ["get_moisture_history", { hours: 0 }],
  ["get_moisture_history", { hours: 1.5 }],
  ["get_moisture_history", { samples_per_hour: 0 }],
  ["get_moisture_history", { samples_per_hour: 3601 }],
  ["get_moisture_history", { aggregation: "median" }],
  ["write_plant_status", { ...validArguments("write_plant_status"), water_24h: -1 }],
  ["list_messages_from_human", { limit: 51 }],
];

t.test("numbers out of range are refused, never clipped", async (t) => {
  const rig = await rigFor(t, { config: WHOLE_HOUSE });
  const before = await footprint(rig);
  for (const [name, args] of OUT_OF_RANGE) {
    t.equal(
      (await rig.refused(name, args, HUMAN)).code,
      "INVALID_ARGUMENT",
      `${name} ${JSON.stringify(args)}`,
    );
  }
  t.same(await footprint(rig), before);
});

t.test("a text of two million characters is kept whole or refused, wherever it is put", async (t) => {
  const rig = await rigFor(t, { config: WHOLE_HOUSE });
  const long = "ü".repeat(2_000_000);
  for (const { name } of CALLABLE) {
    for (const [parameter, value] of Object.entries(validArguments(name))) {
      if (typeof value !== "string") continue;
      const answer = await rig.call(name, { ...validArguments(name), [parameter]: long }, callerOf(name));
      assertProper(t, name, answer, `${name}.${parameter}`);
    }
  }
  const { content } = (await rig.get("fetch_notes")) as { content: string };
  t.ok(content === long || content.length < 1000, "whole, or none of it");
});

t.test("a refusal is short, however much was wrong", async (t) => {
  const rig = await rigFor(t, { config: TWO_PLANTS });
  const long = "ü".repeat(100_000);
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`key${n}`, n]));
  const refusals = [
    await rig.refused(long),
    await rig.refused("read_moisture", { plant: long }),
    await rig.refused("read_moisture", { [long]: 1 }),
    await rig.refused("read_moisture", many),
    await rig.refused("get_thoughts_in_range", { start_time: long, end_time: long }),
    await rig.refused("log_thought", { candidate_actions: Array(100).fill(7) }),
    await rig.refused("get_moisture_history", { aggregation: "sum", value_field: long.slice(0, 200) }),
    await rig.refused("send_message_to_human", { message: "x", in_reply_to: long }),
  ];
  for (const error of refusals) t.ok(JSON.stringify(error).length < 8000, error.message.slice(0, 300));
  t.match(refusals[3]?.message, /and 4980 more problems/);
});

t.test("JSON as deep as the wire lets through is kept whole", async (t) => {
  const rig = await rigFor(t, { config: WHOLE_HOUSE });
  let deep: unknown = "seed";
  for (let level = 0; level < 58; level += 1) deep = level % 2 ? [deep] : { in: deep };
  await rig.get("log_action", { type: "observe", details: { deep } });
  t.match(await rig.get("get_recent_actions", { n: 1 }), { actions: [{ details: { deep } }] });
});

t.test(
  "a time without an offset is UTC, one with an offset is that instant, and what is no time is refused",
  async (t) => {
    const rig = await rigFor(t, { config: WHOLE_HOUSE });
    await rig.get("log_thought", validArguments("log_thought"));
    const found = async (start_time: string, end_time: string) =>
      (await rig.get("get_thoughts_in_range", { start_time, end_time })).count;
    t.equal(await found("2026-06-01T08:00:00", "2026-06-01 08:00:00.000"), 1);
    t.equal(await found("2026-06-01T10:00:00+02:00", "2026-06-01T03:00-05:00"), 1);
    t.equal(await found("2026-06-01T08:00:00.001", "2026-06-01T23:00"), 0);
    t.equal(await found("2026-06-01", "2026-06-02"), 1);
    for (const end_time of [
      "tomorrow",
      "2026-02-30",
      "1780300800",
      "2026-06-01T25:00",
      "2026-06-01T08:00+15:00",
      "",
    ]) {
      const error = await rig.refused("get_thoughts_in_range", { start_time: "2026-06-01", end_time });
      t.match(error, { code: "INVALID_ARGUMENT", message: /end_time/ }, end_time);
    }
  },
);

t.test("an unknown tool is refused by name, as long as it may be", async (t) => {
  const rig = await rigFor(t, { config: WHOLE_HOUSE });
  for (const name of ["", "water", "__proto__", "constructor", "x".repeat(10_000)]) {
    t.equal((await rig.refused(name)).code, "UNKNOWN_TOOL");
  }
});

t.test(
  "the log names a refused tool only if there is one: what stands there by mistake can be a token",
  async (t) => {
    const rig = await rigFor(t);
    const token = "Zm9vYmFyYmF6cXV4";
    t.equal((await rig.refused(token)).code, "UNKNOWN_TOOL");
    await rig.refused("dispense_water", { ml: 1000 });
    t.match(
      rig.log.filter((line) => line.includes("call refused")),
      [/"tool":"unknown tool".*UNKNOWN_TOOL/, /"tool":"dispense_water"/],
    );
    t.notMatch(rig.log.join("\n"), token);
  },
);
