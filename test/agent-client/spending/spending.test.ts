import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { Reply } from "../../../agent-client/models/model.js";
import { ModelError } from "../../../agent-client/models/model-error.js";
import { tokensIn } from "../../../agent-client/prompts/prompt.js";
import { areSet, type Limits, priceOf } from "../../../agent-client/spending/limits.js";
import { MeteredModel, Spending, spendingBook } from "../../../agent-client/spending/spending.js";
import { DurableFile } from "../../../agent-client/state/state-folder.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { hours, minutes } from "../../../drivers/units.js";
import { never, OPENING } from "../models/conversations.js";
import { DONE, failure, Spoken } from "../models/spoken.js";

const PRICE = { input: 1, output: 10 };
const ASKED = tokensIn(JSON.stringify([OPENING, []]));

/** A metered model over a folder. */
class Desk {
  readonly warnings: string[] = [];
  readonly clock = new SimulatedClock("2026-06-01T08:00:00.000Z");
  readonly path: string;

  constructor(folder: string) {
    this.path = join(folder, "deep", "spending.json");
  }

  get file() {
    return new DurableFile(this.path, spendingBook);
  }

  /** As after a start of the agent. */
  model(spoken: Spoken, limits: Limits): MeteredModel {
    const spending = new Spending(this.file, limits, this.clock, (text) => this.warnings.push(text));
    return new MeteredModel(spoken, { books: [spending], price: PRICE, clock: this.clock });
  }

  ask(limits: Limits, ...replies: ConstructorParameters<typeof Spoken>[1]): Promise<Reply> {
    return this.model(new Spoken("m", replies), limits).respond(OPENING, [], never);
  }

  get spent() {
    const held = this.file.read();
    return held.is === "value" ? held.value.spent : held.is;
  }

  nextDay(): Promise<void> {
    return this.clock.advance(hours(24));
  }
}

const deskIn = (t: Test) => new Desk(t.testdir({}));
const usage = (input: number, output: number): Reply => ({ toolCalls: [], usage: { input, output } });

t.test("each reply costs a call, its tokens by the provider's counts, its time and its price", async (t) => {
  const desk = deskIn(t);
  const slow = () => desk.clock.advance(minutes(2)).then(() => usage(1000, 200));
  await desk.ask({ calls: 10 }, slow);
  t.strictSame(desk.spent, { calls: 1, tokens: 1200, time: 120_000, money: 0.003 });
});

t.test("tokens from the provider's cache cost their own price, where there is one", async (t) => {
  const read = { input: 1_000_000, output: 100_000 };
  const price = { input: 0.4, output: 1.6 };
  const costs = (cached: number | undefined, more = {}) =>
    priceOf({ ...read, ...(cached !== undefined && { cached }) }, { ...price, ...more }).toFixed(4);
  t.equal(costs(900_000, { cached: 0.1 }), "0.2900");
  t.equal(costs(900_000), "0.5600", "without a price for them, as all others");
  t.equal(costs(undefined, { cached: 0.1 }), "0.5600");
  t.equal(costs(2_000_000, { cached: 0.1 }), "0.5600", "more than was read is no count");
  t.equal(priceOf(read, undefined), 0);
});

t.test("each limit of the four is one that is set, nought too", async (t) => {
  t.notOk(areSet({}));
  t.notOk(areSet({ calls: undefined, money: undefined }));
  for (const name of ["calls", "tokens", "time", "money"]) t.ok(areSet({ [name]: 0 }), name);
  t.ok(areSet({ calls: 1, tokens: 1, time: 1, money: 1 }));
});

