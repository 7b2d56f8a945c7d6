import t from "tap";
import type { Message, Model, Reply, ToolCall } from "../../../agent-client/models/model.js";
import { BROKEN_OFF, CALL_IN_A_CODE_BLOCK, STATUS_WITH_EMPTY_EXTRAS } from "../recorded-calls.js";
import { runScripted } from "../scripted-cycle.js";
import { call, ScriptedModel } from "../scripted-model.js";
import { fail, inTurn, ok, type Script } from "../scripted-runtime.js";

const run = (model: Model, script?: Script) => runScripted(model, script, { maxRounds: 24 });

const read = call("read_moisture");
const dose = call("dispense_water", { ml: 20 });

t.test(
  "a read that answers the same twice is not asked a third time, and the model is told so",
  async (t) => {
    const model = new ScriptedModel([[read], [{ ...read, arguments: "{}" }], [read]]);
    const { runtime } = await run(model);
    t.equal(runtime.calls.length, 2);
    t.match(model.answers[2], {
      error: { code: "REPEATED", message: /2 times.*the same.*go on/, retryable: false },
    });
  },
);

t.test("the same answer at another time is the same; other figures or arguments are not", async (t) => {
  const at = (second: number, value = 17_812) => ok({ value, timestamp: `2026-06-01T12:30:0${second}.000Z` });
  const later = new ScriptedModel([[read], [read], [read]]);
  t.equal(
    (await run(later, { answers: { read_moisture: inTurn(at(0), at(1), at(2)) } })).runtime.calls.length,
    2,
  );
  const moving = new ScriptedModel([[read], [read], [read]]);
  const answers = { read_moisture: inTurn(at(0), at(1, 17_800), at(2, 17_790)) };
  t.equal((await run(moving, { answers })).runtime.calls.length, 3);
  const other = new ScriptedModel([1, 2, 3].map((n) => [call("get_recent_actions", { n })]));
  t.equal((await run(other)).runtime.calls.length, 3);
  const argumentsInAnotherOrder = [
    { n: 1, offset: 0 },
    { offset: 0, n: 1 },
    { n: 1, offset: 0 },
  ];
  const same = new ScriptedModel(argumentsInAnotherOrder.map((args) => [call("get_recent_actions", args)]));
  t.equal((await run(same)).runtime.calls.length, 2);
});

t.test("what was read may be read again once something was done", async (t) => {
  const { runtime } = await run(new ScriptedModel([[read], [read], [dose], [read], [read], [read]]));
  t.equal(runtime.argsOf("read_moisture").length, 4);
});

t.test(
  "equal doses that succeed are all carried out, each under its own key, and never silently",
  async (t) => {
    const model = new ScriptedModel([[dose], [dose], [dose]]);
    const { runtime, outcome } = await run(model);
    t.strictSame(
      runtime.calls.map(({ key }) => key),
      ["key-1", "key-2", "key-3"],
    );
    t.equal(outcome.doses, 3);
    t.notOk("note" in (model.answers[0] as object));
    t.match(model.answers[1], { dispensed: 20, note: "carried out: identical call number 2 of this cycle" });
  },
);

t.test(
  "the same words are said once in a cycle, and the model is told so; other words are said",
  async (t) => {
    const message = (text: string) => call("send_message_to_human", { message: text });
    const script = [[message("dry")], [read, message("dry")], [message("still dry")], [message("dry")]];
    const model = new ScriptedModel(script);
    const { runtime } = await run(model);
    t.strictSame(runtime.argsOf("send_message_to_human"), [{ message: "dry" }, { message: "still dry" }]);
    t.match(model.answers.at(-1), {
      error: { code: "REPEATED", message: /carried out .* already: not again/ },
    });
  },
);

t.test("words that were refused may be tried again", async (t) => {
  const thought = call("log_thought", { thought: "dry" });
  const answers = { log_thought: inTurn(fail("STORE_FAILED"), ok({})) };
  const { runtime } = await run(new ScriptedModel([[thought], [thought], [thought]]), { answers });
  t.equal(runtime.calls.length, 2);
});

t.test("a read whose figures move by noise is answered from the last after six times", async (t) => {
  const noise = inTurn(...[1, 2, 3, 4, 5, 6, 7, 8].map((value) => ok({ value })));
  const model = new ScriptedModel([...Array(7).fill([read]), [dose], [read]]);
  const { runtime } = await run(model, { answers: { read_moisture: noise } });
  t.match(model.answers[6], { value: 6, note: /unchanged for our purposes, decide now/ });
  t.equal(runtime.argsOf("read_moisture").length, 7, "and is read anew once something was done");
});

t.test("an acting call that was refused twice for the same reason is not tried a third time", async (t) => {
  const answers = { dispense_water: () => fail("BUDGET_EXCEEDED") };
  const model = new ScriptedModel([[dose], [dose], [dose]]);
  const { runtime } = await run(model, { answers });
  t.equal(runtime.calls.length, 2);
  t.match(model.answers[2], { error: { code: "REPEATED" } });
});

t.test("the same status, refused again and again for another second of the clock, is a circle", async (t) => {
  let second = 0;
  const answers = {
    write_plant_status: () => ok({ proceed: false, reason: `the clock says 12:30:${second++}` }),
  };
  const status = call("write_plant_status", STATUS_WITH_EMPTY_EXTRAS);
  const insistent: Model = { name: "insistent", respond: async () => ({ toolCalls: [status] }) };
  const { outcome, runtime } = await run(insistent, { answers });
  t.match(outcome, { reason: /repeated the same calls/, rounds: 5 });
  t.equal(runtime.calls.length, 2);
});

