import t from "tap";
import type { CycleOutcome } from "../../../agent-client/cycle/cycle.js";
import type { Model, ToolCall } from "../../../agent-client/models/model.js";
import { ModelError } from "../../../agent-client/models/model-error.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { millis } from "../../../drivers/units.js";
import { runScripted, silent } from "../scripted-cycle.js";
import { call, ScriptedModel } from "../scripted-model.js";
import { fail, inTurn, ok, type Script } from "../scripted-runtime.js";

const status = call("write_plant_status");
const thought = call("log_thought");

t.test("a cycle is complete with a cleared status, an entry in a log and the model's own stop", async (t) => {
  const table: [string, ToolCall[][], Script, CycleOutcome["reason"]][] = [
    ["all three", [[thought, status]], {}, "completed"],
    ["an action logged in place of a thought", [[status], [call("log_action")]], {}, "completed"],
    ["no status", [[thought]], {}, "the model stopped without a cleared plant status"],
    [
      "a refused status",
      [[thought, status]],
      { answers: { write_plant_status: () => ok({ proceed: false, reason: "no" }) } },
      "the model stopped without a cleared plant status",
    ],
    [
      "a status in error",
      [[thought, status]],
      { answers: { write_plant_status: () => fail("STORE_FAILED") } },
      "the runtime could not record everything: no (STORE_FAILED)",
    ],
    ["no entry", [[status]], {}, "the model stopped without a thought or an action in the log"],
    [
      "an entry that failed",
      [[status, thought]],
      { answers: { log_thought: () => fail("STORE_FAILED") } },
      "the runtime could not record everything: no (STORE_FAILED)",
    ],
    [
      "an entry that a disk without room refused",
      [[status, thought]],
      { answers: { log_thought: () => fail("DISK_NEARLY_FULL") } },
      "the runtime could not record everything: no (DISK_NEARLY_FULL)",
    ],
    [
      "an entry that was refused because nobody knows whether the token is revoked",
      [[status, thought]],
      { answers: { log_thought: () => fail("TOKENS_UNREAD") } },
      "the runtime could not record everything: no (TOKENS_UNREAD)",
    ],
    ["nothing at all", [], {}, "the model stopped without a cleared plant status"],
  ];
  for (const [title, replies, script, reason] of table) {
    const { outcome } = await runScripted(new ScriptedModel(replies), script);
    t.equal(outcome.reason, reason, title);
    t.equal(outcome.completed, reason === "completed", title);
  }
});

t.test("a later refused status takes the cleared one back", async (t) => {
  const answers = { write_plant_status: inTurn(ok({ proceed: true }), ok({ proceed: false, reason: "no" })) };
  const { outcome } = await runScripted(new ScriptedModel([[thought, status], [status]]), { answers });
  t.equal(outcome.completed, false);
});

t.test("the model sees prompt, its own calls and every answer, in order", async (t) => {
  const model = new ScriptedModel([[call("read_moisture"), call("dispense_water", { ml: 20 })]]);
  await runScripted(model, { answers: { dispense_water: () => fail("NO_CYCLE") } });
  t.match(model.seen, [
    { role: "system", content: "Care." },
    { role: "user", content: "Now." },
    { role: "assistant", toolCalls: [{ name: "read_moisture" }, { name: "dispense_water" }] },
    { role: "tool", toolCallId: "id-read_moisture", name: "read_moisture" },
    { role: "tool", toolCallId: "id-dispense_water", name: "dispense_water" },
  ]);
  t.match(model.answers, [
    { value: 17_812, percent: 60 },
    { error: { code: "NO_CYCLE", message: "no (NO_CYCLE)", retryable: false } },
  ]);
});

t.test("a model that never stops is stopped after the last round", async (t) => {
  let asked = 0;
  const endless: Model = {
    name: "endless",
    respond: async () => ({ toolCalls: [call("read_moisture", { again: ++asked })] }),
  };
  const { outcome, runtime } = await runScripted(endless, {}, { maxRounds: 7 });
  t.match(outcome, {
    completed: false,
    reason: "the model still called tools after 7 rounds",
    rounds: 7,
    calls: 7,
  });
  t.equal(runtime.calls.length, 7);
});

t.test("a reply with hundreds of calls has 32 carried out, and is told so", async (t) => {
  const model = new ScriptedModel([
    Array.from({ length: 300 }, (_, again) => call("read_moisture", { again })),
  ]);
  const { runtime } = await runScripted(model);
  t.equal(runtime.calls.length, 32);
  t.match(model.answers.at(-1), { error: { code: "TOO_MANY_CALLS", retryable: true } });
  t.equal(model.answers.length, 300, "every call has an answer");
});

t.test(
  "a tool that does not exist never reaches the runtime; the model is told the nearest three",
  async (t) => {
    for (const name of ["water_everything", "toString", "__proto__", ""]) {
      const model = new ScriptedModel([[call(name)]]);
      const { runtime } = await runScripted(model);
      t.strictSame(runtime.calls, []);
      const message = /; nearest: \w+, \w+, \w+\. All there are stand in your list of tools$/;
      t.match(model.answers, [{ error: { code: "UNKNOWN_TOOL", message } }]);
    }
    const slip = new ScriptedModel([[call("read_moistures")]]);
    await runScripted(slip);
    t.match(slip.answers, [
      { error: { message: 'There is no tool "read_moistures"; nearest: read_moisture,' } },
    ]);
  },
);

t.test(
  "a cycle with eight calls of tools that do not exist ends, incomplete, and one with seven goes on",
  async (t) => {
    const wrong = (calls: number) =>
      new ScriptedModel([
        ...Array.from({ length: calls }, (_, n) => [call(`tool_${n}`)]),
        [call("read_moisture")],
      ]);
    const eight = await runScripted(wrong(8));
    t.match(eight.outcome, {
      completed: false,
      reason: "the model called 8 tools that do not exist",
      rounds: 8,
    });
    t.strictSame(eight.runtime.calls, []);
    t.equal((await runScripted(wrong(7))).runtime.calls.length, 1);
  },
);

