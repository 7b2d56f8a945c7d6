import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { InProcessRuntime } from "../../../agent-client/harness/in-process.js";
import { simulateCommand } from "../../../agent-client/harness/options.js";
import { renderReport } from "../../../agent-client/harness/report/report.js";
import { summaryLines, verdict } from "../../../agent-client/harness/report/summary.js";
import { World } from "../../../agent-client/harness/world.js";
import { Caretaker } from "../../../agent-client/models/caretaker.js";
import { DEFAULT_MODEL } from "../../../agent-client/models/index.js";
import type { Message, Model, Reply } from "../../../agent-client/models/model.js";
import { agentCommand } from "../../../agent-client/options/command.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { openBoard } from "../../../drivers/open-board.js";
import { type EpochMillis, hours, type Millis } from "../../../drivers/units.js";
import { boardConfig } from "../../../runtime/config/schema.js";
import { configSchema } from "../../../runtime/configuration.js";
import { plantOf, scenario, simulated } from "./short-run.js";

const YEAR_2031 = Date.UTC(2031, 2, 1, 6);
/** Instants as JSON holds them: ISO 8601, and milliseconds since 1970 of any year from 2001 to 2065. */
const INSTANTS = /\b\d{4}-\d\d-\d\dT[\d:.]+Z|\b[12]\d{12}(?:\.\d+)?\b/g;

const instantsIn = (text: string): number[] =>
  [...text.matchAll(INSTANTS)].map(([found]) => (found.includes("T") ? Date.parse(found) : Number(found)));

function textsBelow(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files
    .filter(({ name }) => /\.jsonl?$/.test(name))
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
}

const PLANT = { id: "basil", name: "Basil1", species: "basil" };
const worldIn = (state: string, start = YEAR_2031) =>
  World.open({
    plants: [PLANT],
    seed: 1,
    start: start as EpochMillis,
    hydration: 60,
    coarsePictures: true,
    state,
    log: () => undefined,
  });

t.test("two time domains mixed: every instant of a run in 2031 is one of 2031", async (t) => {
  const events = [
    { day: 0.4, what: "message", text: "How is it?" },
    { day: 0.6, what: "lamp", is: "dead", alarm: { words: ["lamp"], within_hours: 3 } },
  ];
  const told: string[] = [];
  const caretaker = new Caretaker();
  const listening: Model = {
    name: "listening",
    respond: (conversation, tools) => {
      told.push(JSON.stringify(conversation));
      return caretaker.respond(conversation, tools);
    },
  };
  const run = { scenario: scenario({ hydration: 42, events }), start: YEAR_2031 };
  const result = await simulated(run, { model: listening });
  const end = YEAR_2031 + hours(48);
  const outside = (text: string, before: Millis) =>
    instantsIn(text).filter((instant) => instant < YEAR_2031 - before || instant > end + hours(24));
  t.ok(
    instantsIn(told.join()).length > 100 && result.plants[0]?.doses.length,
    "there is something to look at",
  );
  t.same(outside(JSON.stringify(result), hours(0)), [], "in the result");
  t.same(
    outside(told.join(), hours(48)),
    [],
    "in all that the model was told, also of the two days it asks back",
  );
  t.notMatch(renderReport(result), /\b20(?!31)\d\d-\d\d-\d\d|\b[A-Z][a-z]{2} 20(?!31)\d\d/, "in the report");
});

t.test("two time domains mixed: every instant in the runtime's journals is simulated", async (t) => {
  const state = t.testdir({});
  const world = await worldIn(state);
  const agent = new InProcessRuntime(world, "agent");
  const person = new InProcessRuntime(world, "human");
  await world.core.sample();
  await agent.call("save_notes", { content: "It likes the window.", mode: "replace" });
  await agent.call("send_message_to_human", { message: "All is well." });
  await person.call("dispense_water", { ml: 20 });
  await person.call("turn_on_light", { minutes: 30 });
  await world.core.mark();
  const end = world.now();
  await world.close();
  const texts = textsBelow(state);
  t.ok(texts.length >= 4, `${texts.length} files`);
  const instants = texts.flatMap(instantsIn);
  t.ok(instants.length > 5, `${instants.length} instants`);
  t.same(
    instants.filter((instant) => instant < YEAR_2031 || instant > end + hours(1)),
    [],
  );
});

