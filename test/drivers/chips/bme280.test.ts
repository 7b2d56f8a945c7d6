import t from "tap";
import { BenchBus, type BenchChip, type RoomSensorFaults } from "../../../drivers/bench/bench-bus.js";
import { LeadingClock } from "../../../drivers/bench/bench-clock.js";
import { Bme280Model } from "../../../drivers/bench/bme280-model.js";
import { Bme280, calibrationOf, compensated, resultOf } from "../../../drivers/chips/bme280.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { RoomSensor } from "../../../drivers/devices/room-sensor.js";
import { celsius, hectopascals, percent } from "../../../drivers/units.js";
import { scriptedBus } from "./scripted-bus.js";

const time = () => new LeadingClock(new SimulatedClock());

/** T1 27504, T2 26435, T3 -1000, P1 36477 to P9 6000: Bosch's own example for these formulas [BST-BMP280-DS001, 3.12]. H1 is 75. */
const MAIN = "70 6b 43 67 18 fc 7d 8e 43 d6 d0 0b 27 0b 8c 00 f9 ff 8c 3c f8 c6 70 17 00 4b"
  .split(" ")
  .map((byte) => Number.parseInt(byte, 16));
/** H2 362, H3 0, H4 315, H5 50, H6 30. */
const HUMIDITY = [0x6a, 0x01, 0x00, 0x13, 0x2b, 0x03, 0x1e];
/** adc_P 415148, adc_T 519888: of the same example. adc_H 30000. */
const DATA = [0x65, 0x5a, 0xc0, 0x7e, 0xed, 0x00, 0x75, 0x30];

t.test("the calibration is read from its bytes, the twelve bits of H4 and H5 with their signs", async (t) => {
  t.same(calibrationOf(MAIN, HUMIDITY), {
    t: [27504, 26435, -1000],
    p: [36477, -10685, 3024, 2855, 140, -7, 15500, -14600, 6000],
    h: [75, 362, 0, 315, 50, 30],
  });
  t.same(calibrationOf(MAIN, [0, 0x80, 0, 0xff, 0x7f, 0xf0, 0xff]).h.slice(1), [-32768, 0, -1, -249, -1]);
});

t.test("the datasheet's example gives its 25.08 °C and 1006.53 hPa", async (t) => {
  const { raw } = resultOf([1, 0, 0x24, 0, 0, ...DATA]);
  t.same(raw, { temperature: 519_888, pressure: 415_148, humidity: 30_000 });
  const { temperature, pressure } = compensated(raw, calibrationOf(MAIN, HUMIDITY));
  t.equal(temperature.toFixed(2), "25.08");
  t.equal(pressure.toFixed(2), "1006.53");
});

/** A bus that answers reads from a table by register. */
const scripted = (clock: LeadingClock, registers: Readonly<Record<number, readonly number[]>>) =>
  scriptedBus(clock, ([register = 0], length) => {
    const bytes = registers[register] ?? [];
    t.equal(bytes.length, length, `bytes at 0x${register.toString(16)}`);
    return bytes;
  });

const SOUND = {
  208: [0x60],
  243: [0],
  136: MAIN,
  225: HUMIDITY,
  242: [0x01, 0x00, 0x24, 0x00, 0x00, ...DATA],
};

t.test(
  "a measurement is id, reset, calibration, one sample each in forced mode, ten milliseconds, data",
  async (t) => {
    const clock = time();
    const { bus, seen } = scripted(clock, SOUND);
    const { temperature } = await new Bme280(bus, 0x76, clock).measure();
    t.equal(temperature.toFixed(2), "25.08");
    t.same(seen, [
      [0, 0x76, 0xd0],
      [0, "read", 1],
      [0, 0x76, 0xe0, 0xb6],
      [2, 0x76, 0xf3],
      [2, "read", 1],
      [2, 0x76, 0x88],
      [2, "read", 26],
      [2, 0x76, 0xe1],
      [2, "read", 7],
      [2, 0x76, 0xf2, 0x01, 0xf4, 0x25],
      [12, 0x76, 0xf2],
      [12, "read", 13],
    ]);
  },
);

