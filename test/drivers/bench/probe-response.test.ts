import t from "tap";
import { ProbeResponse, probeNoise, REFERENCE_TEMPERATURE } from "../../../drivers/bench/virtual-plant.js";
import { type EpochMillis, hours, minutes } from "../../../drivers/units.js";
import { CALIBRATION } from "./grow.js";

const CHARACTER = { drift: -0.002 };

t.test("air-dry soil gives the dry end of the calibration, saturated soil the wet end", async (t) => {
  const probe = new ProbeResponse(REFERENCE_TEMPERATURE);
  for (const [wetness, volts] of [
    [0, 2.75],
    [1, 1.2],
    [0.5, 1.975],
  ] as const)
    t.ok(Math.abs(probe.level(CALIBRATION, wetness) - volts) < 1e-9);
});

t.test("it drifts with the temperature of the soil, which follows the air in hours", async (t) => {
  const probe = new ProbeResponse(REFERENCE_TEMPERATURE, CHARACTER);
  const level = () => probe.level(CALIBRATION, 0.5);
  const before = level();
  probe.step(minutes(1), REFERENCE_TEMPERATURE + 10);
  t.ok(before - level() < 0.001, "not at once");
  for (let hour = 0; hour < 24; hour++) probe.step(hours(1), REFERENCE_TEMPERATURE + 10);
  t.ok(Math.abs(before - level() - 0.02) < 1e-6);
});

t.test("its noise is a millivolt, and that of an instant is always the same", async (t) => {
  const noises = Array.from({ length: 2000 }, (_, at) => probeNoise(1, at as EpochMillis));
  const deviation = Math.sqrt(noises.reduce((sum, volts) => sum + volts ** 2, 0) / noises.length);
  t.ok(deviation > 0.00095 && deviation < 0.00105, `${deviation} V`);
  t.equal(probeNoise(1, 5 as EpochMillis), noises[5]);
});
