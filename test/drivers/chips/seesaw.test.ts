import t from "tap";
import { BenchBus } from "../../../drivers/bench/bench-bus.js";
import { LeadingClock } from "../../../drivers/bench/bench-clock.js";
import { SeesawModel } from "../../../drivers/bench/seesaw-model.js";
import { Seesaw, wordOf } from "../../../drivers/chips/seesaw.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { counts, millis } from "../../../drivers/units.js";
import { repliesOf } from "./scripted-bus.js";

const time = () => new LeadingClock(new SimulatedClock());

t.test(
  "a count is module 0x0f, function 0x10, five milliseconds, two bytes, the high one first",
  async (t) => {
    const clock = time();
    const { bus, seen } = repliesOf(clock, [[0x03, 0xf5]]);
    t.equal(await new Seesaw(bus, 0x36, clock).readCount(), 1013);
    t.same(seen, [
      [0, 0x36, 0x0f, 0x10],
      [5, "read", 2],
    ]);
    t.equal(wordOf([0xff, 0xff]), 65_535);
  },
);

t.test(
  "65535 and all above 4095 is not ready: it is asked again a millisecond later, five times in all",
  async (t) => {
    const clock = time();
    const { bus, seen } = repliesOf(clock, [
      [0xff, 0xff],
      [0x10, 0x00],
      [0x0f, 0xff],
    ]);
    t.equal(await new Seesaw(bus, 0x36, clock).readCount(), 4095);
    t.same(seen.at(2), [6, 0x36, 0x0f, 0x10]);
    const never = repliesOf(clock, new Array(9).fill([0xff, 0xff]));
    await t.rejects(new Seesaw(never.bus, 0x37, clock).readCount(), {
      code: "CONVERSION_TIMEOUT",
      message: /seesaw at 0x37 on i2c-1 had no count ready after 5 tries/,
    });
    t.equal(never.seen.length, 10);
  },
);

t.test("the chip tells its kind in one byte of the status module; other bytes are no seesaw's", async (t) => {
  const clock = time();
  for (const [byte, known] of [
    [0x55, true],
    [0x87, true],
    [0x02, false],
    [0xff, false],
  ] as const) {
    const { bus, seen } = repliesOf(clock, [[byte]]);
    t.equal(await new Seesaw(bus, 0x36, clock).isSeesaw(), known, `0x${byte.toString(16)}`);
    t.match(seen, [
      [Number, 0x36, 0x00, 0x01],
      [Number, "read", 1],
    ]);
  }
});

t.test("against the chip's model: requests made at once do not mix up their replies", async (t) => {
  const clock = time();
  const chip = new SeesawModel({ touch: () => counts(0x0233) }, clock);
  const seesaw = new Seesaw(new BenchBus(new Map([[0x39, chip]])), 0x39, clock);
  const asked = [seesaw.readCount(), seesaw.isSeesaw(), seesaw.readCount()];
  t.same(await Promise.all(asked), [0x0233, true, 0x0233]);
});

t.test("the model is not ready before its three milliseconds, and forgets no register", async (t) => {
  const clock = new SimulatedClock();
  const chip = new SeesawModel({ touch: () => counts(0x0233) }, clock);
  chip.write([0x0f, 0x10]);
  t.same(chip.read(2), [0xff, 0xff]);
  await clock.advance(millis(3));
  t.same(chip.read(2), [0x02, 0x33]);
  t.same(chip.read(2), [0x02, 0x33]);
  chip.write([0x09, 0x00]);
  t.same(chip.read(3), [0, 0, 0], "a module that it does not have");
});

t.test("an unplugged sensor is a BUS_NACK, and the next count after it is plugged in is good", async (t) => {
  const clock = time();
  let plugged = false;
  const chip = new SeesawModel({ touch: () => (plugged ? counts(700) : undefined) }, clock);
  const seesaw = new Seesaw(new BenchBus(new Map([[0x36, chip]])), 0x36, clock);
  await t.rejects(seesaw.readCount(), { code: "BUS_NACK", message: /0x36 on bench/ });
  plugged = true;
  t.equal(await seesaw.readCount(), 700);
});
