import t from "tap";
import { Ads1115Model } from "../../../drivers/bench/ads1115-model.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { millis, seconds, volts } from "../../../drivers/units.js";

const PINS = [1, 0.25, 3.9, 2];
const rig = () => {
  const clock = new SimulatedClock();
  return { clock, chip: new Ads1115Model((pin) => volts(PINS[pin] ?? Number.NaN), clock) };
};
/** Two bytes from the register at the pointer. */
const read = (chip: Ads1115Model, pointer: number) => {
  chip.write([pointer]);
  return chip.read(2);
};
const AIN0 = [0x01, 0xc3, 0x83] as const;

t.test("after power-up the registers hold what the datasheet says", async (t) => {
  const { chip } = rig();
  t.same(
    [0, 1, 2, 3].map((pointer) => read(chip, pointer)),
    [
      [0, 0],
      [0x85, 0x83],
      [0x80, 0],
      [0x7f, 0xff],
    ],
  );
});

t.test("bit 15 reads 0 until the conversion is over, and only then is there a result", async (t) => {
  const { chip, clock } = rig();
  chip.write(AIN0);
  await clock.advance(millis(8));
  t.same(read(chip, 1), [0x43, 0x83]);
  t.same(read(chip, 0), [0, 0]);
  await clock.advance(millis(1));
  t.same(read(chip, 1), [0xc3, 0x83]);
  t.same(read(chip, 0), [0x1f, 0x40], "1 V is 8000 counts of 125 µV");
});

t.test("a frozen chip takes orders, is ready in time, and gives what it last had", async (t) => {
  const clock = new SimulatedClock();
  let frozen = false;
  const chip = new Ads1115Model(() => volts(1), clock, { frozen: () => frozen });
  for (frozen of [false, true]) {
    chip.write([0x01, frozen ? 0xc1 : 0xc3, 0x83]);
    await clock.advance(millis(9));
    t.same(read(chip, 0), [0x1f, 0x40]);
  }
});

t.test("an ADS1015 gives 12 bits, left-justified, at rates of its own", async (t) => {
  const clock = new SimulatedClock();
  const chip = new Ads1115Model(() => volts(1.0015), clock, { model: "ads1015" });
  chip.write([0x01, 0xc3, 0xe3]);
  await clock.advance(millis(1));
  t.same(read(chip, 0), [0x1f, 0x50], "501 steps of 2 mV, after 0.3 ms at 3300 SPS");
  t.same([chip.read(3)], [[0x1f, 0x50, 0x1f]], "the pointer stays");
});

t.test("a slower data rate takes longer", async (t) => {
  const { chip, clock } = rig();
  chip.write([0x01, 0xc3, 0x03]);
  await clock.advance(millis(120));
  t.same(read(chip, 1), [0x43, 0x03], "8 SPS");
  await clock.advance(millis(20));
  t.same(read(chip, 0), [0x1f, 0x40]);
});

t.test("a command during a conversion starts no other", async (t) => {
  const { chip, clock } = rig();
  chip.write(AIN0);
  await clock.advance(millis(5));
  chip.write([0x01, 0xe3, 0x83]);
  await clock.advance(seconds(1));
  t.same(read(chip, 0), [0x1f, 0x40], "still that of AIN0");
});

t.test("differences may be negative, and both ends of the range hold", async (t) => {
  const { chip, clock } = rig();
  const convert = async (high: number) => {
    chip.write([0x01, high, 0x83]);
    await clock.advance(millis(9));
    return read(chip, 0);
  };
  t.same(await convert(0x83), [0x17, 0x70], "AIN0 − AIN1 = 0.75 V");
  t.same(await convert(0x93), [0xe0, 0xc0], "AIN0 − AIN3 = −1 V");
  t.same(await convert(0x9b), [0x80, 0x00], "−1 V beyond ±0.256 V");
  t.same(await convert(0xe5), [0x7f, 0xff], "3.9 V beyond ±2.048 V");
});

t.test("the conversion register cannot be written", async (t) => {
  const { chip } = rig();
  chip.write([0x00, 0x12, 0x34]);
  t.same(read(chip, 0), [0, 0]);
});
