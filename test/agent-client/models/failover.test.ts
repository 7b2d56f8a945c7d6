import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { Agent } from "../../../agent-client/agent.js";
import { isBeginning } from "../../../agent-client/models/conversation.js";
import { Failover, type FailoverOptions, modelStateFile } from "../../../agent-client/models/failover.js";
import type { Model, Reply } from "../../../agent-client/models/model.js";
import type { ModelError } from "../../../agent-client/models/model-error.js";
import { compileTemplate } from "../../../agent-client/prompts/prompt.js";
import { DurableFile } from "../../../agent-client/state/state-folder.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { minutes } from "../../../drivers/units.js";
import { silent } from "../scripted-cycle.js";
import { call } from "../scripted-model.js";
import { fail, ok, type Script, ScriptedRuntime } from "../scripted-runtime.js";
import { never } from "./conversations.js";
import { DONE, failure, Spoken } from "./spoken.js";

/** A reply that does all that a cycle takes; then DONE completes it. */
const CARES: Reply = { toolCalls: [call("write_plant_status"), call("log_thought")] };
const LOOKS: Reply = { toolCalls: [call("read_moisture")] };
const COMPLETE = [CARES, DONE];
/** A status is cleared, and then no reply comes. */
const SPOILED = [CARES, failure("away", "m is away")];
const AWAY = failure("away", "m is away");
const TALKS = "the model stopped without a cleared plant status";

/** Completes every cycle. */
const caretaker: Model = {
  name: "caretaker",
  respond: async (conversation) => (isBeginning(conversation) ? CARES : DONE),
};

interface Desk {
  readonly messages: string[];
  readonly said: string[];
  readonly clock: SimulatedClock;
  /** Of each cycle that began: whether its first question is asked once. */
  readonly askedOnce: boolean[];
  /** A cycle for each plant: who took it, and how that ended. */
  turn(): Promise<string[]>;
  /** Whether the last turn was completed. */
  completed: boolean;
  restart(): void;
}

type Said = Reply | ModelError | (() => Promise<Reply>);

interface Case extends Script {
  readonly parts?: Partial<FailoverOptions>;
}

/** An agent whose model says this, one after the other. */
function desk(t: Test, script: readonly Said[], { parts, ...rest }: Case = {}): Desk {
  const [messages, said, askedOnce]: [string[], string[], boolean[]] = [[], [], []];
  const clock = new SimulatedClock();
  const model = new Spoken("m", script);
  const make = () =>
    new Failover({
      model,
      patience: { beginCycle: ({ asksOnce = false } = {}) => void askedOnce.push(asksOnce) },
      fallback: caretaker,
      clock,
      failedCycles: 3,
      file: new DurableFile(join(t.testdirName, "model.json"), modelStateFile),
      tell: async (message) => messages.push(message) > 0,
      say: (text) => said.push(text),
      ...parts,
    });
  t.testdir({});
  let models = make();
  const it: Desk = {
    messages,
    said,
    clock,
    askedOnce,
    completed: false,
    restart: () => (models = make()),
    turn: async () => {
      const course: string[] = [];
      it.completed = await agentWith(models, course, rest, clock).turn();
      return course;
    },
  };
  return it;
}

function agentWith(models: Failover, course: string[], script: Script, clock: SimulatedClock): Agent {
  let who = "";
  return new Agent({
    runtime: new ScriptedRuntime(script),
    models,
    template: compileTemplate("Care for {{plant_info}}."),
    promptTokens: 4000,
    maxRounds: 5,
    clock,
    log: {
      cycle: () => ({
        ...silent,
        began: ({ model }) => (who = model),
        ended: ({ reason }) => course.push(`${who}: ${reason}`),
      }),
    },
    signal: never,
    newKey: () => "key",
  });
}

const STAND_IN = ["m: m is away", "caretaker: completed"];

