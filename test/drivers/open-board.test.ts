import t from "tap";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { openBoard } from "../../drivers/open-board.js";
import { type EpochMillis, type MlPerSecond, millilitres, minutes, seconds } from "../../drivers/units.js";
import { BASIL, benchRig, hardware } from "./bench-rig.js";

t.test("a pump whose pulses nothing but a process would end keeps a real board from opening", async (t) => {
  const output = {
    gpio: 17,
    activeLow: true,
    via: "led",
    led: "no-such-led",
    acceptSoftwareCutoff: false,
  } as const;
  const basil = { ...BASIL, pump: { ...BASIL.pump, output } };
  await t.rejects(openBoard({ kind: "pi", plants: [basil] }, { speed: 1, seed: 1 }), {
    code: "OUTPUT_UNSAFE",
    message:
      /basil-pump: there is no LED no-such-led.*dtoverlay=gpio-led,gpio=17,label=no-such-led,active_low=1/,
  });
});

t.test("a pump too slow for its largest dose keeps the board from opening", async (t) => {
  const slow = { ...BASIL, pump: { flow: 0.5 as MlPerSecond } };
  await t.rejects(openBoard({ kind: "bench", plants: [slow] }, { speed: 1, seed: 1 }), {
    code: "FLOW_TOO_LOW",
  });
});

t.test("a speed out of range keeps the bench from opening", async (t) => {
  await t.rejects(openBoard({ kind: "bench", plants: [BASIL] }, { speed: 61, seed: 1 }), {
    code: "BENCH_OPTION_INVALID",
  });
});

t.test("a new bench shows the time it is, or what it was told to", async (t) => {
  const now = await openBoard({ kind: "bench", plants: [BASIL] }, { speed: 1, seed: 1 });
  t.teardown(() => now.close());
  t.ok(Math.abs(now.clock.now() - new SystemClock().now()) < 5000);
  const start = Date.parse("2026-03-01T12:00:00Z") as EpochMillis;
  const told = await openBoard({ kind: "bench", plants: [BASIL] }, { speed: 1, seed: 1, start });
  t.teardown(() => told.close());
  t.ok(told.clock.now() - start < 5000);
});

t.test("everything works in real time at speed 60: a probe is read, a dose runs its time", async (t) => {
  const options = { speed: 60, seed: 1, startHydration: 40 };
  const board = await openBoard({ kind: "bench", plants: [BASIL] }, options);
  t.teardown(() => board.close());
  const { probe, pump } = hardware(board.plants, "basil");
  const { percent } = await probe.read();
  t.ok(percent > 35 && percent < 40);
  // before the edge: what is read after it may be late by a millisecond of ours, 60 of the plant's
  const asked = board.clock.monotonic();
  const dose = pump.dispense(millilitres(15));
  const over = dose.then(() => board.clock.monotonic());
  await board.clock.sleep(seconds(11));
  t.same(await dose, { ml: 15, onFor: 10_000, outcome: "elapsed" });
  t.ok((await over) >= asked + 10_000, "nobody is told before it is off");
});

t.test("allOff ends all pumps and lights at once, and again, and when nothing is on", async (t) => {
  const mint = { ...BASIL, id: "mint", probe: { ...BASIL.probe, channel: 1 as const } };
  const { board, clock } = await benchRig(t, {}, [BASIL, mint]);
  await board.allOff();
  const [one, other] = [hardware(board.plants, "basil"), hardware(board.plants, "mint")];
  const running = [one.pump.dispense(millilitres(20)), other.light.pulse(minutes(30))] as const;
  await clock.advance(seconds(1));
  await board.allOff();
  await board.allOff();
  t.match(await Promise.all(running), [
    { outcome: "ended", onFor: 1000 },
    { outcome: "ended", onFor: 1000 },
  ]);
});

t.test("a pump that loses track is reported as such, and has ended all the same", async (t) => {
  const { bench, pump, clock } = await benchRig(t);
  bench.faults("basil").pump = "unknown outcome";
  const dose = pump.dispense(millilitres(15));
  await clock.advance(seconds(30));
  t.match(await dose, { ml: 15, outcome: "unknown" });
  t.same(bench.pumpEdges("basil"), [
    { level: 1, at: 0 },
    { level: 0, at: 10_000 },
  ]);
});
