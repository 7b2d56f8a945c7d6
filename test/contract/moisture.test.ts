import { join } from "node:path";
import t from "tap";
import { minutes } from "../../drivers/units.js";
import { Database } from "../../runtime/store/database.js";
import { rigFor } from "../rig.js";

const SEESAW = "plants: [{ id: basil, species: basil, probe: { chip: seesaw, power_gpio: 22 } }]";

t.test(
  "a chip that stands still is a fault with the last good reading, and keeps water from flowing",
  async (t) => {
    const rig = await rigFor(t);
    await rig.status([{ action: "water", value: 20 }]);
    const { value } = await rig.get("read_moisture");
    rig.bench.faults("basil").probe = "frozen";
    t.match(await rig.refused("read_moisture"), {
      code: "PROBE_FAULT",
      message: /for the same input: it does not measure \(PROBE_STUCK\)/,
      details: { cause: "PROBE_STUCK", quality: "implausible", last_good: { value, quality: "stale" } },
    });
    t.equal((await rig.refused("dispense_water", { ml: 20 })).code, "PROBE_FAULT");
    delete rig.bench.faults("basil").probe;
    await rig.get("read_moisture");
    await rig.water(20);
  },
);

t.test(
  "the log tells of a probe at fault in the hardware's words, and of no place in the program",
  async (t) => {
    const rig = await rigFor(t);
    rig.bench.faults("basil").probe = "unplugged";
    await rig.core.sample();
    await rig.refused("read_moisture");
    const told = rig.log.filter((line) => line.includes("(PROBE_DISCONNECTED)"));
    t.match(told, [
      /^warn sampling failed .*"error":"the probe on AIN0 .*: plug the probe in and check its cable/,
      /^info call refused .*"cause":"the probe on AIN0 .*: plug the probe in and check its cable/,
    ]);
    t.notMatch(told.join("\n"), /\.js:|\.ts:/);
  },
);

t.test("a plant with a seesaw is cared for as others are: its counts are the readings", async (t) => {
  const rig = await rigFor(t, { config: SEESAW, hydration: 50 });
  const reading = await rig.get("read_moisture");
  t.ok(Number(reading.value) > 200 && Number(reading.value) < 2000, `${reading.value} counts`);
  await rig.passSampling(minutes(20));
  t.same(await rig.status([{ action: "water", value: 20 }]), { proceed: true });
  await rig.water(20);
  await rig.passSampling(minutes(20));
  t.ok(Number((await rig.get("read_moisture")).percent) > Number(reading.percent));
  const course = { hours: 1, samples_per_hour: 1, aggregation: "last" };
  const { items } = await rig.get("get_moisture_history", course);
  t.match(items, [{ level: Number }]);
  rig.bench.faults("basil").probe = "unplugged";
  t.match(await rig.refused("read_moisture"), { details: { cause: "BUS_NACK", quality: "disconnected" } });
});

t.test(
  "a person who calibrates is told what the probe gives, whatever it is, and nothing comes of it",
  async (t) => {
    const rig = await rigFor(t);
    const HUMAN = { as: "human" } as const;
    const kept = async () =>
      (await rig.get("get_moisture_history", { hours: 1, aggregation: "last" })).coverage;
    const before = await kept();
    const air = await rig.get("measure_probe", { place: "air" }, HUMAN);
    t.match(air, { unit: "V", dry: 2.75, wet: 1.2, resembles: null, spread: Number, timestamp: String });
    t.ok(Math.abs(Number(air.level) - 2.75) < 0.01, `${air.level} V in air`);
    t.ok(Math.abs(Number((await rig.get("measure_probe", { place: "water" }, HUMAN)).level) - 1.2) < 0.01);
    rig.bench.faults("basil").probe = "unplugged";
    t.match(await rig.get("measure_probe", { place: "pot" }, HUMAN), { resembles: "open input" });
    t.match(await kept(), { records: (before as { records: number }).records });
    delete rig.bench.faults("basil").probe;
    await rig.get("measure_probe", { place: "air" }, HUMAN);
    t.ok(
      Number((await rig.get("read_moisture")).percent) > 10,
      "a simulated probe is back in its pot after each measurement, also where nobody goes on",
    );
    await rig.status([{ action: "water", value: 20 }]);
    await rig.water(20);
    for (const as of ["agent", "observer"] as const)
      t.equal((await rig.refused("measure_probe", {}, { as })).code, "FORBIDDEN");
  },
);

t.test(
  "readings are on the disk after ten minutes of the plant's time, however fast that goes",
  async (t) => {
    const rig = await rigFor(t);
    const onDisk = async () => {
      const other = await Database.open({
        file: join(rig.state, "tendril.sqlite"),
        setup: [],
        readOnly: true,
      });
      const rows = await other.all("SELECT 1 FROM readings");
      await other.close();
      return rows.length;
    };
    t.equal(await onDisk(), 0, "the reading of the start waits");
    await rig.pass(minutes(10));
    for (let tries = 0; tries < 100 && (await onDisk()) === 0; tries += 1);
    t.ok((await onDisk()) > 0);
  },
);
