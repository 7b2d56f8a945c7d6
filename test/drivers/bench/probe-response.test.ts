import t from "tap";
import { ProbeResponse, probeNoise, REFERENCE_TEMPERATURE } from "../../../drivers/bench/probe-response.js";
import { type EpochMillis, hours, minutes } from "../../../drivers/units.js";
import { CALIBRATION } from "./grow.js";

const CHARACTER = { lag: minutes(3), drift: -0.002 };

t.test("air-dry soil gives the dry end of the calibration, saturated soil the wet end", async (t) => {
  for (const [wetness, volts] of [
    [0, 2.75],
    [1, 1.2],
    [0.5, 1.975],
  ] as const)
    t.ok(Math.abs(new ProbeResponse(wetness, REFERENCE_TEMPERATURE).level(CALIBRATION) - volts) < 1e-9);
});

t.test("it follows its soil as a first-order lag does, whatever the step", async (t) => {
  for (const step of [minutes(0.1), minutes(1), minutes(3)]) {
    const probe = new ProbeResponse(0, REFERENCE_TEMPERATURE, CHARACTER);
    for (let at = 0; at < minutes(3) - 1; at += step) probe.step(step, 1, REFERENCE_TEMPERATURE);
    t.ok(Math.abs(probe.sensed - (1 - 1 / Math.E)) < 1e-9, `${step} ms`);
  }
});

t.test("it drifts with the temperature of the soil, which follows the air in hours", async (t) => {
  const probe = new ProbeResponse(0.5, REFERENCE_TEMPERATURE, CHARACTER);
  const before = probe.level(CALIBRATION);
  probe.step(minutes(1), 0.5, REFERENCE_TEMPERATURE + 10);
  t.ok(before - probe.level(CALIBRATION) < 0.001, "not at once");
  for (let hour = 0; hour < 24; hour++) probe.step(hours(1), 0.5, REFERENCE_TEMPERATURE + 10);
  t.ok(Math.abs(before - probe.level(CALIBRATION) - 0.02) < 1e-6);
});

t.test("its noise is a millivolt, and that of an instant is always the same", async (t) => {
  const noises = Array.from({ length: 2000 }, (_, at) => probeNoise(1, at as EpochMillis));
  const deviation = Math.sqrt(noises.reduce((sum, volts) => sum + volts ** 2, 0) / noises.length);
  t.ok(deviation > 0.00095 && deviation < 0.00105, `${deviation} V`);
  t.equal(probeNoise(1, 5 as EpochMillis), noises[5]);
});
