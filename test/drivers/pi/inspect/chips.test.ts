import t from "tap";
import { Ads1115Model } from "../../../../drivers/bench/ads1115-model.js";
import { BenchBus, type BenchChip } from "../../../../drivers/bench/bench-bus.js";
import { Bh1750Model } from "../../../../drivers/bench/bh1750-model.js";
import { Bme280Model } from "../../../../drivers/bench/bme280-model.js";
import { SeesawModel } from "../../../../drivers/bench/seesaw-model.js";
import { Ads1115 } from "../../../../drivers/chips/ads1115.js";
import { SystemClock } from "../../../../drivers/clock/system-clock.js";
import { DriverError } from "../../../../drivers/errors.js";
import { findChips } from "../../../../drivers/pi/inspect/chips.js";
import { celsius, counts, hectopascals, percent, volts } from "../../../../drivers/units.js";

const clock = new SystemClock();
const ads = () => new Ads1115Model(() => volts(1.5), clock);
const seesaw = () => new SeesawModel({ touch: () => counts(700) }, clock);

/** A chip that lets itself be written to and read, and notes both. */
class Watched implements BenchChip {
  readonly heard: string[] = [];
  constructor(private readonly inner: BenchChip) {}
  answers = () => this.inner.answers?.() ?? true;
  write(bytes: readonly number[]): void {
    this.heard.push(`write ${bytes.join(" ")}`);
    this.inner.write(bytes);
  }
  read(length: number): number[] {
    this.heard.push(`read ${length}`);
    return this.inner.read(length);
  }
}

t.test(
  "an ADS1115 as it comes, one that Tendril has used, and a seesaw are known for what they are",
  async (t) => {
    const bus = new BenchBus(
      new Map([
        [0x48, ads()],
        [0x49, ads()],
        [0x37, seesaw()],
      ] as [number, BenchChip][]),
    );
    await new Ads1115(bus, 0x49, clock).readCounts(3);
    t.match(await findChips(bus, clock), [
      { address: 0x37, kind: "seesaw" },
      { address: 0x48, kind: "ads1115", said: "config register 0x8583" },
      { address: 0x49, kind: "ads1115", said: "config register 0xf383" },
    ]);
  },
);

t.test("a chip of another kind at such an address is told of, and not taken for a probe", async (t) => {
  const other: BenchChip = { write: () => undefined, read: (length) => new Array(length).fill(0x60) };
  const bus = new BenchBus(
    new Map([
      [0x48, other],
      [0x36, other],
    ]),
  );
  t.match(await findChips(bus, clock), [
    { address: 0x36, kind: "unknown" },
    { address: 0x48, kind: "unknown", said: "config register 0x6060" },
  ]);
});

t.test(
  "no register is written to: an ADC hears its pointer alone, a chip at 0x36 a byte's reading first",
  async (t) => {
    const [adc, soil] = [new Watched(ads()), new Watched(seesaw())];
    await findChips(
      new BenchBus(
        new Map([
          [0x48, adc],
          [0x36, soil],
        ]),
      ),
      clock,
    );
    t.same(adc.heard, ["write 1", "read 2"]);
    t.same(soil.heard, ["read 1", "write 0 1", "read 1"]);
  },
);

t.test("only the addresses of our sensors are asked", async (t) => {
  const asked = new Set<number>();
  const silent = async (address: number): Promise<never> => {
    asked.add(address);
    throw new DriverError("BUS_NACK", "nothing answers");
  };
  const bus = { name: "i2c-1", readWord: silent, read: silent, writeWord: silent, write: silent };
  t.same(await findChips(bus, clock), []);
  t.same([...asked], [0x36, 0x37, 0x38, 0x39, 0x48, 0x49, 0x4a, 0x4b, 0x76, 0x77, 0x23, 0x5c]);
});

t.test("a bus that hangs is an error, not an empty bus", async (t) => {
  const hangs = async (): Promise<never> => {
    throw new DriverError("BUS_TIMEOUT", "the transfer hangs");
  };
  const bus = { name: "i2c-1", readWord: hangs, read: hangs, writeWord: hangs, write: hangs };
  await t.rejects(findChips(bus, clock), { code: "BUS_TIMEOUT" });
});

t.test("a BME280 is known by its id; others of Bosch's at its addresses are told of", async (t) => {
  const values = () => ({ temperature: celsius(20), humidity: percent(50), pressure: hectopascals(1000) });
  const bme280 = new Watched(new Bme280Model({ values }, clock));
  const bmp280: BenchChip = { write: () => undefined, read: (length) => new Array(length).fill(0x58) };
  const bus = new BenchBus(
    new Map<number, BenchChip>([
      [0x76, bme280],
      [0x77, bmp280],
    ]),
  );
  t.same(await findChips(bus, clock), [
    { address: 0x76, kind: "bme280", said: "id 0x60" },
    { address: 0x77, kind: "unknown", said: "id 0x58, a BMP280" },
  ]);
  t.same(bme280.heard, ["write 208", "read 2"], "nothing but the register of the id");
});

t.test("what may be a BH1750 is only read, because each byte that it hears is a command", async (t) => {
  const chip = new Watched(new Bh1750Model({ values: () => ({ brightness: 100 }) }, clock));
  t.same(await findChips(new BenchBus(new Map([[0x5c, chip]])), clock), [
    { address: 0x5c, kind: "unknown", said: "perhaps a BH1750, which has no id" },
  ]);
  t.same(chip.heard, ["read 2"]);
});
