import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { InProcessRuntime } from "../../../agent-client/harness/in-process.js";
import { World } from "../../../agent-client/harness/world.js";
import { type EpochMillis, millilitres, minutes } from "../../../drivers/units.js";
import { happened, plantOf, START, scenario, simulated } from "./short-run.js";

/** A world of one basil with a person and an agent in it; the doses that a report would list. */
async function world(t: Test) {
  const state = await mkdtemp(join(tmpdir(), "tendril-power-cut-"));
  const opened = await World.open({
    plants: [{ id: "basil", name: "Basil1", species: "basil" }],
    seed: 1,
    start: START as EpochMillis,
    hydration: 60,
    coarsePictures: true,
    state,
    log: () => undefined,
  });
  t.teardown(async () => {
    await opened.close();
    await rm(state, { recursive: true, force: true });
  });
  const doses: { ml: number; arrived: number }[] = [];
  const person = new InProcessRuntime(opened, "human", (_, ml, arrived) => doses.push({ ml, arrived }));
  const used = async () => {
    const answer = await person.call("get_water_usage_24h", {});
    return answer.ok ? (answer.value as { used_ml: number }).used_ml : Number.NaN;
  };
  return { world: opened, person, doses, used };
}

t.test(
  "a dose cut short by the power is charged in full, the relay is off, and the next dose flows",
  async (t) => {
    const { world: house, person, doses, used } = await world(t);
    house.cutDuringNextDose(minutes(3), true);
    const cut = await person.call("dispense_water", { ml: 25 });
    t.match(cut, { ok: false, error: { code: "LINK_BROKEN" } });
    t.same(house.bench.pumpEdges("basil"), [], "the pump has not run since");
    t.equal(await used(), 25);
    t.match(doses, [{ ml: 25 }]);
    t.ok((doses[0]?.arrived ?? 99) < 25, "some of it never flowed");
    t.match(await person.call("dispense_water", { ml: 10 }), { ok: true, value: { dispensed: 10 } });
    t.equal(await used(), 35);
  },
);

t.test("only the dose that comes next is cut", async (t) => {
  const { world: house, person, used } = await world(t);
  house.cutDuringNextDose(minutes(1), true);
  await person.call("dispense_water", { ml: 12 });
  for (let dose = 0; dose < 3; dose++) t.match(await person.call("dispense_water", { ml: 12 }), { ok: true });
  t.equal(await used(), 48);
});

t.test(
  "after a cut the world is a new boot later; what was broken is broken, wet is wet, and the tank as full",
  async (t) => {
    const { world: house } = await world(t);
    const { bench } = house;
    Object.assign(bench.faults("basil"), { probe: "stuck", pump: "clogged" });
    bench.tank("basil").left = millilitres(123);
    bench.setInput("leak sensor of basil", true);
    const boot = house.clock.bootId;
    await house.powerCut(minutes(480), true);
    t.not(house.clock.bootId, boot);
    t.equal(house.now() - START, minutes(480));
    t.match(house.bench.faults("basil"), { probe: "stuck", pump: "clogged" });
    t.equal(house.bench.tank("basil").left, 123);
    t.match(house.core.board.inputs(), [{ kind: "leak", plants: ["basil"], active: true }]);
  },
);

t.test("a clock without a battery comes back wrong, and says so; true time went on", async (t) => {
  const { world: house } = await world(t);
  await house.passTo((START + minutes(60)) as EpochMillis);
  await house.powerCut(minutes(480), false);
  t.equal(house.now() - START, minutes(540));
  t.ok(house.clock.now() < START + minutes(60), "where it was saved, before the cut");
  t.notOk(house.clock.synchronised());
});

const CUTS = [
  { day: 0.25, what: "power cut", minutes: 3, during_dose: true },
  { day: 1.3, what: "power cut", minutes: 240, clock_set: false },
];

t.test("a run goes on over its power cuts: hours without power are missing, care is not", async (t) => {
  const result = await simulated({ scenario: scenario({ hydration: 42, events: CUTS }), days: 3 });
  t.same(happened(result), [
    "0.25 the power goes for 3 min, in the middle of the next dose",
    "1.3 the power goes for 240 min",
  ]);
  const { hourly, doses } = plantOf(result);
  t.equal(hourly.at.length, 73 - 4);
  t.notMatch(hourly.at.join(), "2026-06-02T15:00");
  t.ok(doses.length > 1, `${doses.length} doses`);
  t.ok(result.cycles.at(-1)?.completed);
  t.equal(result.score.refusals, 0, "a power cut is no refusal that the agent earned");
});

t.test("a lamp goes out with the power, in the report too", async (t) => {
  const dark = { day: 0, what: "room", daylight: 0.05 };
  const course = (events: readonly object[]) =>
    simulated({ scenario: scenario({ events: [dark, ...events] }) });
  const [lit] = plantOf(await course([])).light;
  const [from, to] = [Date.parse(lit?.from ?? ""), Date.parse(lit?.to ?? "")];
  const middle = (from + (to - from) / 2 - START) / minutes(24 * 60);
  const cut = plantOf(await course([{ day: middle, what: "power cut", minutes: 20 }]));
  t.equal(cut.light[0]?.from, lit?.from);
  t.equal(Date.parse(cut.light[0]?.to ?? ""), Math.round(START + middle * minutes(24 * 60)));
});
