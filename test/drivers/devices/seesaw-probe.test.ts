import t from "tap";
import { BenchBus } from "../../../drivers/bench/bench-bus.js";
import { LeadingClock } from "../../../drivers/bench/leading-clock.js";
import { SeesawModel } from "../../../drivers/bench/seesaw-model.js";
import { Seesaw } from "../../../drivers/chips/seesaw/seesaw.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { SeesawProbe } from "../../../drivers/devices/seesaw-probe.js";
import { counts } from "../../../drivers/units.js";

const CALIBRATION = { dry: counts(300), wet: counts(1100) };

/** A probe whose sensor gives these counts, one a request. */
function probeAt(levels: readonly number[], frozen = () => false): SeesawProbe {
  const clock = new LeadingClock(new SimulatedClock());
  let next = 0;
  const touch = () => counts(levels[Math.floor(next++ / 4) % levels.length] ?? Number.NaN);
  const chip = new SeesawModel({ touch, frozen }, clock);
  return new SeesawProbe(new Seesaw(new BenchBus(new Map([[0x36, chip]])), 0x36, clock), CALIBRATION);
}

t.test("its level is its count, and more counts are wetter soil", async (t) => {
  for (const [level, percent] of [
    [300, 0],
    [700, 50],
    [1100, 100],
    [1200, 112.5],
  ] as const)
    t.match(await probeAt([level]).read(), { raw: level, level, percent, noise: 1 });
});

t.test("a count more than a quarter of the span outside it is implausible", async (t) => {
  t.match(await probeAt([100]).read(), { percent: -25 });
  await t.rejects(probeAt([99]).read(), {
    code: "PROBE_IMPLAUSIBLE",
    message: /seesaw at 0x36 on bench reads 99 where 1100 is wet and 300 dry/,
  });
  await t.rejects(probeAt([1301]).read(), { code: "PROBE_IMPLAUSIBLE" });
});

t.test("a bus that repeats the count's bytes does not pass for a sensor", async (t) => {
  let frozen = false;
  const probe = probeAt([700], () => frozen);
  t.ok(await probe.read());
  frozen = true;
  await t.rejects(probe.read(), { code: "PROBE_STUCK", message: /seesaw at 0x36.*asked what it is/ });
});
