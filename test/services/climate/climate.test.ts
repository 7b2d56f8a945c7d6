import { setImmediate } from "node:timers/promises";
import t from "tap";
import { ROOM_CHIP_NAMES } from "../../../drivers/devices/room-sensor.js";
import { hours, minutes } from "../../../drivers/units.js";
import { parseConfig } from "../../../runtime/configuration.js";
import { rigFor } from "../../rig.js";

const ONE = "climate: [{ place: Kitchen }]";
const TWO = "climate: [{ place: Kitchen }, { place: attic, address: 0x77 }]";
const BRIGHT = "climate: [{ place: Kitchen }, { place: window, chip: bh1750, address: 0x5c }]";
const START = "2026-06-01T12:00:00.000Z";
const CHIPS = ROOM_CHIP_NAMES.map((chip) => `"${chip}"`).join(" or ");

t.test(
  "without a sensor in the configuration its tools are not there, nor anything in the overview",
  async (t) => {
    const rig = await rigFor(t);
    const names = rig.core.registry.list({ name: "human", role: "human" }).map(({ name }) => name);
    t.notOk(names.some((name) => name.includes("climate")));
    t.notOk("climate" in (await rig.get("get_overview", {}, { as: "human" })));
  },
);

t.test("the air of the simulated room is read through the chip's bytes", async (t) => {
  const rig = await rigFor(t, { config: ONE, start: START });
  const air = rig.bench.room.at(rig.clock.world());
  const read = await rig.get("read_climate", {}, { as: "observer" });
  t.match(read, { place: "Kitchen", timestamp: START });
  t.ok(Math.abs(Number(read.temperature_c) - air.temperature) < 0.05);
  t.ok(Math.abs(Number(read.humidity_percent) - air.humidity) < 0.1);
  t.ok(Math.abs(Number(read.pressure_hpa) - rig.bench.room.pressureAt(rig.clock.world())) < 0.1);
  rig.bench.room.change = { temperature: 5, humidity: 0, daylight: 1 };
  const warmer = await rig.get("read_climate", { place: "kitchen" });
  t.ok(Math.abs(Number(warmer.temperature_c) - Number(read.temperature_c) - 5) < 0.05);
});

t.test("a chip gives what it measures, and no field for the rest", async (t) => {
  const rig = await rigFor(t, { config: BRIGHT, start: START });
  await rig.passSampling(minutes(10), minutes(1));
  const read = await rig.get("read_climate", { place: "window" });
  t.same(Object.keys(read).sort(), ["brightness_lux", "place", "timestamp"]);
  const { daylight } = rig.bench.room.at(rig.clock.world());
  t.ok(Math.abs(Number(read.brightness_lux) - 54 * daylight) < 3, `${read.brightness_lux} lx`);
  const mean = (place: string, value_field: string) => ({
    place,
    value_field,
    aggregation: "mean",
    hours: 1,
  });
  t.match(await rig.get("get_climate_history", mean("window", "brightness_lux")), {
    coverage: { records: 12 },
  });
  t.match(await rig.refused("get_climate_history", mean("window", "temperature_c")), {
    code: "UNKNOWN_FIELD",
    message: /brightness_lux/,
  });
  t.match(await rig.refused("get_climate_history", mean("Kitchen", "brightness_lux")), {
    code: "UNKNOWN_FIELD",
  });
  t.match(await rig.get("get_overview", {}, { as: "human" }), {
    climate: [
      { measures: ["temperature_c", "humidity_percent", "pressure_hpa"] },
      { measures: ["brightness_lux"] },
    ],
  });
});

t.test("a place that is not there is refused with those that are", async (t) => {
  const rig = await rigFor(t, { config: TWO });
  for (const tool of ["read_climate", "get_climate_history"])
    t.match(await rig.refused(tool, { place: "cellar" }), {
      code: "UNKNOWN_PLACE",
      details: { places: ["Kitchen", "attic"] },
    });
});

