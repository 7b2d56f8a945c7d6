import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { DurableFile } from "../../../agent-client/durable-file.js";
import { Failover, type FailoverParts } from "../../../agent-client/models/failover.js";
import type { Message, Model, Reply } from "../../../agent-client/models/model.js";
import { ModelError } from "../../../agent-client/models/model-error.js";
import { standingFile } from "../../../agent-client/models/standing.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { minutes } from "../../../drivers/units.js";
import { never, OPENING } from "./conversations.js";
import { DONE, failure, Spoken } from "./spoken.js";

const CALLS: Reply = { toolCalls: [{ id: "1", name: "read_moisture", arguments: {} }] };
const AFTER: readonly Message[] = [
  ...OPENING,
  { role: "assistant", content: "", toolCalls: CALLS.toolCalls },
];

interface Desk {
  readonly messages: string[];
  readonly said: string[];
  readonly clock: SimulatedClock;
  failover: Failover;
  /** A cycle of one reply, or of two; who had the last word, or why there was none. */
  cycle(replies?: 1 | 2, plant?: string): Promise<string>;
}

function desk(t: Test, model: Model, more: Partial<FailoverParts> = {}): Desk {
  const [messages, said]: [string[], string[]] = [[], []];
  const clock = new SimulatedClock();
  const make = () =>
    new Failover({
      model,
      probe: model,
      fallback: new Spoken("caretaker", [DONE]),
      clock,
      failedCycles: 3,
      file: new DurableFile(join(t.testdirName, "model.json"), standingFile),
      tell: async (message) => messages.push(message) > 0,
      say: (text) => said.push(text),
      ...more,
    });
  t.testdir({});
  const it: Desk = {
    messages,
    said,
    clock,
    failover: make(),
    cycle: async (replies = 1, plant = "basil") => {
      const end = await asked(it.failover, replies, plant);
      const failed = end instanceof ModelError ? { kind: end.kind, message: end.message } : undefined;
      await it.failover.ended(failed ? { failure: failed } : {});
      return end instanceof ModelError ? end.message : end;
    },
  };
  restarts.set(it, () => (it.failover = make()));
  return it;
}

const restarts = new WeakMap<Desk, () => void>();
const restart = (desk: Desk) => restarts.get(desk)?.();

async function asked(failover: Failover, replies: number, plant: string): Promise<string | ModelError> {
  const prompt: Message = { role: "system", content: `Plant 0: ${plant}` };
  try {
    await failover.respond([prompt, ...OPENING.slice(1)], [], never);
    if (replies === 2) await failover.respond([prompt, ...AFTER.slice(1)], [], never);
    return failover.name;
  } catch (error) {
    if (error instanceof ModelError) return error;
    throw error;
  }
}

const AWAY = failure("away", "m is away");

t.test(
  "the caretaker takes each cycle that the model fails from the first on, and after three the person is told once",
  async (t) => {
    const m = new Spoken("m", [AWAY]);
    const it = desk(t, m);
    const course = [await it.cycle(), await it.cycle(), await it.cycle(), await it.cycle(), await it.cycle()];
    t.strictSame(course, ["caretaker", "caretaker", "caretaker", "caretaker", "caretaker"]);
    t.equal(m.asked, 5, "the model is asked first in every cycle");
    t.equal(it.messages.length, 1);
    t.match(
      it.messages[0],
      /The model m is out\.\*\* m is away\. Now caretaker looks after the plants until/,
    );
    t.match(it.said.at(-1), "m is away; caretaker takes this cycle");
  },
);

t.test("a model that is back keeps the cycle that it was asked in, and the person is told", async (t) => {
  const it = desk(t, new Spoken("m", [AWAY, AWAY, AWAY, AWAY, DONE]));
  for (let n = 0; n < 4; n += 1) await it.cycle();
  t.equal(await it.cycle(), "m");
  t.equal(it.messages.length, 2);
  t.match(it.messages[1], /m answers again and takes over from caretaker/);
  t.equal(await it.cycle(), "m");
  t.equal(it.messages.length, 2);
});

t.test("failures that are not in a row add up to nothing", async (t) => {
  const it = desk(t, new Spoken("m", [AWAY, AWAY, DONE, AWAY, AWAY, DONE]));
  for (let n = 0; n < 6; n += 1) await it.cycle();
  t.strictSame(it.messages, []);
});

t.test("what only a person mends is told at once, and the caretaker has that very cycle", async (t) => {
  const it = desk(t, new Spoken("m", [failure("person", "no such model")]));
  t.equal(await it.cycle(), "caretaker");
  t.equal(await it.cycle(), "caretaker");
  t.equal(it.messages.length, 1);
  t.match(it.messages[0], /no such model/);
});

t.test(
  "without a fallback the person is told once, and each cycle fails until the model is back",
  async (t) => {
    const it = desk(t, new Spoken("m", [AWAY, AWAY, AWAY, AWAY, DONE]), { fallback: undefined });
    for (let n = 0; n < 4; n += 1) t.equal(await it.cycle(), "m is away");
    t.equal(it.messages.length, 1);
    t.match(it.messages[0], /nobody looks after the plants.*--fallback caretaker/);
    t.equal(await it.cycle(), "m");
    t.match(it.messages[1], /m answers again\./);
  },
);