t.test(
  "broken arguments never reach the runtime; JSON text and nothing at all are read as models mean them",
  async (t) => {
    for (const broken of ['{"ml": 20', "20", 20, [20], '["ml"]', "null", true]) {
      const model = new ScriptedModel([[call("dispense_water", broken)]]);
      const { runtime } = await runScripted(model);
      t.strictSame(runtime.calls, [], JSON.stringify(broken));
      t.match(model.answers, [{ error: { code: "INVALID_ARGUMENT" } }]);
    }
    const { runtime } = await runScripted(
      new ScriptedModel([
        [call("dispense_water", '{"ml": 20}'), { ...call("read_moisture"), arguments: undefined }],
      ]),
    );
    t.strictSame(
      runtime.calls.map(({ args }) => args),
      [{ ml: 20 }, {}],
    );
  },
);

t.test("every acting call has a key of its own, reading calls have none", async (t) => {
  const dose = call("dispense_water", { ml: 20 });
  const { runtime, outcome } = await runScripted(
    new ScriptedModel([[call("read_moisture"), dose, dose, thought]]),
  );
  t.strictSame(
    runtime.calls.map(({ key }) => key),
    [undefined, "key-1", "key-2", "key-3"],
  );
  t.equal(outcome.doses, 2);
});

t.test("a model or a runtime that fails ends the cycle incomplete, with the reason", async (t) => {
  const broken: Model = { name: "broken", respond: () => Promise.reject(new Error("out of memory")) };
  t.match((await runScripted(broken)).outcome, { completed: false, reason: "out of memory", rounds: 1 });
  const runtime = { tools: () => Promise.reject(new Error("gone")), call: async () => ok({}) };
  t.match((await runScripted(new ScriptedModel([]), {}, { runtime })).outcome, {
    completed: false,
    reason: "gone",
    rounds: 0,
  });
});

t.test("a model that does not do what a cycle takes has failed, in a way of its own", async (t) => {
  const idle = (await runScripted(new ScriptedModel([]))).outcome;
  const message = "the model stopped without a cleared plant status";
  t.strictSame(idle.failure, { kind: "incomplete", message });
  const done = (await runScripted(new ScriptedModel([[status, thought]]))).outcome;
  t.match(done, { completed: true, cleared: true, failure: undefined });
  const away: Model = { name: "m", respond: () => Promise.reject(new ModelError("gone", "away")) };
  t.match((await runScripted(away)).outcome, { cleared: false, failure: { kind: "away", message: "gone" } });
});

t.test("a runtime that is gone is no failure of the model", async (t) => {
  const runtime = { tools: () => Promise.reject(new Error("gone")), call: async () => ok({}) };
  t.equal((await runScripted(new ScriptedModel([]), {}, { runtime })).outcome.failure, undefined);
});

t.test("a status that was cleared once stays told, also where a later one is refused", async (t) => {
  const { outcome } = await runScripted(new ScriptedModel([[status], [status]]), {
    answers: { write_plant_status: inTurn(ok({ proceed: true }), ok({ proceed: false })) },
  });
  t.match(outcome, { completed: false, cleared: true });
});

t.test("a stop ends the cycle by rejecting, in the middle of a reply's calls", async (t) => {
  const stop = new AbortController();
  const stopping = () => {
    stop.abort(new Error("stopped"));
    return ok({});
  };
  const answers = { read_moisture: stopping };
  await t.rejects(
    runScripted(
      new ScriptedModel([[call("read_moisture")], [call("dispense_water")]]),
      { answers },
      { signal: stop.signal },
    ),
    { message: "stopped" },
  );
});

t.test("the outcome tells how long it took by the injected clock", async (t) => {
  const clock = new SimulatedClock();
  const slow: Model = {
    name: "slow",
    respond: () => clock.advance(millis(1500)).then(() => ({ toolCalls: [] })),
  };
  t.equal((await runScripted(slow, {}, { clock })).outcome.took, 1500);
});

t.test(
  "the outcome sums up the tokens of all replies; what a provider does not count counts nothing",
  async (t) => {
    const usages = [{ input: 100, output: 20 }, undefined, { input: 150, output: 5, cached: 90 }];
    const counting: Model = {
      name: "counting",
      respond: async (conversation) => {
        const round = conversation.filter(({ role }) => role === "assistant").length;
        const usage = usages[round];
        return { toolCalls: round < 2 ? [thought] : [], ...(usage && { usage }) };
      },
    };
    t.strictSame((await runScripted(counting)).outcome.tokens, { input: 250, output: 25, cached: 90 });
    const none = { input: 0, output: 0, cached: 0 };
    t.strictSame((await runScripted(new ScriptedModel([]))).outcome.tokens, none);
  },
);

t.test("the log is told of the prompt, and of what each call took", async (t) => {
  const clock = new SimulatedClock();
  const told: unknown[] = [];
  const thinking: Model = {
    name: "slow",
    respond: async (conversation) => {
      return { toolCalls: conversation.length === 2 ? [call("log_thought", '{"a"')] : [] };
    },
  };
  const log = {
    ...silent,
    began: (...each: unknown[]) => told.push(each),
    answered: (...each: unknown[]) => told.push(each),
  };
  await runScripted(thinking, {}, { clock, log });
  t.match(told, [
    [{ model: "slow", prompt: "Care.\n\nNow." }],
    ["log_thought", {}, { ok: false }, { call: { arguments: '{"a"' }, took: 0 }],
  ]);
});