t.test(
  "the caretaker takes each cycle that the model fails, and after three the person is told once",
  async (t) => {
    const it = desk(t, [AWAY]);
    for (let n = 0; n < 5; n += 1) {
      t.strictSame(await it.turn(), STAND_IN);
      t.ok(it.completed);
    }
    t.strictSame(it.messages, [
      "**The model m is out of service.** The reason: m is away. Until it completes a cycle, caretaker looks after the plants. (Written by the agent program, not by a model.)",
    ]);
    t.strictSame(it.said.slice(-1), ["m is away; caretaker takes this cycle"]);
    t.strictSame(it.askedOnce, [false, false, false, true, true], "one that is out is asked once");
  },
);

const CIRCLE: Reply = { toolCalls: [call("read_moisture"), call("read_moisture")] };
const UNKNOWN: Reply = { toolCalls: Array.from({ length: 8 }, () => call("water_the_plant")) };
let searched = 0;
const searches = async (): Promise<Reply> => ({
  toolCalls: [call("list_memories", { about: `${++searched}` })],
});
const NOTHING_DONE: readonly [string, Said[], RegExp][] = [
  ["only talks", [DONE], /stopped without a cleared plant status$/],
  ["never stops to call", [searches], /still called tools after 5 rounds$/],
  ["makes the same calls again and again", [CIRCLE], /repeated the same calls$/],
  ["calls tools that do not exist", [UNKNOWN], /called 8 tools that do not exist or were not offered$/],
];

for (const [title, replies, reason] of NOTHING_DONE) {
  t.test(`a model that ${title} is out after three cycles, each of which the caretaker takes`, async (t) => {
    const it = desk(t, replies);
    for (let n = 0; n < 3; n += 1) {
      const [first, second, ...more] = await it.turn();
      t.match(first, reason);
      t.equal(second, "caretaker: completed");
      t.strictSame(more, []);
    }
    t.equal(it.messages.length, 1);
    t.match(it.messages[0], /The model m is out of service\.\*\* The reason: the model /);
  });
}

t.test("a model that was out and then only talks does not work again", async (t) => {
  const it = desk(t, [failure("person", "no such key"), DONE]);
  t.strictSame(await it.turn(), ["m: no such key", "caretaker: completed"]);
  for (let n = 0; n < 4; n += 1) {
    t.equal((await it.turn()).at(-1), "caretaker: completed");
    await it.clock.advance(minutes(30));
  }
  t.equal(it.messages.length, 1);
  t.match(it.messages[0], /no such key/);
  t.notOk(it.said.some((line) => line.includes("works again")));
});

t.test("what fails after a few rounds is taken over too, as long as no status was cleared", async (t) => {
  const it = desk(t, [LOOKS, LOOKS, AWAY]);
  t.strictSame(await it.turn(), STAND_IN);
});

t.test("after a cleared status nobody takes the cycle over: the model may have acted", async (t) => {
  const it = desk(t, SPOILED);
  t.strictSame(await it.turn(), ["m: m is away"]);
  t.notOk(it.completed);
});

t.test("a status that was refused at last does not undo one that was cleared", async (t) => {
  let asked = 0;
  const answers = { write_plant_status: () => ok({ proceed: ++asked === 1 }) };
  const it = desk(t, [CARES, CARES, DONE], { answers });
  t.strictSame(await it.turn(), [`m: ${TALKS}`]);
});

t.test("a cycle that the caretaker cannot complete either does not count against the model", async (t) => {
  const it = desk(t, [DONE], { answers: { write_plant_status: () => ok({ proceed: false }) } });
  for (let n = 0; n < 4; n += 1) t.strictSame(await it.turn(), [`m: ${TALKS}`, `caretaker: ${TALKS}`]);
  t.notOk(it.completed);
  t.strictSame(it.messages, []);
});

t.test("a model that completes a cycle again works again, and the person is told", async (t) => {
  const it = desk(t, [AWAY, AWAY, AWAY, AWAY, ...COMPLETE, ...COMPLETE]);
  for (let n = 0; n < 4; n += 1) await it.turn();
  t.strictSame(await it.turn(), ["m: completed"]);
  t.equal(it.messages.length, 2);
  t.match(
    it.messages[1],
    /^\*\*All is well again\.\*\* m works again and takes over from caretaker: it has completed a cycle\./,
  );
  t.strictSame(await it.turn(), ["m: completed"]);
  t.equal(it.messages.length, 2);
});