t.test(
  "a model that comes back only to fail in mid-cycle is asked after 15, 30, 60 and then every 120 minutes",
  async (t) => {
    const it = desk(
      t,
      new Spoken("m", [AWAY, AWAY, AWAY, CALLS, AWAY, CALLS, AWAY, CALLS, AWAY, CALLS, AWAY, CALLS, AWAY]),
    );
    for (let n = 0; n < 3; n += 1) await it.cycle(2);
    const asked: number[] = [];
    for (let minute = 0; minute < 300; minute += 5) {
      if ((await it.cycle(2)) === "m is away") asked.push(minute);
      await it.clock.advance(minutes(5));
    }
    t.strictSame(asked, [0, 15, 45, 105, 225]);
    t.equal(it.messages.length, 1, "and tells the person nothing new");
  },
);

t.test(
  "however rare cycles are, a plant whose cycle it spoiled has the next one of the caretaker",
  async (t) => {
    const it = desk(
      t,
      new Spoken("m", [AWAY, AWAY, AWAY, CALLS, AWAY, CALLS, AWAY, CALLS, AWAY, CALLS, AWAY]),
    );
    for (let n = 0; n < 3; n += 1) await it.cycle(2);
    const course: string[][] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      course.push([await it.cycle(2, "basil"), await it.cycle(2, "mint")]);
      await it.clock.advance(minutes(12 * 60));
    }
    t.strictSame(course, [
      ["m is away", "caretaker"],
      ["caretaker", "m is away"],
      ["m is away", "caretaker"],
      ["caretaker", "m is away"],
    ]);
  },
);

t.test(
  "a model that hangs when it is asked whether it is back is asked ever more rarely; a refusal costs nothing",
  async (t) => {
    const it = desk(t, new Spoken("m", [AWAY, AWAY, AWAY, failure("broken", "no answer")]));
    for (let n = 0; n < 4; n += 1) await it.cycle();
    t.match(it.said.at(-1), /^no answer; caretaker takes this cycle/);
    t.equal(await it.cycle(), "caretaker");
    t.match(it.said.at(-1), /^no answer \(it is left alone for a while\); caretaker/);
  },
);

t.test("a whole cycle ends the pauses", async (t) => {
  const m = new Spoken("m", [AWAY, AWAY, AWAY, CALLS, AWAY, DONE, AWAY, AWAY, AWAY, CALLS, AWAY, DONE]);
  const it = desk(t, m);
  const spoiled = async () => {
    for (let n = 0; n < 3; n += 1) await it.cycle();
    t.equal(await it.cycle(2), "m is away");
    t.equal(await it.cycle(), "caretaker");
    await it.clock.advance(minutes(15));
    t.equal(await it.cycle(), "m", "after the first pause, not the second");
  };
  await spoiled();
  await spoiled();
});

t.test(
  "a limit gives the cycle to the caretaker, with one message a day and none when the day is over",
  async (t) => {
    const monday = failure("limit", "the limit of Monday");
    const tuesday = failure("limit", "the limit of Tuesday");
    const it = desk(t, new Spoken("m", [monday, monday, DONE, tuesday, DONE]));
    t.strictSame([await it.cycle(), await it.cycle(), await it.cycle()], ["caretaker", "caretaker", "m"]);
    t.strictSame([await it.cycle(), await it.cycle()], ["caretaker", "m"]);
    t.equal(it.messages.length, 2);
    t.match(it.messages, [/the limit of Monday/, /the limit of Tuesday/]);
  },
);

t.test("a limit that is reached in mid-cycle ends it with that reason", async (t) => {
  const it = desk(
    t,
    new Spoken("m", [CALLS, failure("limit", "the limit of calls"), failure("limit", "the limit of calls")]),
  );
  t.equal(await it.cycle(2), "the limit of calls");
  t.equal(await it.cycle(2), "caretaker");
  t.equal(it.messages.length, 1);
});

t.test("a restart forgets neither what was told nor who is out", async (t) => {
  const it = desk(t, new Spoken("m", [AWAY]));
  for (let n = 0; n < 3; n += 1) await it.cycle();
  restart(it);
  t.equal(await it.cycle(), "caretaker");
  t.equal(it.messages.length, 1);
});

t.test("a message that could not be sent is sent after the next cycle", async (t) => {
  const sent = [false, true];
  const texts: string[] = [];
  const tell = async (text: string) => texts.push(text) > 0 && (sent.shift() ?? true);
  const it = desk(t, new Spoken("m", [failure("person")]), { tell });
  for (let n = 0; n < 4; n += 1) await it.cycle();
  t.equal(texts.length, 2);
});

t.test("another model, or a file that cannot be read, begins anew", async (t) => {
  const it = desk(t, new Spoken("m", [failure("person")]));
  await it.cycle();
  const other = desk(t, new Spoken("n", [DONE]));
  t.equal(await other.cycle(), "n");
  t.strictSame(other.messages, []);
  writeFileSync(join(t.testdirName, "model.json"), "{");
  restart(it);
  t.match(it.said.at(-1), /cannot be read: what the person was told is told again/);
});

t.test("a cycle that ends before anybody is asked says nothing of the model", async (t) => {
  const it = desk(t, new Spoken("m", [AWAY, AWAY, DONE]));
  await it.cycle();
  await it.cycle();
  for (let n = 0; n < 3; n += 1) await it.failover.ended({});
  t.strictSame(it.messages, []);
  t.notOk(it.said.some((line) => line.includes("is out")));
});

t.test("a failure that is none of the model's passes through", async (t) => {
  const broken = { name: "m", respond: () => Promise.reject(new Error("a defect")) };
  await t.rejects(desk(t, broken).failover.respond(OPENING, [], never), { message: "a defect" });
});
