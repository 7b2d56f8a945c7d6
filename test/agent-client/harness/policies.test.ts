import t from "tap";
import { plantOf, scenario, simulated } from "./short-run.js";

const PLANTS = ["cactus", "basil"];

const FOOLS = ["never-water", "always-water", "random-water"];

t.test(
  "the fools look at no plant, yet quote the runtime's own figures and complete every cycle",
  async (t) => {
    for (const model of FOOLS) {
      const { score, model: name } = await simulated({ model, plants: PLANTS });
      t.match({ name, ...score }, { name: model, ungrounded: 0, incomplete: 0, cycles: 16 });
      t.ok(score.calls > 16 * 4 && score.tokens === 0, `${score.calls} calls`);
    }
  },
);

t.test("one never pours; the others pour until the soil is wet, and no further", async (t) => {
  const dry = { plants: PLANTS, scenario: scenario({ hydration: 30 }), days: 6 };
  const poured = Object.fromEntries(
    await Promise.all(FOOLS.map(async (model) => [model, await simulated({ ...dry, model })] as const)),
  );
  for (const id of PLANTS) {
    const [never, always, random] = FOOLS.map((model) => poured[model] && plantOf(poured[model], id));
    t.same(never?.doses, []);
    t.ok(always?.doses.every(({ ml }) => ml === 25));
    t.ok(new Set(random?.doses.map(({ ml }) => ml)).size > 2);
    for (const plant of [always, random]) {
      const { given = 0, drained = 0 } = plant?.score.water ?? {};
      t.ok(given >= 50 && drained <= given / 10, `${drained} of ${given} ml ran out below`);
    }
  }
});

t.test("a fool's whims are the same in the same run", async (t) => {
  const run = { model: "random-water", plants: PLANTS, scenario: scenario({ hydration: 30 }) };
  t.same(plantOf(await simulated(run), "basil").doses, plantOf(await simulated(run), "basil").doses);
});

t.test("without a reading they pour nothing: the runtime would refuse it", async (t) => {
  const blind = scenario({ events: [{ day: 0, what: "probe", is: "unplugged" }] });
  const result = await simulated({ model: "always-water", scenario: blind, days: 1 });
  t.same(plantOf(result).doses, []);
  t.notOk(result.refusals.some(({ tool }) => tool === "dispense_water"));
});
