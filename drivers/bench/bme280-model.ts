import type { Bme280 } from "../chips/bme280.js";
import type { Clock } from "../ports.js";
import { type Millis, millis } from "../units.js";
import type { BenchChip, RoomSensorFaults } from "./bench-bus.js";

/**
 * The BME280 in its bytes, by its datasheet (Bosch BST-BME280-DS002) and not by the driver: it searches for the figures of the
 * converter that the datasheet's formulas for whole numbers [4.2.3] turn into the air of the room.
 */

type Air = Readonly<Record<keyof Bme280["range"], number>>;

interface Bme280Parts {
  readonly values: () => Air;
  readonly faults?: RoomSensorFaults;
}

/** T and P: the example of Bosch's BMP280 [BST-BMP280-DS001, 3.12], whose formulas are the same. H: a choice, about what chips have. */
const T = [27504n, 26435n, -1000n] as const;
const P = [36477n, -10685n, 3024n, 2855n, 140n, -7n, 15500n, -14600n, 6000n] as const;
const H = [75n, 362n, 0n, 315n, 50n, 30n] as const;

/** Typical times: t_measure,typ with one sample each [9.1], and a little for the copy of the calibration. */
const MEASURING_TIME = millis(8);
const COPYING_TIME = millis(1);

export class Bme280Model implements BenchChip {
  private readonly memory = new Uint8Array(256);
  private pointer = 0;
  private lastBytes: readonly number[] = [0];
  private copiedAt: Millis = millis(0);
  /** When the measurement under way is over, and what it will have measured. */
  private measurement: { readonly endsAt: Millis; readonly bytes: readonly number[] } | undefined;

  constructor(
    private readonly parts: Bme280Parts,
    private readonly clock: Pick<Clock, "monotonic">,
  ) {
    this.reset();
  }

  answers(): boolean {
    return this.parts.faults?.sensor !== "unplugged";
  }

  /** A register, and then pairs of a value and the next register [6.2.1]. */
  write([register = 0, ...bytes]: readonly number[]): void {
    this.pointer = register;
    const pairs = [register, ...bytes];
    for (let at = 0; at + 1 < pairs.length; at += 2) this.set(pairs[at] ?? 0, pairs[at + 1] ?? 0);
  }

  read(length: number): number[] {
    const { lastBytes } = this;
    if (this.parts.faults?.sensor === "stuck")
      return Array.from({ length }, (_, at) => lastBytes[at % lastBytes.length] ?? 0);
    this.finish();
    const bytes = Array.from({ length }, (_, at) => this.byte(this.pointer + at));
    this.lastBytes = bytes;
    return bytes;
  }

  private byte(register: number): number {
    const isCalibration = (register >= 0x88 && register <= 0xa1) || (register >= 0xe1 && register <= 0xe7);
    if (isCalibration && this.parts.faults?.sensor === "bad calibration") return 0xff;
    if (register === 0xf3) return this.status();
    return this.memory[register & 0xff] ?? 0;
  }

  private status(): number {
    const isCopying = this.clock.monotonic() < this.copiedAt;
    return (this.measurement ? 0b1000 : 0) | (isCopying ? 0b1 : 0);
  }

  private set(register: number, value: number): void {
    if (register === 0xe0 && value === 0xb6) this.reset();
    if (register !== 0xf2 && register !== 0xf4 && register !== 0xf5) return;
    this.memory[register] = value;
    const mode = value & 0b11;
    if (register === 0xf4 && (mode === 0b01 || mode === 0b10)) this.begin();
  }

  private reset(): void {
    this.memory.fill(0);
    this.memory[0xd0] = 0x60;
    this.memory.set(mainCalibration(), 0x88);
    this.memory.set(humidityCalibration(), 0xe1);
    this.memory.set([0x80, 0, 0, 0x80, 0, 0, 0x80, 0], 0xf7);
    this.measurement = undefined;
    this.copiedAt = millis(this.clock.monotonic() + COPYING_TIME);
  }

  private begin(): void {
    const bytes = dataOf(this.parts.values(), (this.memory[0xf2] ?? 0) !== 0);
    this.measurement = { endsAt: millis(this.clock.monotonic() + MEASURING_TIME), bytes };
  }

