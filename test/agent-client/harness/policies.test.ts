import t from "tap";
import { plantOf, scenario, simulated } from "./short-run.js";

const PLANTS = ["cactus", "basil"];

t.test("the fools keep every rule of the runtime: nothing is refused, every cycle is complete", async (t) => {
  for (const model of ["never-water", "always-water"]) {
    const { score, model: name } = await simulated({ model, plants: ["basil", "tomato"] });
    t.match({ name, ...score }, { name: model, refusals: 0, ungrounded: 0, incomplete: 0, cycles: 16 });
    t.ok(score.calls > 16 * 4 && score.tokens === 0, `${score.calls} calls`);
  }
});

t.test("one never pours; the other pours as much as a day allows, into every plant", async (t) => {
  const never = await simulated({ model: "never-water", plants: PLANTS });
  const always = await simulated({ model: "always-water", plants: PLANTS });
  for (const id of PLANTS) {
    t.same(plantOf(never, id).doses, []);
    const { doses } = plantOf(always, id);
    t.ok(doses.every(({ ml }) => ml === 25));
    const firstDay = doses.filter(({ at }) => at < "2026-06-02T06:00");
    t.equal(firstDay.length, 20, "500 ml in 24 hours, and not a drop more");
  }
});

t.test("a pot that is full does not answer water: its pump is locked, and the fool is refused", async (t) => {
  const { refusals } = await simulated({ model: "always-water", plants: ["cactus"] });
  t.ok(refusals.length > 0 && refusals.every(({ message }) => message.includes("NO_RESPONSE")));
});

t.test("without a reading they pour nothing: the runtime would refuse it", async (t) => {
  const blind = scenario({ events: [{ day: 0, what: "probe", is: "unplugged" }] });
  const result = await simulated({ model: "always-water", scenario: blind, days: 1 });
  t.same(plantOf(result).doses, []);
  t.notOk(result.refusals.some(({ tool }) => tool === "dispense_water"));
});