t.test("no persistence: ledger, notes and plant are there when the world is opened again", async (t) => {
  const state = t.testdir({});
  const before = await worldIn(state);
  const poured = await new InProcessRuntime(before, "human").call("dispense_water", { ml: 20 });
  t.ok(poured.ok);
  await new InProcessRuntime(before, "agent").call("save_notes", { content: "A note.", mode: "replace" });
  await before.passTo((YEAR_2031 + hours(5)) as EpochMillis);
  const [moisture, truth] = [before.bench.moisture("basil"), before.bench.truth("basil")];
  const closed = before.now();
  await before.close();
  const after = await worldIn(state, closed);
  const agent = new InProcessRuntime(after, "agent");
  t.match(await agent.call("get_water_usage_24h", {}), { ok: true, value: { used_ml: 20 } });
  t.match(await agent.call("fetch_notes", {}), { ok: true, value: { content: "A note." } });
  t.ok(Math.abs(after.bench.moisture("basil") - moisture) < 0.01);
  t.equal(after.bench.truth("basil")?.water.received, truth?.water.received);
  await after.close();
});

const FAILURES: readonly [string, () => Reply, string | RegExp][] = [
  [
    "throws",
    () => {
      throw new Error("no route to the model");
    },
    "no route to the model",
  ],
  ["calls a tool that there is not", () => calling("fly", {}), /stopped without a cleared plant status/],
  ["sends arguments that are no JSON", () => calling("dispense_water", '{"ml": '), /without a cleared/],
  ["asks for an ocean", () => calling("dispense_water", { ml: 1e9 }), /without a cleared/],
];
const calling = (name: string, args: unknown): Reply => ({ toolCalls: [{ id: "1", name, arguments: args }] });

for (const [what, fail, reason] of FAILURES) {
  t.test(`no error recovery: a model that ${what} spoils one cycle, and the next goes on`, async (t) => {
    const caretaker = new Caretaker();
    let cycle = 0;
    const model: Model = {
      name: "stumbling",
      async respond(conversation: readonly Message[], tools) {
        if (conversation.length === 2) cycle += 1;
        if (cycle !== 2) return caretaker.respond(conversation, tools);
        return conversation.length === 2 ? fail() : { toolCalls: [] };
      },
    };
    const { cycles, plants } = await simulated({ days: 1 }, { model });
    t.same(
      cycles.map(({ completed }) => completed),
      [true, false, true, true],
    );
    t.match(cycles[1]?.reason, reason);
    t.equal(plants[0]?.hourly.at.length, 25);
  });
}

t.test(
  "a stub for the real plant that records and then throws: it is refused before anything is recorded",
  async (t) => {
    const state = t.testdir({});
    const config = boardConfig(configSchema.parse({ plants: [{ id: "basil" }] }));
    const options = { clock: new SimulatedClock(), speed: 1, seed: 1, stateFolder: state };
    await t.rejects(openBoard({ ...config, kind: "pi", i2cBus: 99 }, options), {
      code: /BUS_MISSING|PACKAGE_UNAVAILABLE/,
    });
    t.same(readdirSync(state), ["relays.off"], "no dose, no plant, nothing but how to switch off");
  },
);

t.test("two different default models: there is one, for the agent and for simulations", async (t) => {
  const defaultOf = (command: ReturnType<typeof simulateCommand>) =>
    command.options.find(({ long }) => long === "--model");
  t.equal(defaultOf(simulateCommand())?.defaultValue, DEFAULT_MODEL);
  t.match(defaultOf(agentCommand({})), {
    defaultValue: { name: DEFAULT_MODEL },
    defaultValueDescription: DEFAULT_MODEL,
  });
  t.equal((await simulated({ model: DEFAULT_MODEL, days: 1 })).model, DEFAULT_MODEL);
});

t.test(
  "a fresh plant reads as over-watered without saying so: whoever shows it says that it is freshly watered",
  async (t) => {
    const fresh = await simulated({ scenario: scenario({ hydration: 100 }) });
    const plant = plantOf(fresh);
    t.equal(plant.hourly.hydration[0], 100);
    t.ok(100 > plant.good.to);
    for (const words of [verdict(fresh), summaryLines(fresh).join("\n"), renderReport(fresh)])
      t.match(words, /Basil1 began freshly watered, above its good range\s+until dried/);
    t.equal(fresh.score.plants, 100, "and those hours are held against nobody");
    const settled = await simulated();
    t.notMatch(verdict(settled) + renderReport(settled), /freshly watered/);
  },
);
