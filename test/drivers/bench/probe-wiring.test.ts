import t from "tap";
import { counts, millilitres, millis, minutes, seconds } from "../../../drivers/units.js";
import { BASIL, benchRig, hardware } from "../bench-rig.js";

const COUNTS = { dry: counts(200), wet: counts(2000) };
const SEESAW = { ...BASIL, probe: { chip: "seesaw" as const, address: 0x36, calibration: COUNTS } };
const MINT = { ...BASIL, id: "mint", probe: { ...BASIL.probe, channel: 1 as const } };

t.test("a plant with a seesaw reads as wet as the same plant with an analogue probe", async (t) => {
  const options = { startHydration: 60 };
  const [analogue, seesaw] = [await benchRig(t, options), await benchRig(t, options, [SEESAW])];
  const [volts, count] = [await analogue.probe.read(), await seesaw.probe.read()];
  t.ok(Math.abs(volts.percent - count.percent) < 0.5, `${volts.percent} and ${count.percent} %`);
  t.equal(count.level, count.raw);
  t.ok(Math.abs(count.raw - (200 + 18 * count.percent)) < 1, `${count.raw} counts`);
});

t.test("it feels a dose, and its noise is small beside it", async (t) => {
  const { clock, probe, pump } = await benchRig(t, { startHydration: 40 }, [SEESAW]);
  const before = await probe.read();
  void pump.dispense(millilitres(25));
  await clock.advance(minutes(10));
  const after = await probe.read();
  t.ok(after.raw - before.raw > 4 * Math.max(before.noise, after.noise), `${before.raw} → ${after.raw}`);
});

t.test("unplugged, it is gone from the bus; plugged in, it is back", async (t) => {
  const { bench, probe } = await benchRig(t, {}, [SEESAW]);
  bench.faults("basil").probe = "unplugged";
  await t.rejects(probe.read(), { code: "BUS_NACK", message: /0x36/ });
  delete bench.faults("basil").probe;
  t.ok(await probe.read());
});

t.test(
  "a frozen chip is caught with the next reading, for every probe that it has, and works again after",
  async (t) => {
    for (const plants of [[BASIL, MINT], [SEESAW]]) {
      const { bench, board, clock } = await benchRig(t, { startHydration: 50 }, plants);
      const probes = plants.map(({ id }) => hardware(board.plants, id).probe);
      for (const probe of probes) await probe.read();
      bench.faults("basil").probe = "frozen";
      for (const probe of probes) {
        await clock.advance(minutes(1));
        await t.rejects(probe.read(), { code: "PROBE_STUCK" });
      }
      delete bench.faults("basil").probe;
      for (const probe of probes) t.ok(await probe.read());
    }
  },
);

t.test(
  "a probe that is stuck at one voltage is not taken for a frozen chip: soil may be steady too",
  async (t) => {
    const { bench, clock, probe } = await benchRig(t);
    bench.faults("basil").probe = "stuck";
    const { raw } = await probe.read();
    await clock.advance(minutes(60));
    t.match(await probe.read(), { raw });
  },
);

t.test("probes on a power pin are read in their minutes as others are, and together", async (t) => {
  const power = { gpio: 22, settle: millis(500) };
  const fed = [BASIL, MINT].map((plant) => ({ ...plant, probe: { ...plant.probe, power } }));
  const { board, clock } = await benchRig(t, {}, [...fed, { ...SEESAW, id: "fern" }]);
  for (let minute = 0; minute < 3; minute++) {
    await clock.advance(seconds(60));
    for (const { noise } of await Promise.all([...board.plants.values()].map(({ probe }) => probe.read())))
      t.ok(noise >= 1);
  }
});
