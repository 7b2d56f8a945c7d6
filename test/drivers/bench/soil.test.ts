import t from "tap";
import { Soil } from "../../../drivers/bench/soil.js";
import { PEAT } from "../../../drivers/bench/substrate.js";
import { hours, type Millis, minutes, seconds } from "../../../drivers/units.js";

const POT = { substrate: PEAT, volume: 1000, surface: 0.01 };
const PACE = { percolation: minutes(2), drainage: hours(6) };
const soilAt = (content: number) => new Soil(POT, content * POT.volume, 0, PACE);

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

t.test(
  "a flooded pot is saturated and ponded, then at container capacity, then at field capacity",
  async (t) => {
    const soil = soilAt(0.4);
    const spilled = run(soil, minutes(1), minutes(1), 1500);
    t.equal(soil.wetness, 1);
    t.ok(soil.ponded > 0.9 && soil.ponded <= 1 && spilled > 500, "more than the rim holds runs off");
    run(soil, minutes(20), minutes(1));
    t.ok(Math.abs(soil.water / POT.volume - PEAT.containerCapacity) < 0.01 && soil.ponded < 0.01);
    run(soil, hours(72), minutes(1));
    t.ok(Math.abs(soil.availability - 1) < 0.001);
  },
);

t.test("it drains as the exponential says, whatever the step", async (t) => {
  const above = PEAT.containerCapacity - PEAT.fieldCapacity;
  for (const step of [seconds(1), seconds(10), minutes(1)]) {
    const soil = soilAt(PEAT.containerCapacity);
    run(soil, hours(6), step);
    const left = soil.water / POT.volume - PEAT.fieldCapacity;
    t.ok(Math.abs(left - above / Math.E) < 1e-9, `${step} ms`);
  }
});

t.test("below field capacity nothing drains, and roots empty it to the millilitre", async (t) => {
  const soil = soilAt(0.4);
  t.match(soil.step(minutes(1), 0, 3), { sunk: 0, drained: 0 });
  t.equal(soil.bound, 397);
});
