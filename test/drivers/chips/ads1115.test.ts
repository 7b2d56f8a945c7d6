import t from "tap";
import { Ads1115Model } from "../../../drivers/bench/ads1115-model.js";
import { BenchBus } from "../../../drivers/bench/bench-bus.js";
import { LeadingClock } from "../../../drivers/bench/bench-clock.js";
import {
  Ads1115,
  LONGEST_CONVERSION,
  type Range,
  signed,
  singleShot,
  swapBytes,
  toVolts,
} from "../../../drivers/chips/ads1115.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import type { I2cBus } from "../../../drivers/ports.js";
import { counts, volts } from "../../../drivers/units.js";

const time = () => new LeadingClock(new SimulatedClock());
/** What a scripted bus leaves out: the driver makes no plain transfers. */
const NO_PLAIN = {
  write: () => Promise.reject(new Error("a plain write")),
  read: () => Promise.reject(new Error("a plain read")),
};
/** A different voltage on each pin. */
const chipWith = (level: (pin: number) => number, clock: LeadingClock) =>
  new Ads1115Model((pin) => volts(level(pin)), clock);

t.test("the config words are those of the datasheet's table 8", async (t) => {
  const words: ReadonlyArray<[0 | 1 | 2 | 3, Range, number]> = [
    [0, "±4.096 V", 0b1_100_001_1_100_0_0_0_11],
    [1, "±4.096 V", 0xd383],
    [2, "±4.096 V", 0xe383],
    [3, "±4.096 V", 0xf383],
    [0, "±6.144 V", 0xc183],
    [0, "±2.048 V", 0xc583],
    [3, "±0.256 V", 0xfb83],
  ];
  for (const [channel, range, word] of words)
    t.equal(singleShot(channel, range, "ADS1115"), word, `AIN${channel} ${range}`);
});

t.test("bytes are swapped, counts are signed, a count is 125 µV at ±4.096 V", async (t) => {
  t.equal(swapBytes(0xc383), 0x83c3);
  t.equal(signed(0x7fff), 32_767);
  t.equal(signed(0x8000), -32_768);
  t.equal(signed(0xffff), -1);
  t.equal(toVolts(counts(1), "±4.096 V"), 125e-6);
  t.equal(toVolts(counts(16_000), "±4.096 V"), 2);
  t.equal(toVolts(counts(16_000), "±2.048 V"), 1);
});

t.test(
  "what goes over the wire is the config word, high byte first, and no other register is touched",
  async (t) => {
    const sent: unknown[] = [];
    const bus: I2cBus = {
      name: "i2c-1",
      ...NO_PLAIN,
      writeWord: async (...word) => void sent.push(word),
      readWord: async (_address, register) => (register === 1 ? 0x83c3 : 0x401f),
    };
    t.equal(await new Ads1115(bus, 0x48, time()).readCounts(0), 0x1f40);
    t.same(sent, [[0x48, 0x01, 0x83c3]]);
  },
);

t.test(
  "either chip gives the voltage after its longest conversion, and nothing is waited for beyond it",
  async (t) => {
    for (const [variant, model] of [
      ["ADS1115", "ads1115"],
      ["ADS1015", "ads1015"],
    ] as const) {
      const clock = time();
      const chip = new Ads1115Model(() => volts(1), clock, { model });
      const adc = new Ads1115(new BenchBus(new Map([[0x48, chip]])), 0x48, clock, variant);
      t.equal(await adc.readCounts(0), 8000, variant);
      t.equal(clock.monotonic(), LONGEST_CONVERSION);
    }
  },
);

t.test(
  "an ADS1015's 12 bits are on the same scale in steps of 16 counts, and its idle bits carry nothing",
  async (t) => {
    const clock = time();
    const chip = new Ads1115Model((pin) => volts(pin + 1.0015), clock, { model: "ads1015" });
    const adc = new Ads1115(new BenchBus(new Map([[0x48, chip]])), 0x48, clock, "ADS1015");
    t.equal(await adc.readCounts(0), 8016, "1.002 V of 2 mV each");
    t.equal(await adc.readCounts(1), 16_016, "2.002 V");
    t.equal(await adc.readCounts(0, "±6.144 V"), 5344, "1.002 V of 3 mV each");
    t.equal(adc.step, 16);
    t.equal(signed(0xfff7, "ADS1015"), -16);
    t.equal(`${adc}`, "ADS1015 at 0x48 on bench");
  },
);

t.test("each channel reads its own pin, also when all are asked at once", async (t) => {
  const clock = time();
  const adc = new Ads1115(new BenchBus(new Map([[0x48, chipWith((pin) => pin + 0.5, clock)]])), 0x48, clock);
  t.same(
    await Promise.all(([3, 0, 2, 1] as const).map((channel) => adc.readCounts(channel))),
    [28_000, 4_000, 20_000, 12_000],
  );
});

t.test(
  "an absent chip is a BUS_NACK that names address and bus, and the next read is not harmed",
  async (t) => {
    const clock = time();
    const chips = new Map<number, Ads1115Model>();
    const adc = new Ads1115(new BenchBus(chips), 0x49, clock);
    await t.rejects(adc.readCounts(0), { code: "BUS_NACK", message: /0x49 on bench.*i2cdetect/ });
    chips.set(
      0x49,
      chipWith(() => 1, clock),
    );
    t.equal(await adc.readCounts(0), 8000);
  },
);

t.test("a chip that never becomes ready is given up after a bounded number of questions", async (t) => {
  let asked = 0;
  const busy: I2cBus = {
    name: "i2c-1",
    ...NO_PLAIN,
    writeWord: async () => undefined,
    readWord: async () => {
      asked += 1;
      return 0x8343;
    },
  };
  await t.rejects(new Ads1115(busy, 0x48, time()).readCounts(0), {
    code: "CONVERSION_TIMEOUT",
    message: /0x48/,
  });
  t.equal(asked, 10);
});

t.test(
  "a supply dip between command and result is noticed: the result would be of another input",
  async (t) => {
    const clock = time();
    const chips = new Map([[0x48, chipWith(() => 1, clock)]]);
    const bus = new BenchBus(chips);
    const dipping: I2cBus = {
      name: "i2c-1",
      ...NO_PLAIN,
      writeWord: async (...word) => {
        await bus.writeWord(...word);
        chips.set(
          0x48,
          chipWith(() => 1, clock),
        );
      },
      readWord: (...word) => bus.readWord(...word),
    };
    const expected = { code: "BUS_FAILED", message: /wrote 0xc383, reads 0x8583/ };
    await t.rejects(new Ads1115(dipping, 0x48, clock).readCounts(0), expected);
  },
);
