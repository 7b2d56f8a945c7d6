import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { DecisionStore, decisionFile } from "../../../agent-client/models/decider/decision.js";
import { Decider } from "../../../agent-client/models/decider.js";
import { DurableFile } from "../../../agent-client/state/state-folder.js";
import { budget, care, light, note, soil } from "../caretaker/rig.js";
import { simulated } from "../harness/short-run.js";
import { fail, inTurn, NOON, ok, type Script } from "../scripted-runtime.js";
import { answer, DecidingModel, obedient } from "./deciding-model.js";

let keys = 0;
const newKey = () => `cycle-${++keys}`;

/** One cycle decided by a model; of an unknown pot, 2 ml are taken to raise it by a percent. */
async function decided(
  script: Script,
  decide: ConstructorParameters<typeof DecidingModel>[0],
  store?: DecisionStore,
) {
  const model = new DecidingModel(decide);
  const answers = { list_tasks: () => ok({ tasks: [] }), ...script.answers };
  const cared = await care(
    { ...script, answers },
    "Plant 0: Basil1 (basil)",
    new Decider(model, { newKey, ...(store && { store }) }),
  );
  return { ...cared, model };
}

const DRY = { read_moisture: soil(30), get_light_status: light(240) };
const message = (content: string, id = "7") => ({
  list_messages_from_human: () => ok({ messages: [{ message_id: id, timestamp: NOON, content }] }),
});

t.test("one answer of the model is a whole cycle: read, thought, status, dose, action, note", async (t) => {
  const { outcome, deeds, status, runtime, model } = await decided({ answers: DRY }, obedient);
  t.equal(outcome.completed, true);
  t.equal(model.asked.length, 1);
  t.strictSame(deeds, ["water 23", "water 23"]);
  t.match(
    status,
    { sensor_reading: 17_812, water_24h: 40, light_today: 240, timestamp: NOON },
    "figures of the tools",
  );
  t.equal(runtime.argsOf("log_thought").length, 1);
  t.equal(runtime.argsOf("log_action").length, 2);
  t.match(runtime.argsOf("save_notes")[0]?.content, /Basil1: .* moisture 30\.0 %, 46 ml/);
  t.strictSame(outcome.tokens, { input: 400, output: 80, cached: 200 });
});

t.test("the state compares in words, and says what may be done", async (t) => {
  const stateOf = async (answers: Script["answers"]) =>
    (await decided({ answers: answers ?? {} }, () => answer())).model.states[0] ?? "";
  t.match(
    await stateOf(DRY),
    /Soil: 30\.0 %: BELOW the low mark \(low mark 43 %, target 53 %\): stressed\.\nWater: NEEDED, 46 ml now\. 40 ml given in 24 hours, 460 ml left/,
  );
  t.match(
    await stateOf({ read_moisture: soil(47) }),
    /47\.0 %: above the low mark .*\nWater: no water needed/,
  );
  t.match(await stateOf({ read_moisture: soil(60) }), /above the target/);
  t.match(
    await stateOf({ ...DRY, get_water_usage_24h: budget(495) }),
    /the day's budget is used up: no water now\. 495 ml given in 24 hours, 5 ml left/,
  );
  t.match(
    await stateOf({
      read_moisture: () =>
        fail("SENSOR_FAULT", { details: { last_good: { value: 1, percent: 40, timestamp: NOON } } }),
    }),
    /Soil: no \(SENSOR_FAULT\); no good reading: unknown\.\nWater: no water while the reading is not good/,
  );
  t.match(
    await stateOf({ get_light_status: light(100) }),
    /Light: 100 of 240 minutes today: WANTED, 60 minutes now/,
  );
  t.match(
    await stateOf({ get_light_status: light(100, { can_activate: false }) }),
    /the lamp must rest: no light now/,
  );
  t.match(
    await stateOf(message("How is it?\nSoil: 3 %")),
    /Waiting messages: "How is it\? Soil: 3 %"\./,
    "of one line",
  );
});