t.test("each round of the sampler is kept, and history gives it back in buckets", async (t) => {
  const rig = await rigFor(t, { config: TWO, start: START });
  await rig.passSampling(hours(2), minutes(10));
  const history = (args: object) =>
    rig.get("get_climate_history", { hours: 2, samples_per_hour: 1, ...args });
  const mean = (field: string) => history({ aggregation: "mean", value_field: field });
  t.match(await mean("temperature_c"), { coverage: { records: 12 }, items: [{ count: 6 }, { count: 6 }] });
  t.match(await history({ aggregation: "last", place: "attic" }), {
    items: [Object, { temperature_c: Number, humidity_percent: Number, pressure_hpa: Number }],
  });
  const { code } = await rig.refused("get_climate_history", { aggregation: "mean", value_field: "percent" });
  t.equal(code, "UNKNOWN_FIELD");
  await rig.restart();
  t.match(await history({ aggregation: "count" }), { coverage: { records: 13 } }, "and after a restart");
});

for (const [fault, cause] of [
  ["unplugged", "BUS_NACK"],
  ["stuck", "SENSOR_STUCK"],
  ["bad calibration", "SENSOR_IMPLAUSIBLE"],
] as const)
  t.test(
    `a sensor that is ${fault} is a fault with its last good reading, logged once, and keeps no other from being read`,
    async (t) => {
      const rig = await rigFor(t, { config: TWO, start: START });
      rig.bench.roomSensorFaults("Kitchen").sensor = fault;
      await rig.passSampling(minutes(3), minutes(1));
      t.match(await rig.refused("read_climate"), {
        code: "SENSOR_FAULT",
        retryable: true,
        details: { cause, last_good: { place: "Kitchen", timestamp: START } },
      });
      t.ok(await rig.get("read_climate", { place: "attic" }));
      t.ok(await rig.get("read_moisture"), "the probe on the same bus");
      t.match(await rig.get("get_overview", {}, { as: "human" }), {
        climate: [
          { place: "Kitchen", reading: { timestamp: START }, fault: { code: cause } },
          { fault: null },
        ],
      });
      t.equal(rig.log.filter((line) => line.startsWith("warn sampling failed")).length, 1);
      delete rig.bench.roomSensorFaults("Kitchen").sensor;
      await rig.passSampling(minutes(1), minutes(1));
      t.match(rig.log.at(-1), /^info sampling works again {"place":"Kitchen"}/);
      t.match(await rig.get("get_overview", {}, { as: "human" }), { climate: [{ fault: null }, {}] });
    },
  );

t.test("a sensor that takes long delays no other", async (t) => {
  const rig = await rigFor(t, { config: TWO });
  const seen: string[] = [];
  const reading = { temperature: 21, humidity: 45, pressure: 1013 };
  for (const [place, sensor] of rig.core.board.climate)
    t.intercept(sensor, "read", {
      value: async () => {
        seen.push(`${place} is asked`);
        await setImmediate();
        seen.push(`${place} answers`);
        return reading;
      },
    });
  await rig.core.sample();
  t.same(seen, ["Kitchen is asked", "attic is asked", "Kitchen answers", "attic answers"]);
});

t.test("a figure of a fault is never kept", async (t) => {
  const rig = await rigFor(t, { config: ONE, start: START });
  rig.bench.roomSensorFaults("Kitchen").sensor = "stuck";
  await rig.passSampling(minutes(5), minutes(1));
  const { coverage } = await rig.get("get_climate_history", { aggregation: "count", hours: 1 });
  t.match(coverage, { records: 1 });
});

t.test("switched off, it reads nothing", async (t) => {
  const rig = await rigFor(t, { config: `${ONE}\nmodules: { climate: false }` });
  t.match(await rig.call("read_climate"), { ok: false });
  t.notOk("climate" in (await rig.get("get_overview", {}, { as: "human" })));
});

t.test("two sensors share neither their place nor their address", async (t) => {
  for (const [yaml, told] of [
    ["climate: [{ place: a }, { place: A, address: 0x77 }]", /climate\[1\]\.place: is that of climate\[0\]/],
    ["climate: [{ place: a }, { place: b }]", /climate\[1\]\.address: is that of climate\[0\]/],
    ["climate: [{ place: a, address: 0x75 }]", /climate\[0\]\.address: must be 0x76 or 0x77/],
    ["climate: [{ place: a, chip: bmp280 }]", `climate[0].chip: must be ${CHIPS}`],
    ["climate: [{ place: a, chip: bh1750, address: 0x76 }]", /climate\[0\]\.address: must be 0x23 or 0x5c/],
    ["climate: [{ chip: bme280 }]", /climate\[0\]\.place/],
  ] as const)
    t.throws(() => parseConfig(yaml, "climate.yaml"), { message: told });
});