for (const [what, registers, code, message] of [
  ["a BMP280", { 208: [0x58] }, "SENSOR_UNKNOWN", /is a BMP280 \(id 0x58\), a BME280 says 0x60/],
  ["a chip that nobody knows", { 208: [0x12] }, "SENSOR_UNKNOWN", /says id 0x12/],
  ["a chip that never has its calibration ready", { 243: [1] }, "SENSOR_STUCK", /reading its calibration/],
  ["a blank calibration", { 136: new Array(26).fill(0) }, "SENSOR_IMPLAUSIBLE", /calibration .* blank/],
  [
    "a chip that never ends measuring",
    { 242: [1, 8, 0x25, 0, 0, ...DATA] },
    "SENSOR_STUCK",
    /still measuring/,
  ],
  ["a chip that lost its settings", { 242: [0, 0, 0, 0, 0, ...DATA] }, "SENSOR_STUCK", /told to/],
  [
    "a chip whose registers are as after a reset",
    { 242: [1, 0, 0x24, 0, 0, 0x80, 0, 0, 0x80, 0, 0, 0x80, 0] },
    "SENSOR_STUCK",
    /told to/,
  ],
] as const)
  t.test(`${what} is refused`, async (t) => {
    const clock = time();
    const { bus } = scripted(clock, { ...SOUND, ...registers });
    await t.rejects(new Bme280(bus, 0x77, clock).measure(), { code, message });
    if (code === "SENSOR_STUCK") t.ok(clock.monotonic() < 40, `after ${clock.monotonic()} ms`);
  });

const AIR = { temperature: celsius(21.5), humidity: percent(45), pressure: hectopascals(1013) };

function modelled(air = AIR) {
  const clock = time();
  const faults: RoomSensorFaults = {};
  const state = { air };
  const chip = new Bme280Model({ values: () => state.air, faults }, clock);
  const bus = new BenchBus(new Map<number, BenchChip>([[0x76, chip]]));
  return { clock, faults, state, chip, sensor: new RoomSensor(new Bme280(bus, 0x76, clock)) };
}

t.test(
  "against the model, whose formulas are the datasheet's for whole numbers: the room's air, everywhere",
  async (t) => {
    const { sensor, state } = modelled();
    for (const temperature of [-20, 0, 10.01, 21.5, 40, 60])
      for (const humidity of [5, 45.3, 95])
        for (const pressure of [700, 1013.25, 1050]) {
          state.air = {
            temperature: celsius(temperature),
            humidity: percent(humidity),
            pressure: hectopascals(pressure),
          };
          const read = await sensor.read();
          t.ok(
            Math.abs(Number(read.temperature) - temperature) < 0.02,
            `${read.temperature} for ${temperature} °C`,
          );
          t.ok(Math.abs(Number(read.humidity) - humidity) < 0.05, `${read.humidity} for ${humidity} %`);
          t.ok(Math.abs(Number(read.pressure) - pressure) < 0.05, `${read.pressure} for ${pressure} hPa`);
        }
  },
);

t.test(
  "unplugged, stuck and without calibration it is an error that says so, and good again afterwards",
  async (t) => {
    const { sensor, faults } = modelled();
    await sensor.read();
    for (const [fault, code] of [
      ["unplugged", "BUS_NACK"],
      ["stuck", "SENSOR_STUCK"],
      ["bad calibration", "SENSOR_IMPLAUSIBLE"],
    ] as const) {
      faults.sensor = fault;
      await t.rejects(sensor.read(), { code }, fault);
      delete faults.sensor;
      t.equal((await sensor.read()).temperature?.toFixed(1), "21.5");
    }
  },
);

t.test(
  "the model measures for eight milliseconds, then sleeps; an unasked humidity stays empty",
  async (t) => {
    const { chip, clock } = modelled();
    chip.write([0xf4, 0x25]);
    chip.write([0xf2]);
    t.match(chip.read(3), [0, 0b1001, 0x25], "measuring, and still copying");
    await clock.sleep(8 as never);
    const [hum, status, meas, , , , , , , , , h1, h0] = chip.read(13);
    t.same([hum, status, meas, h1, h0], [0, 0, 0x24, 0x80, 0]);
    chip.write([0xe0, 0x00]);
    chip.write([0xf4]);
    t.same(chip.read(1), [0x24], "only 0xb6 resets it");
  },
);

t.test("a figure that the chip cannot measure is no reading", async (t) => {
  const { sensor, state } = modelled();
  state.air = { ...AIR, pressure: hectopascals(250) };
  await t.rejects(sensor.read(), { code: "SENSOR_IMPLAUSIBLE", message: /pressure of 250.*300 to 1100/ });
});