t.test("what cannot be done is not offered to the model", async (t) => {
  const offered = async (answers: Script["answers"]) => {
    const { model } = await decided({ answers: answers ?? {} }, () => answer());
    const { properties } = (model.asked[0]?.options?.schema ?? {}) as {
      properties: Record<string, { enum?: unknown }>;
    };
    return [properties.water_ml?.enum, properties.light_minutes?.enum];
  };
  t.strictSame(await offered(DRY), [[0, 10, 25, 46], [0]]);
  t.strictSame(await offered({ read_moisture: soil(47), get_light_status: light(100) }), [
    [0, 10, 25],
    [0, 60],
  ]);
  t.strictSame(await offered({ read_moisture: soil(53) }), [[0], [0]], "at the target");
  t.strictSame(
    await offered({ ...DRY, get_water_usage_24h: budget(480) }),
    [[0, 10, 20], [0]],
    "what the budget leaves",
  );
});

t.test("an answer that is none is asked for once more, and then the cycle has failed", async (t) => {
  const mended = await decided({ answers: DRY }, (state, question) =>
    question === 1 ? "Water it!" : obedient(state),
  );
  t.equal(mended.outcome.completed, true);
  t.match(mended.model.asked[1]?.conversation.at(-1)?.content, /this is not JSON.*Answer again/);
  t.strictSame(mended.outcome.tokens, { input: 800, output: 160, cached: 400 }, "both are counted");
  for (const around of ["```json\n{}\n```", "Sure, here it is: {} Good luck!"]) {
    const worded = (state: string) => around.replace("{}", JSON.stringify(obedient(state), null, 2));
    const read = await decided({ answers: DRY }, worded);
    t.equal(read.outcome.completed, true);
    t.equal(read.model.asked.length, 1, "words around the object are no reason to ask again");
  }
  const twice = await decided(
    { answers: DRY },
    () => `${JSON.stringify(answer())} or ${JSON.stringify(answer())}`,
  );
  t.equal(twice.outcome.completed, false, "of two answers none counts");
  const never = await decided({ answers: DRY }, () => answer({ water_ml: 1000 }));
  t.equal(never.outcome.completed, false);
  t.match(never.outcome.failure?.message, /water_ml must be one of 0, 10, 25, 46/);
  t.strictSame(never.deeds, []);
});

t.test(
  "a decision against the state is asked for once more; insisted on, it stands where it does no harm",
  async (t) => {
    const needless = await decided({ answers: { read_moisture: soil(47) } }, () => answer({ water_ml: 10 }));
    t.match(needless.model.asked[1]?.conversation.at(-1)?.content, /says "no water", but water_ml is 10/);
    t.strictSame(needless.deeds, ["water 10"]);
    const lazy = await decided({ answers: { read_moisture: soil(41) } }, () => answer());
    t.equal(lazy.model.asked.length, 2);
    t.equal(lazy.outcome.completed, true);
    const cruel = await decided({ answers: DRY }, () => answer());
    t.equal(cruel.outcome.completed, false);
    t.match(cruel.outcome.reason, /deciding leaves a thirsty plant without water, also when asked again/);
  },
);

t.test("a person's wish is no contradiction", async (t) => {
  const answers = { ...DRY, ...message("No water today, please.") };
  const { model, outcome, deeds } = await decided({ answers }, () =>
    answer({ message_to_person: "I wait with the water." }),
  );
  t.equal(model.asked.length, 1);
  t.equal(outcome.completed, true);
  t.strictSame(deeds, []);
});

t.test("a waiting message gets one answer, and not its own words", async (t) => {
  const asked = message("How is it?");
  const said = await decided({ answers: asked }, () => answer({ message_to_person: "It is well." }));
  t.match(said.runtime.argsOf("send_message_to_human"), [{ message: "It is well.", in_reply_to: "7" }]);
  t.match(said.note, /answered: 7/);
  const again = await decided({ answers: { ...asked, fetch_notes: note(said.note) } }, () => answer());
  t.strictSame(again.messages, [], "not answered twice");
  const echo = await decided({ answers: asked }, () => answer({ message_to_person: "how is it" }));
  t.match(echo.messages, [/^I have read: "How is it\?"\. Now: Basil1 is moist enough at 60\.0 %/]);
});

t.test("words are asked for only where a person's message waits, and taught facts are kept", async (t) => {
  const { model: quiet } = await decided({}, () => without(answer(), "message_to_person", "memory"));
  t.strictSame(wordsAsked(quiet), []);
  const answers = {
    ...message("It is a mint."),
    add_memory: () => ok({ timestamp: NOON, id: 1, known: false }),
  };
  const taught = await decided({ answers }, () =>
    answer({ message_to_person: "Good.", memory: "It is a mint." }),
  );
  t.strictSame(wordsAsked(taught.model), ["message_to_person", "memory"]);
  t.strictSame(taught.runtime.argsOf("add_memory"), [{ text: "It is a mint." }]);
  const uninvited = await decided({}, () =>
    answer({ message_to_person: "All is fine!", memory: "It is green." }),
  );
  t.strictSame([uninvited.messages, uninvited.runtime.argsOf("add_memory")], [[], []]);
});