  /** After a forced measurement the chip sleeps: its mode is 00. */
  private finish(): void {
    if (!this.measurement || this.clock.monotonic() < this.measurement.endsAt) return;
    this.memory.set(this.measurement.bytes, 0xf7);
    this.memory[0xf4] = (this.memory[0xf4] ?? 0) & ~0b11;
    this.measurement = undefined;
  }
}

function mainCalibration(): Uint8Array {
  const bytes = Buffer.alloc(26);
  [...T, ...P].forEach((figure, at) => {
    if (at === 0 || at === T.length) bytes.writeUInt16LE(Number(figure), 2 * at);
    else bytes.writeInt16LE(Number(figure), 2 * at);
  });
  bytes.writeUInt8(Number(H[0]), 25);
  return bytes;
}

function humidityCalibration(): number[] {
  const [, h2, h3, h4, h5, h6] = H.map(Number) as [number, number, number, number, number, number];
  return [h2 & 0xff, h2 >> 8, h3, h4 >> 4, (h4 & 0x0f) | ((h5 & 0x0f) << 4), h5 >> 4, h6 & 0xff];
}

/** The data registers for this air: pressure, temperature, humidity. A humidity that is not asked for stays at 0x8000. */
function dataOf({ temperature, humidity, pressure }: Air, withHumidity: boolean): number[] {
  const t = search(20, (adc) => centidegrees(fineOf(adc)) >= Math.round(temperature * 100));
  const fine = fineOf(BigInt(t));
  const p = search(20, (adc) => pascalsTimes256(adc, fine) <= Math.round(pressure * 25600));
  const h = withHumidity
    ? search(16, (adc) => humidityTimes1024(adc, fine) >= Math.round(humidity * 1024))
    : 0x8000;
  return [...twentyBits(p), ...twentyBits(t), h >> 8, h & 0xff];
}

/** As the chip keeps them: in three bytes, the last four bits unused [5.3, table 18]. */
const twentyBits = (figure: number): number[] => [figure >> 12, (figure >> 4) & 0xff, (figure & 0xf) << 4];

/** The least figure of so many bits from which on `reached` holds. */
function search(bits: number, reached: (adc: bigint) => boolean): number {
  let [low, high] = [0, 2 ** bits - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (reached(BigInt(middle))) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** t_fine [4.2.3, BME280_compensate_T_int32]. */
function fineOf(adc: bigint): bigint {
  const var1 = (((adc >> 3n) - (T[0] << 1n)) * T[1]) >> 11n;
  const from = (adc >> 4n) - T[0];
  return var1 + ((((from * from) >> 12n) * T[2]) >> 14n);
}

const centidegrees = (fine: bigint): number => Number((fine * 5n + 128n) >> 8n);

/** [4.2.3, BME280_compensate_P_int64] */
function pascalsTimes256(adc: bigint, fine: bigint): number {
  const [p1, p2, p3, p4, p5, p6, p7, p8, p9] = P;
  const from = fine - 128000n;
  const offset = from * from * p6 + ((from * p5) << 17n) + (p4 << 35n);
  const slope = (((1n << 47n) + ((from * from * p3) >> 8n) + ((from * p2) << 12n)) * p1) >> 33n;
  const linear = ((((1048576n - adc) << 31n) - offset) * 3125n) / slope;
  const square = (p9 * (linear >> 13n) * (linear >> 13n)) >> 25n;
  return Number(((linear + square + ((p8 * linear) >> 19n)) >> 8n) + (p7 << 4n));
}

/** [4.2.3, BME280_compensate_H_int32], before it is held within 0 and 100 %. */
function humidityTimes1024(adc: bigint, fine: bigint): number {
  const [h1, h2, h3, h4, h5, h6] = H;
  const from = fine - 76800n;
  const left = ((adc << 14n) - (h4 << 20n) - h5 * from + 16384n) >> 15n;
  const slope = (((from * h6) >> 10n) * (((from * h3) >> 11n) + 32768n)) >> 10n;
  const linear = left * (((slope + 2097152n) * h2 + 8192n) >> 14n);
  const bent = linear - (((((linear >> 15n) * (linear >> 15n)) >> 7n) * h1) >> 4n);
  return Number(bent >> 12n);
}
