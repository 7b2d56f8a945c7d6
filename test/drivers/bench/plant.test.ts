import t from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import type { PlantHardware } from "../../../drivers/open-board.js";
import { hours, millilitres, minutes, seconds } from "../../../drivers/units.js";
import { BASIL, benchRig, hardware } from "../bench-rig.js";

const percent = async ({ probe }: Pick<PlantHardware, "probe">) => (await probe.read()).percent;

t.test("a new plant is a little dry", async (t) => {
  const { probe } = await benchRig(t);
  const { percent, noise } = await probe.read();
  t.ok(percent > 37 && percent < 39, `${percent} %`);
  t.ok(noise < 80, `noise ${noise}`);
});

t.test("a dose of 10 ml, the least, shows well above the noise, and within a few minutes", async (t) => {
  const { clock, pump, probe } = await benchRig(t);
  const before = await probe.read();
  void pump.dispense(millilitres(10));
  await clock.advance(seconds(20));
  const soon = await percent({ probe });
  await clock.advance(minutes(6));
  const after = await probe.read();
  t.ok(after.percent - before.percent > 3, `${before.percent} % → ${after.percent} %`);
  t.ok(before.raw - after.raw > 4 * Math.max(before.noise, after.noise));
  t.ok(
    soon - before.percent < (after.percent - before.percent) / 2,
    "the water sinks in, it is not there at once",
  );
});

t.test("all that is pumped arrives, however far apart somebody looks", async (t) => {
  const looked = await benchRig(t);
  const ignored = await benchRig(t);
  for (const { pump } of [looked, ignored]) void pump.dispense(millilitres(20));
  for (let i = 0; i < 600; i++) {
    await looked.clock.advance(seconds(1));
    looked.bench.moisture("basil");
  }
  await ignored.clock.advance(minutes(10));
  t.equal(ignored.bench.moisture("basil"), looked.bench.moisture("basil"));
});

t.test("it dries: faster by day than by night, and faster still under its lamp", async (t) => {
  const loss = async (start: string, lit: boolean) => {
    const clock = new SimulatedClock(start);
    const { bench, light } = await benchRig(t, { clock });
    const before = bench.moisture("basil");
    if (lit) void light.on(minutes(60));
    await clock.advance(hours(1));
    return before - bench.moisture("basil");
  };
  const night = await loss("2026-06-01T01:00:00Z", false);
  const day = await loss("2026-06-01T11:00:00Z", false);
  const lamp = await loss("2026-06-01T11:00:00Z", true);
  t.ok(
    night > 1 && day > 2 * night && lamp > 1.3 * day,
    `${night} by night, ${day} by day, ${lamp} under the lamp`,
  );
});

t.test("a pot holds no more than 100 %", async (t) => {
  const { clock, pump, bench } = await benchRig(t);
  for (let i = 0; i < 20; i++) {
    void pump.dispense(millilitres(25));
    await clock.advance(minutes(1));
  }
  await clock.advance(minutes(5));
  t.ok(bench.moisture("basil") > 95 && bench.moisture("basil") <= 100);
});

t.test("with the tube off, water goes nowhere; what came before has arrived", async (t) => {
  const { clock, pump, bench } = await benchRig(t);
  void pump.dispense(millilitres(15));
  await clock.advance(seconds(10));
  bench.faults("basil").pump = "tube off";
  const lost = pump.dispense(millilitres(15));
  await clock.advance(seconds(10));
  t.match(await lost, { ml: 15, outcome: "elapsed" }, "the pump knows nothing of it");
  await clock.advance(minutes(10));
  const rise = bench.moisture("basil") - 38;
  t.ok(rise > 5 && rise < 8, `${rise} % for the 15 ml that arrived`);
});

t.test("an unplugged probe floats, and is told from soil; plugged in again it is as before", async (t) => {
  const { probe, bench } = await benchRig(t);
  bench.faults("basil").probe = "unplugged";
  await t.rejects(probe.read(), { code: "PROBE_DISCONNECTED" });
  delete bench.faults("basil").probe;
  t.ok((await percent({ probe })) > 37);
});

t.test("a stuck probe stays where it was, whatever is poured", async (t) => {
  const { clock, probe, pump, bench } = await benchRig(t);
  await probe.read();
  bench.faults("basil").probe = "stuck";
  const { raw, noise } = await probe.read();
  void pump.dispense(millilitres(25));
  await clock.advance(hours(2));
  t.match(await probe.read(), { raw, noise });
  t.equal(noise, 1);
});

t.test("the same seed gives the same readings, another seed others", async (t) => {
  const course = async (seed: number) => {
    const { clock, probe } = await benchRig(t, { seed });
    const values: number[] = [];
    for (let i = 0; i < 5; i++) {
      values.push((await probe.read()).raw);
      await clock.advance(minutes(1));
    }
    return values;
  };
  t.same(await course(7), await course(7));
  t.notSame(await course(7), await course(8));
});

t.test("two plants on one ADC are two plants", async (t) => {
  const mint = { ...BASIL, id: "mint", probe: { ...BASIL.probe, channel: 3 as const } };
  const { board, clock, bench } = await benchRig(t, {}, [BASIL, mint]);
  const [one, other] = [hardware(board.plants, "basil"), hardware(board.plants, "mint")];
  void other.pump.dispense(millilitres(25));
  await clock.advance(minutes(10));
  const [dry, wet] = await Promise.all([percent(one), percent(other)]);
  t.ok(wet - dry > 8, `${dry} and ${wet}`);
  t.equal(bench.pumpEdges("basil").length, 0);
  t.throws(() => bench.faults("rose"), /no plant "rose", only basil, mint/);
});
