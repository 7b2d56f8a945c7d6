import t from "tap";
import { openLinuxI2c } from "../../../drivers/buses/linux-i2c.js";
import { Ads1115 } from "../../../drivers/chips/ads1115.js";
import { counts } from "../../../drivers/units.js";
import { clock } from "./gpio-sim.js";
import { i2c, StubChip, stubBus } from "./stub-chip.js";

/** The ADS1115's driver over genuine i2c-bus, /dev/i2c-N and the kernel's I²C core; the chip is i2c-stub. */

const sync = i2c.openSync(stubBus());
const bus = await openLinuxI2c(stubBus(), { clock });
t.teardown(async () => {
  sync.closeSync();
  await bus.close();
});
const CONVERSION = 0;
const CONFIG = 1;

t.test("what the driver writes reaches the chip high byte first", async (t) => {
  const chip = new StubChip(sync, 0x48);
  await new Ads1115(bus, 0x48, clock).readCounts(0);
  t.same(chip.get(CONFIG), [0xc3, 0x83]);
  await new Ads1115(bus, 0x48, clock).readCounts(3);
  t.same(chip.get(CONFIG), [0xf3, 0x83]);
});

t.test("what the chip has high byte first is what the driver reads, negative values too", async (t) => {
  const chip = new StubChip(sync, 0x49);
  const adc = new Ads1115(bus, 0x49, clock);
  const values: ReadonlyArray<[readonly [number, number], number]> = [
    [[0x1f, 0x40], 8000],
    [[0x40, 0x1f], 16_415],
    [[0xff, 0xfe], -2],
    [[0x7f, 0xff], 32_767],
    [[0x80, 0x00], -32_768],
  ];
  for (const [bytes, value] of values) {
    chip.set(CONVERSION, bytes);
    t.equal(await adc.readCounts(0), counts(value), bytes.join(" "));
  }
});

t.test("two chips on one bus do not mix", async (t) => {
  new StubChip(sync, 0x48).set(CONVERSION, [0x10, 0x00]);
  new StubChip(sync, 0x49).set(CONVERSION, [0x20, 0x00]);
  const [first, second] = [0x48, 0x49].map((address) => new Ads1115(bus, address, clock));
  t.same(await Promise.all([first?.readCounts(0), second?.readCounts(0)]), [0x1000, 0x2000]);
});

t.test(
  "an absent chip is a silent one, whatever the system calls that; i2c-stub's word for it is ENODEV",
  async (t) => {
    await t.rejects(new Ads1115(bus, 0x4b, clock).readCounts(0), {
      code: "BUS_NACK",
      message: /0x4b on i2c-/,
    });
  },
);
