import t from "tap";
import { BenchBus, type RoomSensorFaults } from "../../../drivers/bench/bench-bus.js";
import { LeadingClock } from "../../../drivers/bench/bench-clock.js";
import { Bh1750Model } from "../../../drivers/bench/bh1750-model.js";
import { Bh1750, countOf, DEFAULT_TIME, luxOf } from "../../../drivers/chips/bh1750.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { RoomSensor } from "../../../drivers/devices/room-sensor.js";
import { repliesOf } from "./scripted-bus.js";

const time = () => new LeadingClock(new SimulatedClock());

t.test("the datasheet's example, 1000_0011 1001_0000, gives its 28067 lx", async (t) => {
  t.equal(luxOf(countOf([0b1000_0011, 0b1001_0000]), DEFAULT_TIME).toFixed(0), "28067");
});

t.test(
  "a measurement is power on, reset, an empty register, the shortest time, one in the mode H",
  async (t) => {
    const clock = time();
    const { bus, seen } = repliesOf(clock, [
      [0, 0],
      [0x03, 0x84],
    ]);
    t.equal((await new Bh1750(bus, 0x23, clock).measure()).brightness.toFixed(0), "1669");
    t.same(seen, [
      [0, 0x23, 0x01],
      [0, 0x23, 0x07],
      [0, "read", 2],
      [0, 0x23, 0x40],
      [0, 0x23, 0x7f],
      [0, 0x23, 0x20],
      [81, "read", 2],
    ]);
  },
);

function modelled() {
  const clock = time();
  const faults: RoomSensorFaults = {};
  const state = { brightness: 500 };
  const chip = new Bh1750Model({ values: () => state, faults }, clock);
  const sensor = new RoomSensor(new Bh1750(new BenchBus(new Map([[0x5c, chip]])), 0x5c, clock));
  return { clock, faults, state, chip, sensor };
}

t.test("against the model: the brightness within a step, from darkness to full sun", async (t) => {
  const { sensor, state } = modelled();
  for (const brightness of [0, 3, 100, 12_345, 54_000, 120_000]) {
    state.brightness = brightness;
    const { brightness: read = Number.NaN } = await sensor.read();
    t.ok(Math.abs(read - brightness) < 2, `${read} for ${brightness} lx`);
  }
});

t.test("light that fills the data register is no reading", async (t) => {
  const { sensor, state } = modelled();
  state.brightness = 130_000;
  await t.rejects(sensor.read(), { code: "SENSOR_IMPLAUSIBLE", message: /can measure 0 to 1215\d\d/ });
});

t.test("unplugged and stuck are errors that say so, and good again afterwards", async (t) => {
  const { sensor, faults } = modelled();
  await sensor.read();
  for (const [fault, code] of [
    ["unplugged", "BUS_NACK"],
    ["stuck", "SENSOR_STUCK"],
  ] as const) {
    faults.sensor = fault;
    await t.rejects(sensor.read(), { code }, fault);
    delete faults.sensor;
    t.ok(Math.abs(Number((await sensor.read()).brightness) - 500) < 2);
  }
});

t.test(
  "the model takes 120 ms with its default time, sleeps after one, and resets only when it is on",
  async (t) => {
    const { chip, clock } = modelled();
    chip.write([0x20]);
    await clock.sleep(119 as never);
    t.same(chip.read(2), [0, 0]);
    await clock.sleep(1 as never);
    t.same(chip.read(2), [0x02, 0x58]);
    chip.write([0x07]);
    t.same(chip.read(2), [0x02, 0x58], "it is powered down");
    chip.write([0x01]);
    chip.write([0x07]);
    t.same(chip.read(2), [0, 0]);
  },
);
