import t from "tap";
import { readArguments } from "../../../agent-client/cycle/arguments.js";
import { runScripted } from "../scripted-cycle.js";
import { call, ScriptedModel } from "../scripted-model.js";

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

t.test("no arguments may be written as nothing, an empty text or blanks", (t) => {
  for (const none of [undefined, null, "", "  \n", "{}", " {} ", {}])
    t.strictSame(readArguments(none), {}, JSON.stringify(none));
  t.strictSame(readArguments('{"ml": 20}'), { ml: 20 });
  t.end();
});

t.test("what is no object is none", (t) => {
  for (const wrong of ['{"ml": 20', "null", "[20]", '"20"', "20", 20, true, [20]])
    t.equal(readArguments(wrong), undefined, JSON.stringify(wrong));
  t.end();
});

t.test("arguments are nested 64 deep at most, as a text or as an object", (t) => {
  for (const depth of [1, 64]) {
    t.ok(readArguments(nested(depth)), `${depth}`);
    t.ok(readArguments(JSON.parse(nested(depth))), `${depth}`);
  }
  for (const depth of [65, 10_000]) {
    t.equal(readArguments(nested(depth)), undefined, `${depth}`);
    t.equal(readArguments(JSON.parse(nested(depth))), undefined, `${depth}`);
  }
  t.end();
});

t.test("arguments nested 10,000 deep are answered with an error, and the cycle goes on", async (t) => {
  const status = call("write_plant_status");
  const model = new ScriptedModel([[call("save_notes", nested(10_000))], [status, call("log_thought")]]);
  const { outcome, runtime } = await runScripted(model);
  t.equal(outcome.reason, "completed");
  t.match(model.answers[0], { error: { code: "INVALID_ARGUMENT", message: /nested 64 deep at most/ } });
  t.notOk(
    runtime.calls.some(({ name }) => name === "save_notes"),
    "and nothing of it is sent",
  );
});

t.test("a model that breaks its arguments off is shown how they begin", async (t) => {
  const model = new ScriptedModel([[call("save_notes", '{"content": "Dry')]]);
  await runScripted(model);
  t.match(model.answers[0], { error: { message: /they begin with "\{\\"content\\": \\"Dry"\)$/ } });
});