t.test("a refusal that passes by itself may be tried again", async (t) => {
  const busy = {
    ...fail("PUMP_BUSY"),
    error: { code: "PUMP_BUSY", message: "busy", retryable: true },
  } as const;
  const answers = { dispense_water: inTurn(busy, busy, busy, ok({ dispensed: 20 })) };
  const { outcome } = await run(new ScriptedModel([[dose], [dose], [dose], [dose]]), { answers });
  t.equal(outcome.doses, 1);
});

t.test("a model that only repeats itself is stopped long before its rounds are used up", async (t) => {
  const endless: Model = { name: "endless", respond: async () => ({ toolCalls: [read] }) };
  const { outcome } = await run(endless);
  t.match(outcome, { completed: false, reason: /repeated the same calls/, rounds: 5 });
});

t.test(
  "a model that does nothing but read the same, whose figures move, is stopped after nine rounds",
  async (t) => {
    let figure = 0;
    const answers = { read_moisture: () => ok({ value: figure++ }) };
    const endless: Model = { name: "endless", respond: async () => ({ toolCalls: [read] }) };
    const { outcome, runtime } = await run(endless, { answers });
    t.match(outcome, { completed: false, reason: /repeated the same calls/, rounds: 9 });
    t.equal(runtime.calls.length, 6);
  },
);

t.test("a model whose arguments break off in every reply is stopped after three", async (t) => {
  const broken = { ...read, arguments: BROKEN_OFF };
  const endless: Model = { name: "endless", respond: async () => ({ toolCalls: [broken, broken] }) };
  const { outcome } = await run(endless);
  t.match(outcome, { completed: false, reason: /calls could not be read, 3 replies in a row/, rounds: 3 });
});

t.test("two replies that cannot be read and one that can begin the count anew", async (t) => {
  const broken = [{ ...read, arguments: BROKEN_OFF }];
  const other = (n: number) => [call("get_recent_actions", { n })];
  const { outcome } = await run(new ScriptedModel([broken, broken, other(1), broken, broken, other(2)]));
  t.equal(outcome.rounds, 7);
});

t.test("replies that repeat and replies that cannot be read are circles together", async (t) => {
  const broken = [{ ...read, arguments: BROKEN_OFF }];
  const { outcome } = await run(new ScriptedModel([[read], [read], broken, [read], broken]));
  t.match(outcome, { reason: /repeated the same calls/, rounds: 5 });
});

t.test("forty equal calls in every reply are a circle too", async (t) => {
  const forty: Model = { name: "forty", respond: async () => ({ toolCalls: Array(40).fill(read) }) };
  t.match((await run(forty)).outcome, { reason: /repeated the same calls/, rounds: 4 });
});

/** Says these texts one after the other, and calls nothing. */
class Talker implements Model {
  readonly name = "talker";
  readonly heard: Message[] = [];

  constructor(private readonly texts: readonly (string | readonly ToolCall[])[]) {}

  async respond(conversation: readonly Message[]): Promise<Reply> {
    this.heard.push(...conversation.slice(this.heard.length));
    const said = this.texts[conversation.filter(({ role }) => role === "assistant").length] ?? "";
    return typeof said === "string" ? { text: said, toolCalls: [] } : { toolCalls: said };
  }
}

const FORMS = [
  '<tool_call>\n{"name": "dispense_water", "arguments": {"ml": 25}}\n</tool_call>',
  '[TOOL_CALLS] [{"name": "dispense_water", "arguments": {"ml": 25}}]',
  "<|python_tag|>dispense_water.call(ml=25)",
  '<function=dispense_water>{"ml": 25}</function>',
  "```tool_code\nprint(dispense_water(ml=25))\n```",
  'I will water.\n```json\n{"tool": "dispense_water", "args": {"ml": 25}}\n```',
  '{"function": "dispense_water", "parameters": {"ml": 25}}',
  "First:\n`dispense_water(ml=25)`\nThen done.",
  CALL_IN_A_CODE_BLOCK,
  '[{"function_name": "read_moisture"}, {"function_name": "fetch_notes"}]',
  '{"name": "water_the_plant", "arguments": {"ml": 25}}',
  '{"name": "write_status", "timestamp": "2026-11-22T18:50:00.068Z"}',
  "dispense_watr(ml=25)",
];

t.test(
  "calls written as text are never carried out; the model is told once, then the person has to",
  async (t) => {
    for (const form of FORMS) {
      const model = new Talker([form, form, form]);
      const { runtime, outcome } = await run(model);
      t.strictSame(runtime.calls, [], form);
      t.match(model.heard.at(-1), { role: "user", content: /Nothing of it was carried out/ });
      t.match(outcome, {
        completed: false,
        rounds: 2,
        reason: /talker writes calls of tools as text: take a model that can call tools/,
        failure: { kind: "person" },
      });
    }
  },
);

t.test("the reminder says which tool may have been meant by a name that is none", async (t) => {
  const model = new Talker(['{"name": "dispense_watr", "arguments": {"ml": 25}}']);
  await run(model);
  t.match(model.heard.at(-1), {
    role: "user",
    content: /There is no tool "dispense_watr"; nearest: dispense_water,/,
  });
});

t.test("a model that calls tools after the reminder goes on", async (t) => {
  const done = [call("log_thought"), call("write_plant_status")];
  const { outcome } = await run(new Talker([FORMS[0] ?? "", done, "Done."]));
  t.equal(outcome.completed, true);
});

t.test("prose about tools is no call", async (t) => {
  const texts = [
    "I would call dispense_water with 20 ml, but the soil is wet.",
    'The name is "dispense_water" (a tool).',
    '{"name": "Basil", "state": "fine"}',
    "",
  ];
  for (const text of texts) t.equal((await run(new Talker([text]))).outcome.rounds, 1, text);
});