function wordsAsked({ asked }: DecidingModel): readonly string[] {
  const { properties = {} } = (asked[0]?.options?.schema ?? {}) as { properties?: object };
  return Object.keys(properties).filter((key) => key === "message_to_person" || key === "memory");
}

const without = (decision: Record<string, unknown>, ...keys: readonly string[]) =>
  Object.fromEntries(Object.entries(decision).filter(([key]) => !keys.includes(key)));

t.test("the next look may be sooner, and a look that was asked for is done", async (t) => {
  const task = { id: 4, description: "look at basil1 again", is_due: true };
  const answers = {
    list_tasks: () => ok({ tasks: [task, { id: 5, description: "Buy soil", is_due: true }] }),
    complete_task: () => ok({}),
    add_task: () => ok({}),
  };
  const { runtime } = await decided({ answers: { ...DRY, ...answers } }, (state) => ({
    ...obedient(state),
    next_look: "in 1 hour",
  }));
  t.strictSame(runtime.argsOf("complete_task"), [{ id: 4 }]);
  const calm = await decided({ answers }, () => answer({ next_look: "in 1 hour" }));
  t.strictSame(calm.runtime.argsOf("add_task"), [], "but not where all is well");
  t.strictSame(runtime.argsOf("add_task"), [
    { description: "Look at Basil1 again", due: "2026-06-01T13:30:00.000Z" },
  ]);
});

t.test(
  "what it rests on is read again before anything is done; what has changed makes it void",
  async (t) => {
    const poured = {
      get_water_usage_24h: inTurn(
        ok({ used_ml: 40, remaining_ml: 460 }),
        ok({ used_ml: 86, remaining_ml: 414 }),
      ),
    };
    const twice = await decided({ answers: { ...DRY, ...poured } }, obedient);
    t.equal(twice.model.asked.length, 2, "somebody poured meanwhile");
    t.match(twice.status, { water_24h: 86 });
    const wet = await decided({ answers: { read_moisture: inTurn(soil(30)(), soil(58)()) } }, obedient);
    t.strictSame(wet.deeds, []);
    const written = await decided(
      {
        answers: {
          ...DRY,
          list_messages_from_human: inTurn(ok({ messages: [] }), message("Stop!").list_messages_from_human()),
        },
      },
      (state) => (/Stop!/.test(state) ? answer() : obedient(state)),
    );
    t.strictSame(written.deeds, [], "a message that came while it thought");
    let used = 0;
    const restless = await decided(
      { answers: { ...DRY, get_water_usage_24h: () => ok({ used_ml: used++, remaining_ml: 400 }) } },
      obedient,
    );
    t.equal(restless.model.asked.length, 2);
    t.strictSame(restless.deeds, [], "what changes all the time is left alone");
  },
);

t.test("a status that is refused for its water is written without", async (t) => {
  const answers = {
    ...DRY,
    write_plant_status: inTurn(
      ok({ proceed: false, reason: "NO_RESPONSE: write it without water" }),
      ok({ proceed: true }),
    ),
  };
  const { deeds, runtime, model } = await decided({ answers }, obedient);
  t.strictSame(deeds, []);
  t.equal(runtime.argsOf("write_plant_status").length, 2);
  t.equal(model.asked.length, 1);
});

t.test(
  "a crash between two steps does nothing twice: the keys are the same, and the model is not asked again",
  async (t) => {
    const path = join(t.testdir(), "decision.json");
    const store = () => new DecisionStore(new DurableFile(path, decisionFile), (text) => t.fail(text));
    const crash = await decided(
      {
        answers: {
          ...DRY,
          dispense_water: () => {
            throw new Error("the client is gone");
          },
        },
      },
      obedient,
      store(),
    );
    t.equal(crash.outcome.completed, false);
    const [first] = crash.runtime.calls.filter(({ name }) => name === "dispense_water");
    const after = await decided({ answers: DRY }, () => t.fail("asked again") as never, store());
    const doses = after.runtime.calls.filter(({ name }) => name === "dispense_water");
    t.equal(doses[0]?.key, first?.key);
    t.not(doses[1]?.key, first?.key, "each dose has a key of its own");
    t.equal(existsSync(path), false, "the cycle has ended");
    const changed = await decided(
      {
        answers: {
          ...DRY,
          dispense_water: () => {
            throw new Error("gone");
          },
        },
      },
      obedient,
      store(),
    );
    const poured = await decided({ answers: { ...DRY, get_water_usage_24h: budget(63) } }, obedient, store());
    t.equal(poured.model.asked.length, 1, "the dose was poured: the model decides on what is now");
    t.not(
      poured.runtime.calls.find(({ name }) => name === "dispense_water")?.key,
      changed.runtime.calls.find(({ name }) => name === "dispense_water")?.key,
    );
  },
);

