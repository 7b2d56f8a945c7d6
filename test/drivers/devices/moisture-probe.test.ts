import t from "tap";
import { Ads1115Model } from "../../../drivers/bench/ads1115-model.js";
import { BenchBus } from "../../../drivers/bench/bench-bus.js";
import { LeadingClock } from "../../../drivers/bench/leading-clock.js";
import { Ads1115 } from "../../../drivers/chips/ads1115/ads1115.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { MoistureProbe } from "../../../drivers/devices/moisture-probe.js";
import { volts } from "../../../drivers/units.js";

const CAPACITIVE = { dry: volts(2.7), wet: volts(1.2) };
const RESISTIVE = { dry: volts(0.9), wet: volts(2.9) };

/** A probe whose ADC input gives these voltages, one a conversion. */
function probeAt(levels: readonly number[], calibration = CAPACITIVE): MoistureProbe {
  const clock = new LeadingClock(new SimulatedClock());
  let next = 0;
  const chip = new Ads1115Model(() => volts(levels[next++ % levels.length] ?? Number.NaN), clock);
  return new MoistureProbe(new Ads1115(new BenchBus(new Map([[0x48, chip]])), 0x48, clock), {
    channel: 2,
    calibration,
  });
}

t.test(
  "the calibration fixes the polarity: a capacitive probe reads higher when drier, another lower",
  async (t) => {
    for (const [level, percent] of [
      [2.7, 0],
      [1.95, 50],
      [1.2, 100],
      [1.05, 110],
      [2.85, -10],
    ] as const) {
      t.match(await probeAt([level]).read(), { level, raw: level * 8000, percent }, `${level} V capacitive`);
    }
    t.match(await probeAt([0.9], RESISTIVE).read(), { percent: 0 });
    t.match(await probeAt([2.4], RESISTIVE).read(), { percent: 75 });
  },
);

t.test("percent has one decimal", async (t) => {
  t.match(await probeAt([2]).read(), { percent: 46.7 });
});

t.test("the value is the median and the noise is robust: one wild conversion moves neither", async (t) => {
  const quiet = await probeAt([1.9, 1.901, 1.902, 1.903, 1.904]).read();
  t.match(quiet, { raw: 15_216, noise: Math.ceil(3 * 1.4826 * 8) });
  const spike = await probeAt([1.9, 1.901, 1.902, 1.903, 2.04]).read();
  t.match(spike, { raw: quiet.raw, noise: quiet.noise });
});

t.test("noise is at least 1 count, or no reading could ever be quoted", async (t) => {
  t.match(await probeAt([2]).read(), { noise: 1 });
});

t.test(
  "an open input, a dead probe and a short to the supply are disconnected probes, not dry or wet soil",
  async (t) => {
    for (const level of [0, 0.01, 0.6, 0.79, 3.2, 3.3, 4.2]) {
      await t.rejects(
        probeAt([level]).read(),
        { code: "PROBE_DISCONNECTED", message: /AIN2 of the ADS1115 at 0x48/ },
        `${level} V`,
      );
    }
  },
);

t.test(
  "a voltage more than a quarter of the span outside it is implausible, and its message has the figures",
  async (t) => {
    t.match(await probeAt([3.07]).read(), { percent: -24.7 }, "within the margin");
    const refused = { code: "PROBE_IMPLAUSIBLE", message: /3\.100 V where 1\.2 V is wet and 2\.7 V dry/ };
    await t.rejects(probeAt([3.1]).read(), refused);
    await t.rejects(probeAt([0.7], { dry: volts(1.6), wet: volts(1) }).read(), {
      code: "PROBE_DISCONNECTED",
    });
    await t.rejects(probeAt([0.81], { dry: volts(1.6), wet: volts(1) }).read(), {
      code: "PROBE_IMPLAUSIBLE",
    });
  },
);

t.test("conversions milliseconds apart that disagree by a tenth of the span are no reading", async (t) => {
  t.ok(await probeAt([1.9, 1.9, 2.04]).read());
  await t.rejects(probeAt([1.8, 1.9, 2.0]).read(), {
    code: "PROBE_IMPLAUSIBLE",
    message: /differ by 0\.200 V/,
  });
});