t.test("a limit of the day is said in full once, and then in short", async (t) => {
  const limits = ["Monday", "Monday", "Tuesday"].map((day) => failure("limit", `200 calls on ${day}`));
  const it = desk(t, limits);
  for (let n = 0; n < 3; n += 1) await it.turn();
  t.strictSame(it.said, [
    "200 calls on Monday; caretaker takes this cycle",
    "the day's limit; caretaker takes this cycle",
    "200 calls on Tuesday; caretaker takes this cycle",
  ]);
});

t.test("failures that are not in a row add up to nothing", async (t) => {
  const it = desk(t, [AWAY, AWAY, ...COMPLETE, AWAY, AWAY, ...COMPLETE]);
  for (let n = 0; n < 6; n += 1) await it.turn();
  t.strictSame(it.messages, []);
});

t.test("what only a person mends is told at once, and the caretaker has that very cycle", async (t) => {
  const it = desk(t, [failure("person", "no such model")]);
  for (let n = 0; n < 2; n += 1) t.equal((await it.turn()).at(-1), "caretaker: completed");
  t.equal(it.messages.length, 1);
  t.match(it.messages[0], /no such model/);
});

t.test(
  "without a fallback the person is told once, and each cycle fails until the model works",
  async (t) => {
    const it = desk(t, [AWAY, AWAY, AWAY, AWAY, ...COMPLETE], { parts: { fallback: undefined } });
    for (let n = 0; n < 4; n += 1) t.strictSame(await it.turn(), ["m: m is away"]);
    t.equal(it.messages.length, 1);
    t.match(it.messages[0], /nobody looks after the plants.*--fallback caretaker/);
    t.strictSame(await it.turn(), ["m: completed"]);
    t.match(it.messages[1], /m works again: it has completed a cycle\./);
  },
);

t.test(
  "a model that comes back only to fail is asked after 15, 30, 60 and then every 120 minutes",
  async (t) => {
    const costly = ["broken", "cycle"].map((kind) => failure(kind as "broken" | "cycle", "it failed"));
    for (const last of [...costly, DONE]) {
      const it = desk(t, [AWAY, AWAY, AWAY, last]);
      for (let n = 0; n < 3; n += 1) await it.turn();
      const asked: number[] = [];
      for (let minute = 0; minute < 300; minute += 5) {
        if ((await it.turn()).length === 2) asked.push(minute);
        await it.clock.advance(minutes(5));
      }
      t.strictSame(asked, [0, 15, 45, 105, 225]);
      t.equal(it.messages.length, 1, "and tells the person nothing new");
    }
  },
);

t.test(
  "however rare cycles are, a plant whose cycle it spoiled has the next one of the caretaker",
  async (t) => {
    const it = desk(t, [AWAY, AWAY, AWAY, AWAY, ...SPOILED, ...SPOILED, ...SPOILED, ...SPOILED], {
      plants: ["basil", "mint"],
    });
    for (let n = 0; n < 2; n += 1) await it.turn();
    const course: string[][] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      course.push(await it.turn());
      await it.clock.advance(minutes(12 * 60));
    }
    t.strictSame(course, [
      ["m: m is away", "caretaker: completed"],
      ["caretaker: completed", "m: m is away"],
      ["m: m is away", "caretaker: completed"],
      ["caretaker: completed", "m: m is away"],
    ]);
  },
);

t.test(
  "a refusal costs nothing, so the model is asked in the next cycle; after a long wait it is not",
  async (t) => {
    const it = desk(t, [AWAY, AWAY, AWAY, AWAY, failure("broken", "no answer")]);
    for (let n = 0; n < 5; n += 1) t.equal((await it.turn()).length, 2);
    t.strictSame(await it.turn(), ["caretaker: completed"]);
    t.equal(it.said.at(-1), "no answer (it is left alone for a while); caretaker takes this cycle");
  },
);