t.test("a decision that cannot be written down is said, and carried out", async (t) => {
  const said: string[] = [];
  const file = join(t.testdir({ file: "" }), "file", "decision.json");
  const cared = await decided(
    { answers: DRY },
    obedient,
    new DecisionStore(new DurableFile(file, decisionFile), (text) => said.push(text)),
  );
  t.strictSame(cared.deeds, ["water 23", "water 23"]);
  t.match(said[0], /decision\.json cannot be written/);
  writeFileSync(join(t.testdirName, "decision.json"), "garbage");
});

t.test("a missing figure is told, and no model is asked", async (t) => {
  const { model, messages, outcome } = await decided(
    { answers: { get_light_status: () => fail("IO") } },
    obedient,
  );
  t.equal(model.asked.length, 0);
  t.equal(outcome.completed, false);
  t.match(messages, [/could not learn the light's status/]);
});

t.test("a model that follows the state's words scores as the caretaker does", async (t) => {
  const [rules, decide] = await Promise.all([
    simulated({ days: 5 }),
    simulated({ days: 5 }, { model: new Decider(new DecidingModel(obedient), { newKey }) }),
  ]);
  t.equal(decide.score.incomplete, 0);
  t.ok(decide.score.total >= rules.score.total - 2, `${decide.score.total} and ${rules.score.total}`);
});

t.test(
  "what changes a second time is read for real, and a person's stop that comes then is settled",
  async (t) => {
    let reads = 0;
    const answers = {
      ...DRY,
      // the same at the first and the third reading: no guard against repeated calls may answer in the runtime's place
      get_water_usage_24h: () => ok({ used_ml: [40, 50, 40][reads++] ?? 40, remaining_ml: 450 }),
    };
    const { runtime, deeds, status } = await decided({ answers }, obedient);
    t.equal(runtime.calls.filter(({ name }) => name === "get_water_usage_24h").length, 3);
    t.match(status, { water_24h: 40, timestamp: NOON, light_today: 240 });
    t.strictSame(deeds, [], "twice changed: nothing is done");
    const refusals = {
      write_plant_status: inTurn(
        ok({ proceed: false, reason: "the figures are old" }),
        ok({ proceed: true }),
      ),
    };
    const stop = {
      list_messages_from_human: inTurn(
        ok({ messages: [] }),
        ok({ messages: [] }),
        message("STOP").list_messages_from_human(),
      ),
    };
    const stopped = await decided({ answers: { ...DRY, ...refusals, ...stop } }, (state) =>
      /STOP/.test(state) ? answer() : obedient(state),
    );
    t.strictSame(stopped.deeds, [], "a stop between a refused status and the next");
  },
);

t.test("a decision in the agent's folder is held against what is offered, as an answer is", async (t) => {
  const file = new DurableFile(join(t.testdir(), "decision.json"), decisionFile);
  const store = new DecisionStore(file, (text) => t.fail(text));
  const seen = { percent: 30, fault: null, used_ml: 40, lamp: "off true", message: null };
  const forged = { ...answer({ water_ml: 500 }), plant_state: "healthy", next_look: "as usual" };
  writeFileSync(
    file.path,
    JSON.stringify({ version: 1, plant: "Basil1", at: NOON, decided: { key: "k", decision: forged, seen } }),
  );
  const { deeds, model } = await decided({ answers: DRY }, obedient, store);
  t.equal(model.asked.length, 1);
  t.strictSame(deeds, ["water 23", "water 23"]);
});

t.test("what the person is told counts the water of this cycle", async (t) => {
  const { messages } = await decided({ answers: { ...DRY, ...message("How is it?") } }, obedient);
  t.match(messages.at(-1), /86 ml in 24 hours/);
});
