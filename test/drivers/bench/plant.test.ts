import t from "tap";
import { openBoard, type PlantHardware } from "../../../drivers/open-board.js";
import { hours, millilitres, minutes, seconds } from "../../../drivers/units.js";
import { BASIL, benchRig, hardware } from "../bench-rig.js";

const percent = async ({ probe }: Pick<PlantHardware, "probe">) => (await probe.read()).percent;
const DRIER = { startHydration: 45 };

t.test("a new plant is freshly watered; the bench's start hydration makes it drier", async (t) => {
  const fresh = await benchRig(t);
  t.match(fresh.bench.truth("basil"), { hydration: 100, health: 0, vigour: 100 });
  const drier = await benchRig(t, DRIER);
  const truth = drier.bench.truth("basil");
  t.ok(Math.abs((truth?.hydration ?? 0) - 45) < 1e-9 && Math.abs((truth?.health ?? 0) - 90) < 1e-9);
  const [wet, dry] = [await fresh.probe.read(), await drier.probe.read()];
  t.ok(wet.percent > dry.percent + 20 && wet.noise < 80, `${wet.percent} and ${dry.percent} %`);
});

t.test("a start hydration outside 0 to 100 is refused", async (t) => {
  const config = { kind: "bench" as const, plants: [BASIL] };
  for (const startHydration of [-1, 101, Number.NaN]) {
    const opened = openBoard(config, { speed: 1, seed: 1, startHydration });
    await t.rejects(opened, { code: "BENCH_OPTION_INVALID", message: /startHydration/ });
  }
});

t.test("where the caretaker waters, from 40 to 55 %, a basil is within its good 40 to 80", async (t) => {
  const { bench, clock } = await benchRig(t);
  const hydrationAt = async (reading: number) => {
    while (bench.moisture("basil") > reading) await clock.advance(minutes(10));
    return bench.truth("basil")?.hydration ?? 0;
  };
  const [upper, lower] = [await hydrationAt(55), await hydrationAt(40)];
  t.ok(lower >= 40 && upper <= 80, `${lower} to ${upper}`);
});

t.test("a dose of 10 ml, the least, shows well above the noise, and within a few minutes", async (t) => {
  const { clock, pump, probe } = await benchRig(t, DRIER);
  const before = await probe.read();
  void pump.dispense(millilitres(10));
  await clock.advance(minutes(6));
  const after = await probe.read();
  t.ok(after.percent - before.percent > 1.8, `${before.percent} % → ${after.percent} %`);
  t.ok(before.raw - after.raw > 4 * Math.max(before.noise, after.noise));
});

t.test("all that is pumped arrives, however far apart somebody looks", async (t) => {
  const looked = await benchRig(t, DRIER);
  const ignored = await benchRig(t, DRIER);
  for (const { pump } of [looked, ignored]) void pump.dispense(millilitres(20));
  for (let i = 0; i < 600; i++) {
    await looked.clock.advance(seconds(1));
    looked.bench.moisture("basil");
  }
  await ignored.clock.advance(minutes(10));
  t.equal(ignored.bench.moisture("basil"), looked.bench.moisture("basil"));
  t.match(ignored.bench.truth("basil"), looked.bench.truth("basil"));
});

t.test("with the tube off, water goes nowhere; what came before has arrived", async (t) => {
  const { clock, pump, bench } = await benchRig(t, DRIER);
  void pump.dispense(millilitres(15));
  await clock.advance(seconds(10));
  bench.faults("basil").pump = "tube off";
  const lost = pump.dispense(millilitres(15));
  await clock.advance(seconds(10));
  t.match(await lost, { ml: 15, outcome: "elapsed" }, "the pump knows nothing of it");
  await clock.advance(minutes(10));
  const received = bench.truth("basil")?.water.received ?? 0;
  t.ok(Math.abs(received - 15) < 1e-9, `${received} ml arrived`);
});

t.test("an unplugged probe floats, and is told from soil; plugged in again it is as before", async (t) => {
  const { probe, bench } = await benchRig(t, DRIER);
  bench.faults("basil").probe = "unplugged";
  await t.rejects(probe.read(), { code: "PROBE_DISCONNECTED" });
  delete bench.faults("basil").probe;
  t.ok((await percent({ probe })) > 37);
});

t.test("a stuck probe stays where it was, whatever is poured", async (t) => {
  const { clock, probe, pump, bench } = await benchRig(t, DRIER);
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

t.test(
  "an end of the lamp that somebody sees before its timer has fired is lived through once",
  async (t) => {
    const half = minutes(30.5);
    const [looked, ignored] = [await benchRig(t), await benchRig(t)];
    looked.clock.after(half, () => looked.bench.moisture("basil"));
    for (const { clock, light } of [looked, ignored]) {
      void light.pulse(half);
      await clock.advance(minutes(40));
    }
    t.same(looked.bench.truth("basil"), ignored.bench.truth("basil"));
  },
);

t.test("two plants on one ADC are two plants, each in the pot of its species", async (t) => {
  const saguaro = {
    ...BASIL,
    id: "spiny",
    species: "Golden barrel cactus",
    probe: { ...BASIL.probe, channel: 3 as const },
  };
  const { board, clock, bench } = await benchRig(t, DRIER, [BASIL, saguaro]);
  void hardware(board.plants, "spiny").pump.dispense(millilitres(25));
  await clock.advance(minutes(10));
  const wet = await percent(hardware(board.plants, "spiny"));
  t.ok(wet > 45, `${wet} % where 25 ml more are in 400 ml of grit`);
  t.match([bench.truth("basil")?.water.received, bench.pumpEdges("basil").length], [0, 0]);
  t.throws(() => bench.faults("rose"), /no plant "rose", only basil, spiny/);
});