t.test("a completed cycle ends the pauses", async (t) => {
  const spell = [AWAY, AWAY, AWAY, ...SPOILED, ...COMPLETE];
  const it = desk(t, [...spell, ...spell]);
  for (let again = 0; again < 2; again += 1) {
    for (let n = 0; n < 4; n += 1) await it.turn();
    t.strictSame(await it.turn(), ["caretaker: completed"]);
    await it.clock.advance(minutes(15));
    t.strictSame(await it.turn(), ["m: completed"], "after the first pause, not the second");
  }
});

t.test(
  "a limit gives the cycle to the caretaker, with one message a day and none when the day is over",
  async (t) => {
    const monday = failure("limit", "the limit of Monday");
    const tuesday = failure("limit", "the limit of Tuesday");
    const it = desk(t, [monday, monday, ...COMPLETE, tuesday, ...COMPLETE]);
    const last = [];
    for (let n = 0; n < 5; n += 1) last.push((await it.turn()).at(-1));
    t.strictSame(
      last.map((each) => each?.split(":")[0]),
      ["caretaker", "caretaker", "m", "caretaker", "m"],
    );
    t.match(it.messages, [/the limit of Monday\. Until then, caretaker looks after the plants/, /Tuesday/]);
    t.equal(it.messages.length, 2);
  },
);

t.test("a limit that is reached in mid-cycle gives that cycle to the caretaker", async (t) => {
  const it = desk(t, [LOOKS, failure("limit", "the limit of calls")]);
  t.strictSame(await it.turn(), ["m: the limit of calls", "caretaker: completed"]);
  t.equal(it.messages.length, 1);
});

t.test("a restart forgets neither what was told nor who is out", async (t) => {
  const it = desk(t, [AWAY]);
  for (let n = 0; n < 3; n += 1) await it.turn();
  it.restart();
  t.strictSame(await it.turn(), STAND_IN);
  t.equal(it.askedOnce.at(-1), true);
  t.equal(it.messages.length, 1);
});

t.test("a file of the version before is read as it is", async (t) => {
  const it = desk(t, [...COMPLETE]);
  const before = { version: 1, model: "m", failures: 3, isOut: true, told: "m is away", toldLimit: null };
  writeFileSync(join(t.testdirName, "model.json"), JSON.stringify(before));
  it.restart();
  await it.turn();
  t.strictSame(it.askedOnce, [true]);
  t.match(it.messages, [/All is well again/]);
});

t.test("a message that could not be sent is sent after the next cycle", async (t) => {
  const sent = [false, true];
  const texts: string[] = [];
  const tell = async (text: string) => texts.push(text) > 0 && (sent.shift() ?? true);
  const it = desk(t, [failure("person")], { parts: { tell } });
  for (let n = 0; n < 4; n += 1) await it.turn();
  t.equal(texts.length, 2);
});

t.test("another model, or a file that cannot be read, begins anew", async (t) => {
  const it = desk(t, [failure("person")]);
  await it.turn();
  const other = desk(t, COMPLETE, { parts: { model: new Spoken("n", COMPLETE) } });
  t.strictSame(await other.turn(), ["n: completed"]);
  t.strictSame(other.messages, []);
  writeFileSync(join(t.testdirName, "model.json"), "{");
  it.restart();
  t.match(it.said.at(-1), /cannot be read: what the person was told is told again/);
});

t.test("a cycle that fails for another reason than the model says nothing of it", async (t) => {
  const gone: Model = { name: "m", respond: () => Promise.reject(new Error("a defect")) };
  const it = desk(t, [], { parts: { model: gone, failedCycles: 1 } });
  for (let n = 0; n < 3; n += 1) t.strictSame(await it.turn(), ["m: a defect"]);
  t.strictSame([it.messages, it.said], [[], []]);
});

t.test("a dose that is refused is no failure: what counts is that the cycle was completed", async (t) => {
  const waters: Reply = { toolCalls: [...CARES.toolCalls, call("dispense_water", { ml: 20 })] };
  const it = desk(t, [waters, DONE], { answers: { dispense_water: () => fail("SOIL_WET") } });
  t.strictSame(await it.turn(), ["m: completed"]);
});
