import t from "tap";
import { BenchBus } from "../../../drivers/bench/bench-bus.js";
import { LeadingClock } from "../../../drivers/bench/bench-clock.js";
import { SeesawModel } from "../../../drivers/bench/seesaw-model.js";
import { Seesaw } from "../../../drivers/chips/seesaw.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { SeesawProbe } from "../../../drivers/devices/seesaw-probe.js";
import { counts } from "../../../drivers/units.js";

const CALIBRATION = { dry: counts(300), wet: counts(1100) };

/** A probe whose sensor gives this count at a millisecond of the test; a request takes five of them. */
function probeAt(level: (ms: number) => number, frozen = () => false): SeesawProbe {
  const clock = new LeadingClock(new SimulatedClock());
  const chip = new SeesawModel({ touch: () => counts(level(clock.monotonic())), frozen }, clock);
  return new SeesawProbe(new Seesaw(new BenchBus(new Map([[0x36, chip]])), 0x36, clock), CALIBRATION);
}

t.test("its level is its count, and more counts are wetter soil", async (t) => {
  for (const [level, percent] of [
    [300, 0],
    [700, 50],
    [1100, 100],
    [1200, 112.5],
  ] as const)
    t.match(await probeAt(() => level).read(), { raw: level, level, percent, noise: 1 });
});

t.test("a count more than a quarter of the span outside it is implausible", async (t) => {
  t.match(await probeAt(() => 100).read(), { percent: -25 });
  await t.rejects(probeAt(() => 99).read(), {
    code: "PROBE_IMPLAUSIBLE",
    message: /seesaw at 0x36 on bench reads 99 where 1100 is wet and 300 dry/,
  });
  await t.rejects(probeAt(() => 1301).read(), { code: "PROBE_IMPLAUSIBLE" });
});

t.test("a bus that repeats the count's bytes does not pass for a sensor", async (t) => {
  let frozen = false;
  const probe = probeAt(
    () => 700,
    () => frozen,
  );
  t.ok(await probe.read());
  frozen = true;
  await t.rejects(probe.read(), { code: "PROBE_STUCK", message: /seesaw at 0x36.*asked what it is/ });
});

t.test(
  "the value is the median of five counts, the noise is robust, and counts that disagree are no reading",
  async (t) => {
    const steps = (ms: number) => 700 + Math.floor(ms / 5);
    t.match(await probeAt(steps).read(), { raw: 703, noise: Math.ceil(3 * 1.4826) });
    const once = (by: number) => (ms: number) => (ms === 15 ? 700 + by : 700);
    t.match(await probeAt(once(80)).read(), { raw: 700, noise: 1 });
    await t.rejects(probeAt(once(81)).read(), { code: "PROBE_IMPLAUSIBLE", message: /differ by 81/ });
  },
);

t.test("measured for a calibration, a count is what it is; what is no seesaw is none", async (t) => {
  t.match(await probeAt(() => 40).measure(), { level: 40, unit: "counts", spread: 0 });
  const frozen = probeAt(
    () => 700,
    () => true,
  );
  await t.rejects(frozen.measure(), { code: "PROBE_STUCK" });
});