t.test("each limit of the four ends a day, and says which it was", async (t) => {
  const table: [Limits, RegExp][] = [
    [{ calls: 2 }, /limit of 2 calls to the model a day is reached on 2026-06-01/],
    [{ tokens: 2400 }, /limit of 2400 tokens/],
    [{ time: minutes(4) }, /limit of 4 minutes of the model's time/],
    [{ money: 0.006 }, /limit of 0\.006 in money/],
  ];
  for (const [limits, message] of table) {
    const desk = deskIn(t);
    const spoken = new Spoken("m", [() => desk.clock.advance(minutes(2)).then(() => usage(1000, 200))]);
    for (let n = 0; n < 2; n += 1) await desk.model(spoken, limits).respond(OPENING, [], never);
    await t.rejects(desk.model(spoken, limits).respond(OPENING, [], never), { kind: "limit", message });
    t.equal(spoken.asked, 2, "the model was not asked");
    await desk.nextDay();
    await desk.model(spoken, limits).respond(OPENING, [], never);
    t.equal(spoken.asked, 3, "the next day it is");
  }
});

t.test("a call is on disk before the model is asked: a crash makes none free", async (t) => {
  const desk = deskIn(t);
  let during: unknown;
  await desk.ask({ calls: 5 }, async () => {
    during = desk.spent;
    return DONE;
  });
  t.strictSame(during, { calls: 1, tokens: ASKED, time: 0, money: ASKED / 1_000_000 });
});

t.test(
  "what no server worked on costs no tokens; what may have been worked on costs the estimate",
  async (t) => {
    for (const [kind, tokens] of [
      ["away", 0],
      ["person", 0],
      ["broken", ASKED],
      ["cycle", ASKED],
    ] as const) {
      const desk = deskIn(t);
      await t.rejects(desk.ask({ calls: 5 }, failure(kind)), { name: "ModelError", kind });
      t.match(desk.spent, { calls: 1, tokens }, kind);
    }
  },
);

t.test("a reply that came and is of no use costs what its provider counts", async (t) => {
  const desk = deskIn(t);
  const unseen = new ModelError("has not seen the tools", "person", { usage: { input: 577, output: 4000 } });
  await t.rejects(desk.ask({ calls: 5 }, unseen), { name: "ModelError" });
  t.match(desk.spent, { calls: 1, tokens: 4577 });
});

t.test("a provider that counts nothing, or zeros, is counted by estimate", async (t) => {
  for (const reply of [
    { text: "abcdef", toolCalls: [] },
    { text: "abcdef", ...usage(0, 0) },
  ]) {
    const desk = deskIn(t);
    await desk.ask({ calls: 5 }, reply);
    t.match(desk.spent, { tokens: ASKED + 2 });
  }
});

t.test("a restart refills nothing", async (t) => {
  const desk = deskIn(t);
  for (let n = 0; n < 2; n += 1) await desk.ask({ calls: 2 }, DONE);
  await t.rejects(desk.ask({ calls: 2 }, DONE), { name: "ModelError", kind: "limit" });
});

t.test(
  "a file that cannot be read counts its day as used up, says so once, and the next day begins anew",
  async (t) => {
    const desk = deskIn(t);
    await desk.ask({ money: 5 }, DONE);
    writeFileSync(desk.path, '{"version": 1, "days": {');
    for (let n = 0; n < 2; n += 1)
      await t.rejects(desk.ask({ money: 5 }, DONE), {
        kind: "limit",
        message: /is unknown.*could not be read/,
      });
    t.equal(desk.warnings.length, 1);
    t.match(desk.warnings[0], /2026-06-01 counts as used up.*delete the file/);
    await desk.nextDay();
    t.equal(await desk.ask({ money: 5 }, DONE), DONE);
  },
);

t.test("a file that a person deleted begins from nothing, also in the middle of a call", async (t) => {
  const desk = deskIn(t);
  await desk.ask({ calls: 1 }, DONE);
  rmSync(desk.path);
  const deleting = async () => {
    rmSync(desk.path);
    return DONE;
  };
  t.equal(await desk.ask({ calls: 1 }, deleting), DONE);
  t.match(desk.spent, { calls: 0 });
});

t.test("what cannot be saved is not asked for", async (t) => {
  const desk = deskIn(t);
  mkdirSync(desk.path, { recursive: true });
  const spoken = new Spoken("m", [DONE]);
  await t.rejects(desk.model(spoken, { calls: 5 }).respond(OPENING, [], never), {
    kind: "person",
    message: /cannot be saved.*--agent-state/,
  });
  t.equal(spoken.asked, 0);
});

t.test("a calendar that goes back refills nothing, also by restarts and back and forth", async (t) => {
  const desk = deskIn(t);
  await desk.ask({ calls: 1 }, DONE);
  for (const step of [hours(-24), hours(-24 * 365 * 50), hours(24 * 365 * 50), hours(24)]) {
    desk.clock.stepWall(step);
    await t.rejects(desk.ask({ calls: 1 }, DONE), { name: "ModelError", kind: "limit" });
  }
  await desk.nextDay();
  t.equal(await desk.ask({ calls: 1 }, DONE), DONE, "the next real day does");
});

t.test(
  "a date that was once far ahead closes the model off for a day of real time, not for ever",
  async (t) => {
    const desk = deskIn(t);
    desk.clock.stepWall(hours(24 * 365));
    const model = desk.model(new Spoken("m", [DONE]), { calls: 1 });
    await model.respond(OPENING, [], never);
    desk.clock.stepWall(hours(-24 * 365));
    for (let hour = 0; hour < 24; hour += 1) {
      await t.rejects(model.respond(OPENING, [], never), { name: "ModelError", kind: "limit" });
      await desk.clock.advance(hours(1));
    }
    t.equal(await model.respond(OPENING, [], never), DONE);
  },
);

t.test("the folder keeps one day, and no half-written file", async (t) => {
  const desk = deskIn(t);
  for (let day = 1; day < 10; day += 1) {
    await desk.ask({ calls: 1 }, DONE);
    await desk.nextDay();
  }
  t.match(desk.file.read(), { value: { day: "2026-06-09", spent: { calls: 1 } } });
  t.strictSame(readdirSync(join(desk.path, "..")), ["spending.json"]);
});

t.test("a disk that fails during a reply does not cost the reply", async (t) => {
  const desk = deskIn(t);
  const breaking = async () => {
    rmSync(desk.path);
    mkdirSync(desk.path);
    return DONE;
  };
  t.equal(await desk.ask({ calls: 5 }, breaking), DONE);
  t.match(desk.warnings.at(-1), /cannot be saved/);
});

t.test("its refusals are a model's failures", async (t) => {
  t.ok(
    (await deskIn(t)
      .ask({ tokens: 1 }, DONE)
      .catch((error: unknown) => error)) instanceof ModelError,
  );
});
