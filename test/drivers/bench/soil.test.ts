import t from "tap";
import { PEAT, Soil } from "../../../drivers/bench/soil.js";
import { hours, type Millis, minutes, seconds } from "../../../drivers/units.js";

const POT = { substrate: PEAT, volume: 1000, surface: 0.01 };
const PACE = { percolation: minutes(2), wetting: hours(6), bypass: 0.5, repellency: 0.2 };
const wetnessOf = (content: number) => (content - PEAT.airDry) / (PEAT.saturation - PEAT.airDry);
const soilAt = (content: number) =>
  new Soil(POT, { bound: content * POT.volume, free: 0, sensed: wetnessOf(content) }, PACE);
/** Of what the pot holds without dripping. */
const fullness = (soil: Soil) => soil.water / (PEAT.containerCapacity * POT.volume);
/** How much wetter it is around the probe than in the pot. */
const excess = (soil: Soil) => soil.wetnessAtProbe - soil.wetness;

function run(soil: Soil, duration: Millis, step: Millis, water = 0): number {
  let drained = 0;
  for (let at = 0; at < duration; at += step) drained += soil.step(step, at === 0 ? water : 0, 0).drained;
  return drained;
}

t.test("a small dose stays in a dry pot: all of it sinks in, none drains", async (t) => {
  const soil = soilAt(0.3);
  t.equal(run(soil, minutes(60), minutes(1), 50), 0);
  t.ok(Math.abs(soil.bound - 350) < 1e-6 && soil.free < 1e-6);
});

t.test("a flooded pot is saturated and ponded, then at container capacity, and stays there", async (t) => {
  const soil = soilAt(0.4);
  const spilled = run(soil, minutes(1), minutes(1), 1500);
  t.equal(soil.wetness, 1);
  t.ok(soil.ponded > 0.9 && soil.ponded <= 1 && spilled > 500, "more than the rim holds runs off");
  run(soil, minutes(30), minutes(1));
  t.ok(Math.abs(fullness(soil) - 1) < 0.001 && soil.ponded < 0.01);
  run(soil, hours(72), minutes(1));
  t.ok(Math.abs(fullness(soil) - 1) < 1e-6);
});

t.test("in moist soil a probe feels the pot, whatever is poured", async (t) => {
  const soil = soilAt(PEAT.wiltingPoint);
  for (const water of [20, 100, 1000]) {
    run(soil, minutes(3), minutes(1), water);
    t.ok(Math.abs(excess(soil)) < 1e-9);
  }
});

t.test("dry soil holds less, and is wetter around the probe, until its dry parts are wetted", async (t) => {
  for (const step of [seconds(10), minutes(1)]) {
    const soil = soilAt(PEAT.airDry);
    run(soil, minutes(20), step, 1200);
    const held = (PEAT.containerCapacity - PEAT.airDry) * (1 - PACE.repellency);
    t.ok(
      Math.abs((soil.bound / POT.volume - PEAT.airDry) / held - 1) < 0.02,
      `${step} ms: holds ${soil.bound}`,
    );
    const before = excess(soil);
    t.ok(before > 0.04, `${before} wetter`);
    run(soil, hours(6), step);
    t.ok(Math.abs(excess(soil) - before / Math.E) < 1e-6, `after six hours ${excess(soil)}`);
    run(soil, hours(48), minutes(1));
    run(soil, minutes(30), step, 1200);
    t.ok(Math.abs(fullness(soil) - 1) < 0.001, "then it holds all that moist soil holds");
  }
});

t.test("below container capacity nothing drains, and roots empty it to the millilitre", async (t) => {
  const soil = soilAt(0.4);
  t.match(soil.step(minutes(1), 0, 3), { sunk: 0, drained: 0 });
  t.equal(soil.bound, 397);
});
