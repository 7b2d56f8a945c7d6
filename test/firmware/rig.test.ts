import t from "tap";
import { millis } from "../../drivers/units.js";
import { AvrDevice } from "./avr/device.js";
import { Rig } from "./avr/rig.js";

/** 16,051,961.6 cycles: as a time in milliseconds, the chip's own count never reaches it. */
const BETWEEN_TWO_CYCLES = 1003.2476;

function begun(): { readonly rig: Rig; readonly avr: AvrDevice } {
  const rig = new Rig({ build: "interlock-avr-short" });
  if (!(rig.chip instanceof AvrDevice)) throw new Error("no AVR");
  return { rig, avr: rig.chip };
}

t.test("a run ends, also where its length is no whole number of cycles", async (t) => {
  const rig = new Rig();
  await rig.run(BETWEEN_TWO_CYCLES);
  t.ok(Math.abs(rig.now - BETWEEN_TWO_CYCLES) < 0.001);
});

t.test("a timer of the host fires, also where its time is no whole number of cycles", async (t) => {
  const rig = new Rig();
  await rig.until(rig.clock.sleep(millis(BETWEEN_TWO_CYCLES)));
  t.ok(rig.now >= BETWEEN_TWO_CYCLES - 0.001);
});

/** The emulator carries a byte at whatever speed the chip has, so a wrong one would not show elsewhere. */
t.test("the link's line is 38400 baud, 8N1, within half a percent", async (t) => {
  const { rig, avr } = begun();
  await rig.run(100);
  const { baud, ...frame } = avr.chip.line;
  t.ok(Math.abs(baud / 38_400 - 1) < 0.005, `${baud} baud`);
  t.same(frame, { bits: 8, stops: 1, parity: false });
});

t.test("every input has its pull-up: a broken wire reads high", async (t) => {
  const { rig, avr } = begun();
  await rig.run(100);
  for (const input of ["stop", "pump", "light"] as const) t.ok(avr.hasPullUp(input), input);
});

t.test("a step comes every 10 ms", async (t) => {
  const { rig, avr } = begun();
  await rig.run(1000);
  const before = avr.chip.fed;
  await rig.run(4000);
  const steps = avr.chip.fed - before;
  // A slot of the short build ends each second, and its record takes the time of a step
  t.ok(steps > 390 && steps <= 401, `${steps} steps in 4 s`);
});

t.test("no interrupt comes into a read of the clock, nor into the beginning of a byte's write", async (t) => {
  const { rig, avr } = begun();
  avr.watchTicks();
  await rig.run(1500);
  t.same([...avr.chip.interruptible], []);
});
