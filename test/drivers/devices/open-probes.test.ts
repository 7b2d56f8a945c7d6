import t from "tap";
import { Ads1115Model } from "../../../drivers/bench/ads1115-model.js";
import { BenchBus, type BenchChip } from "../../../drivers/bench/bench-bus.js";
import { LeadingClock } from "../../../drivers/bench/bench-clock.js";
import { SeesawModel } from "../../../drivers/bench/seesaw-model.js";
import type { ProbeConfig } from "../../../drivers/board.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { openProbes } from "../../../drivers/devices/open-probes.js";
import { DriverError } from "../../../drivers/errors.js";
import { counts, millis, volts } from "../../../drivers/units.js";

const VOLTS = { dry: volts(2.7), wet: volts(1.2) };
const COUNTS = { dry: counts(200), wet: counts(2000) };
const power = { gpio: 22, settle: millis(100) };
const PROBES: Readonly<Record<string, ProbeConfig>> = {
  basil: { address: 0x48, channel: 0, calibration: VOLTS, power },
  fern: { address: 0x48, channel: 3, calibration: VOLTS, power },
  mint: { chip: "ads1015", address: 0x49, channel: 1, calibration: VOLTS },
  cactus: { chip: "seesaw", address: 0x36, calibration: COUNTS },
};
const PLANTS = Object.entries(PROBES).map(([id, probe]) => ({ id, probe }));

function rig() {
  const clock = new LeadingClock(new SimulatedClock());
  const bus = new BenchBus(
    new Map<number, BenchChip>([
      [0x48, new Ads1115Model((pin) => volts(pin === 0 ? 1.95 : 1.2), clock)],
      [0x49, new Ads1115Model(() => volts(2.7), clock, { model: "ads1015" })],
      [0x36, new SeesawModel({ touch: () => counts(650) }, clock)],
    ]),
  );
  const opened: number[] = [];
  const edges: boolean[] = [];
  const set = async (on: boolean) => void edges.push(on);
  const openPowerPin = async (gpio: number) => {
    opened.push(gpio);
    return { set, close: () => set(false) };
  };
  return { clock, bus, opened, edges, openPowerPin };
}

t.test("every plant gets the probe of its chip, and all can be read at once", async (t) => {
  const { bus, clock, openPowerPin } = rig();
  const probes = await openProbes(PLANTS, bus, clock, openPowerPin);
  t.same([...probes.keys()], Object.keys(PROBES));
  const readings = await Promise.all([...probes.values()].map((probe) => probe.read()));
  t.same(
    readings.map(({ percent, level }) => [percent, level]),
    [
      [50, 1.95],
      [100, 1.2],
      [0, 2.7],
      [25, 650],
    ],
  );
});

t.test("a shared pin is opened once, switched on once for both, and off after the last", async (t) => {
  const { bus, clock, opened, edges, openPowerPin } = rig();
  const probes = await openProbes(PLANTS, bus, clock, openPowerPin);
  t.same([opened, edges], [[22], []], "nothing is fed before it is read");
  await Promise.all([...probes.values()].map((probe) => probe.read()));
  t.same(edges, [true, false]);
});

t.test(
  "a pin that cannot be had keeps the probes from opening; a chip that is not there does not",
  async (t) => {
    const { clock, openPowerPin } = rig();
    const refused = () => Promise.reject(new DriverError("PIN_FAILED", "GPIO 22 is taken"));
    await t.rejects(openProbes(PLANTS, new BenchBus(new Map()), clock, refused), { code: "PIN_FAILED" });
    const probes = await openProbes(PLANTS, new BenchBus(new Map()), clock, openPowerPin);
    for (const probe of probes.values()) await t.rejects(probe.read(), { code: "BUS_NACK" });
  },
);
