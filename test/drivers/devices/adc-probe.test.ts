import t from "tap";
import { Ads1115Model } from "../../../drivers/bench/ads1115-model.js";
import { BenchBus } from "../../../drivers/bench/bench-bus.js";
import { LeadingClock } from "../../../drivers/bench/bench-clock.js";
import { Ads1115 } from "../../../drivers/chips/ads1115.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { AdcProbe } from "../../../drivers/devices/adc-probe.js";
import { ProbeSupply } from "../../../drivers/devices/probe-supply.js";
import type { I2cBus } from "../../../drivers/ports.js";
import { millis, seconds, volts } from "../../../drivers/units.js";

const CAPACITIVE = { dry: volts(2.7), wet: volts(1.2) };
const RESISTIVE = { dry: volts(0.9), wet: volts(2.9) };

/** A probe whose ADC input gives these voltages, one a conversion. */
function probeAt(levels: readonly number[], calibration = CAPACITIVE): AdcProbe {
  const clock = new LeadingClock(new SimulatedClock());
  let next = 0;
  const chip = new Ads1115Model(() => volts(levels[next++ % levels.length] ?? Number.NaN), clock);
  return new AdcProbe(new Ads1115(new BenchBus(new Map([[0x48, chip]])), 0x48, clock), {
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

/** Frozen after `conversions`, with what the input gave then. */
function freezingProbe(level: number, conversions: number, calibration = CAPACITIVE): AdcProbe {
  const clock = new LeadingClock(new SimulatedClock());
  let made = 0;
  const pins = () => {
    made += 1;
    return volts(level);
  };
  const chip = new Ads1115Model(pins, clock, { frozen: () => made >= conversions });
  const adc = new Ads1115(new BenchBus(new Map([[0x48, chip]])), 0x48, clock);
  return new AdcProbe(adc, { channel: 2, calibration });
}

t.test(
  "a steady voltage is soil; a chip that stands still is not, whatever range it is asked in",
  async (t) => {
    const steady = probeAt([1.9]);
    t.same(await steady.read(), await steady.read());
    for (const level of [1, 1.9, 2.9]) {
      await t.rejects(
        freezingProbe(level, 5).read(),
        { code: "PROBE_STUCK", message: /at ±4\.096 V and \d+ at ±6\.144 V for the same input/ },
        `${level} V`,
      );
    }
  },
);

t.test(
  "a bus that repeats static data is told: whatever is written is read back, and nothing is measured",
  async (t) => {
    const words = new Map<number, number>([[0, 0x983a]]);
    const bus: I2cBus = {
      name: "i2c-stub",
      writeWord: async (_address, register, word) => void words.set(register, word),
      readWord: async (_address, register) => words.get(register) ?? 0,
      write: () => Promise.reject(new Error("no plain transfers")),
      read: () => Promise.reject(new Error("no plain transfers")),
    };
    const clock = new LeadingClock(new SimulatedClock());
    const probe = new AdcProbe(new Ads1115(bus, 0x48, clock), { channel: 0, calibration: CAPACITIVE });
    await t.rejects(probe.read(), { code: "PROBE_STUCK", message: /15000 counts at ±4\.096 V and 15000/ });
  },
);

t.test(
  "a probe calibrated down to 0 V may read 0: there is nothing to tell a standing chip by",
  async (t) => {
    t.match(await freezingProbe(0, 5, { dry: volts(0), wet: volts(2.5) }).read(), { raw: 0, percent: 0 });
  },
);

t.test(
  "an ADS1015 reads the same soil in coarser steps, and its noise is at least one of them",
  async (t) => {
    const clock = new LeadingClock(new SimulatedClock());
    const chip = new Ads1115Model(() => volts(1.95), clock, { model: "ads1015" });
    const adc = new Ads1115(new BenchBus(new Map([[0x48, chip]])), 0x48, clock, "ADS1015");
    const probe = new AdcProbe(adc, { channel: 0, calibration: CAPACITIVE });
    t.match(await probe.read(), { raw: 15_600, level: 1.95, percent: 50, noise: 16 });
  },
);

/** A probe behind a power pin; `output` is what it gives, with the time since the pin's last edge. */
function poweredProbe(output: (on: boolean, since: number) => number) {
  const clock = new LeadingClock(new SimulatedClock());
  let [on, since] = [false, 0];
  const set = async (state: boolean) => {
    [on, since] = [state, clock.monotonic()];
  };
  const chip = new Ads1115Model(() => volts(output(on, clock.monotonic() - since)), clock);
  const adc = new Ads1115(new BenchBus(new Map([[0x48, chip]])), 0x48, clock);
  const supply = new ProbeSupply({ set, close: () => set(false) }, clock);
  const wiring = { channel: 0, calibration: CAPACITIVE } as const;
  const probe = new AdcProbe(adc, wiring, { supply, settle: millis(500) });
  return { clock, probe, isOn: () => on };
}

/** 1.95 V while fed; then it drains through a megohm from a microfarad. */
const draining = (on: boolean, since: number) => (on ? 1.95 : 1.95 * Math.exp(-since / 1000));

t.test("a fed probe reads while its pin is on, and is off before and after", async (t) => {
  const { probe, isOn } = poweredProbe(draining);
  t.match(await probe.read(), { percent: 50 });
  t.equal(isOn(), false);
});

t.test(
  "readings in quick succession, before the probe has drained, prove nothing and are not refused",
  async (t) => {
    const { probe } = poweredProbe(draining);
    for (let n = 0; n < 3; n++) t.match(await probe.read(), { percent: 50 });
  },
);

t.test(
  "a minute later the drained probe shows that its supply matters; one that does not need it is stuck",
  async (t) => {
    const live = poweredProbe(draining);
    await live.clock.sleep(seconds(60));
    t.match(await live.probe.read(), { percent: 50 });
    const stuck = poweredProbe(() => 1.95);
    await stuck.clock.sleep(seconds(60));
    await t.rejects(stuck.probe.read(), {
      code: "PROBE_STUCK",
      message: /reads 1\.950 V with its supply and 1\.950 V without/,
    });
    t.equal(stuck.isOn(), false);
  },
);

t.test(
  "measured for a calibration, a level is what it is: outside of the old one, and of an open input too",
  async (t) => {
    t.match(await probeAt([3.1]).measure(), { level: 3.1, raw: 24_800, unit: "V", spread: 0 });
    t.notOk((await probeAt([3.1]).measure()).resembles);
    t.match(await probeAt([0.6]).measure(), { level: 0.6, resembles: "open input" });
    t.match(await probeAt([3.25]).measure(), { resembles: "supply" });
    const { spread } = await probeAt([1.9, 1.901, 1.902, 1.903, 2.4]).measure();
    t.ok(Math.abs(spread - 0.5) < 0.001, `conversions differ by ${spread} V`);
  },
);
