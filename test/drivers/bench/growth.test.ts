import t from "tap";
import { type Condition, live, stressOf } from "../../../drivers/bench/growth.js";
import { speciesNamed } from "../../../drivers/bench/species.js";

const BASIL = speciesNamed("basil");
const healthy = (): Condition => ({
  canopy: 0.5,
  turgor: 1,
  yellowing: 0,
  vigour: 100,
  soaked: 0,
  lightIntegral: 10,
});
const GOOD = { supply: 1, hydration: 60, light: 116, temperature: 21 };

function livesOn(condition: Condition, days: number, living = GOOD): Condition {
  for (let step = 0; step < days * 1440; step++)
    live(BASIL, condition, stressOf(BASIL, condition, living), living, 1 / 60);
  return condition;
}

t.test("in good care nothing stresses it, and it grows", async (t) => {
  t.same(stressOf(BASIL, healthy(), GOOD), { drought: 0, waterlogging: 0, light: 0, temperature: 0 });
  const { canopy, vigour } = livesOn(healthy(), 10);
  t.ok(canopy > 0.6 && canopy < 0.65 && vigour === 100, `${canopy}`);
});

t.test("its light integral is the light of a day: 116 µmol/(m² s) all day are 10 mol/m²", async (t) => {
  const { lightIntegral } = livesOn({ ...healthy(), lightIntegral: 0 }, 7);
  t.ok(Math.abs(lightIntegral - 10.02) < 0.05, `${lightIntegral}`);
});

t.test("each stress shows under its own name", async (t) => {
  const names = (stress: object) =>
    Object.entries(stress).flatMap(([name, share]) => (share > 0 ? [name] : []));
  t.same(names(stressOf(BASIL, healthy(), { ...GOOD, supply: 0.4 })), ["drought"]);
  t.same(names(stressOf(BASIL, { ...healthy(), soaked: 100 }, GOOD)), ["waterlogging"]);
  for (const lightIntegral of [1, 40])
    t.same(names(stressOf(BASIL, { ...healthy(), lightIntegral }, GOOD)), ["light"]);
  for (const temperature of [10, 36])
    t.same(names(stressOf(BASIL, healthy(), { ...GOOD, temperature })), ["temperature"]);
});

t.test("roots bear wet soil for three days, suffer after them, and air out within days", async (t) => {
  const wet = { ...GOOD, hydration: 100 };
  const condition = livesOn(healthy(), 2.9, wet);
  t.equal(stressOf(BASIL, condition, wet).waterlogging, 0);
  livesOn(condition, 4, wet);
  t.equal(stressOf(BASIL, condition, wet).waterlogging, 1);
  livesOn(condition, 4);
  t.equal(stressOf(BASIL, condition, GOOD).waterlogging, 0);
});

t.test("damage heals, slowly: a week of drought's harm takes weeks, and death is for good", async (t) => {
  const harmed = livesOn(healthy(), 3, { ...GOOD, supply: 0 });
  t.ok(harmed.vigour > 30 && harmed.vigour < 50 && harmed.turgor < 0.01 && harmed.yellowing > 0.4);
  livesOn(harmed, 2);
  t.ok(harmed.turgor > 0.99 && harmed.vigour < 60 && harmed.yellowing > 0.3, "firm at once, still marked");
  livesOn(harmed, 40);
  t.ok(harmed.vigour === 100 && harmed.yellowing < 0.1);
  const dead = livesOn(healthy(), 6, { ...GOOD, supply: 0 });
  t.equal(livesOn(dead, 30).vigour, 0);
  t.ok(dead.turgor < 0.01 && dead.yellowing > 0.99);
});
