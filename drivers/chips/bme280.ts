import { DriverError } from "../errors.js";
import { Mutex } from "../mutex.js";
import type { Clock, I2cBus } from "../ports.js";
import { celsius, hectopascals, hex, type Millis, millis, percent } from "../units.js";

/** The BME280 by its datasheet (Bosch BST-BME280-DS002, revision 1.6; sections in brackets). No I/O here. */

/** [5.3, table 18] */
export const REGISTER = {
  calibration: 0x88,
  id: 0xd0,
  reset: 0xe0,
  humidityCalibration: 0xe1,
  ctrlHum: 0xf2,
  status: 0xf3,
  ctrlMeas: 0xf4,
} as const;

/** What register `id` says [5.4.1]. */
export const ID = 0x60;
/** Written to `reset`, it is as a power-on reset; any other value does nothing [5.4.2]. */
const SOFT_RESET = 0xb6;

/** Others of Bosch's that live at the same addresses, by their id [BST-BMP280-DS001, 4.3.1; BST-BME680-DS001, 5.3.1.5; BST-BMP180-DS000, 4]. */
export const RELATIVES: Readonly<Record<number, string>> = {
  85: "BMP180",
  88: "BMP280",
  97: "BME680",
};

/** Bits of `status` [5.4.4]. */
const MEASURING = 0b1000;
const COPYING_CALIBRATION = 0b1;

/** osrs_h[2:0] = 001: one sample; counts only after the next write of ctrlMeas [5.4.3]. */
const HUMIDITY_ONCE = 0b001;
/** osrs_t[7:5] = 001, osrs_p[4:2] = 001: one sample each [5.4.5]. The setting for weather, which heats the chip least [3.5.1]. */
const REST_ONCE = 0b001_001_00;
/** mode[1:0] = 01: one measurement, then sleep, in which mode reads 00 [3.3, 5.4.5]. */
const FORCED = 0b01;
const MODE = 0b11;

/** From power-on, and so from a reset, until the chip answers [1.1, table 1: t_startup]. */
const START_UP: Millis = millis(2);
/** t_measure,max with one sample each: 1.25 + 2.3 + (2.3 + 0.575) + (2.3 + 0.575) = 9.3 ms [9.1], rounded up. */
const LONGEST_MEASUREMENT: Millis = millis(10);

/** ctrlHum to the last byte of the humidity in one read: the chip keeps what belongs together unchanged meanwhile [4]. */
const RESULT_LENGTH = 0xfe - REGISTER.ctrlHum + 1;
/** 0x88 to 0xa1, with dig_H1 as the last; 0xe1 to 0xe7 [4.2.2, table 16]. */
const CALIBRATION_LENGTH = 26;
const HUMIDITY_CALIBRATION_LENGTH = 7;

/** What the chip has measured, not compensated: 20, 20 and 16 bits [4]. */
interface RawFigures {
  readonly temperature: number;
  readonly pressure: number;
  readonly humidity: number;
}

/** What the registers hold after a reset, until something is measured [5.3, table 18: 0x80, 0x00, 0x00; 0x80, 0x00]. */
const NOT_MEASURED: RawFigures = { temperature: 0x80000, pressure: 0x80000, humidity: 0x8000 };

/** What RESULT_LENGTH bytes from ctrlHum on say. */
export function resultOf(bytes: readonly number[]) {
  const [ctrlHum = 0, status = 0, ctrlMeas = 0, _config, _reserved, ...data] = bytes;
  const [p2 = 0, p1 = 0, p0 = 0, t2 = 0, t1 = 0, t0 = 0, h1 = 0, h0 = 0] = data;
  const raw: RawFigures = {
    pressure: (p2 << 12) | (p1 << 4) | (p0 >> 4),
    temperature: (t2 << 12) | (t1 << 4) | (t0 >> 4),
    humidity: (h1 << 8) | h0,
  };
  return { ctrlHum, status, ctrlMeas, raw };
}

/** Each chip's own figures, written at the factory [4.2.2, table 16]: T1 to T3, P1 to P9, H1 to H6. */
interface Calibration {
  readonly t: readonly [number, number, number];
  readonly p: readonly [number, number, number, number, number, number, number, number, number];
  readonly h: readonly [number, number, number, number, number, number];
}

/** `main`: 26 bytes from 0x88 on; `humidity`: 7 bytes from 0xe1 on. */
export function calibrationOf(main: readonly number[], humidity: readonly number[]): Calibration {
  const [first, second] = [Buffer.from(main), Buffer.from(humidity)];
  const signed = (at: number) => first.readInt16LE(at);
  const [e4, e5, e6] = [second.readInt8(3), second.readUInt8(4), second.readInt8(5)];
  return {
    t: [first.readUInt16LE(0), signed(2), signed(4)],
    p: [first.readUInt16LE(6), ...[8, 10, 12, 14, 16, 18, 20, 22].map(signed)] as unknown as Calibration["p"],
    // H4 and H5 have twelve bits each, signed, and share the byte at 0xe5
    h: [
      first.readUInt8(25),
      second.readInt16LE(0),
      second.readUInt8(2),
      e4 * 16 + (e5 & 0x0f),
      e6 * 16 + (e5 >> 4),
      second.readInt8(6),
    ],
  };
}

/** Bytes that no factory has written: all ones or all zeros, as from a bus with a fault or a chip whose memory is gone. */
const isBlank = (bytes: readonly number[]): boolean =>
  bytes.every((byte) => byte === 0x00) || bytes.every((byte) => byte === 0xff);

/** The formulas in double precision [BST-BME280-DS002, 8.1], with the datasheet's own names and constants. */

export function compensated(raw: RawFigures, calibration: Calibration) {
  const fine = fineTemperature(raw.temperature, calibration);
  return {
    temperature: celsius(fine / 5120),
    humidity: percent(humidity(raw.humidity, fine, calibration)),
    pressure: hectopascals(pascals(raw.pressure, fine, calibration) / 100),
  };
}

/** The temperature in 1/5120 °C, by which the two others are corrected: t_fine. */
function fineTemperature(adc: number, { t: [t1, t2, t3] }: Calibration): number {
  const var1 = (adc / 16384 - t1 / 1024) * t2;
  const var2 = (adc / 131072 - t1 / 8192) ** 2 * t3;
  return var1 + var2;
}

/** Not a number where the calibration would divide by zero. */
function pascals(adc: number, fine: number, { p }: Calibration): number {
  const [p1, p2, p3, p4, p5, p6, p7, p8, p9] = p;
  const from = fine / 2 - 64000;
  const offset = ((from * from * p6) / 32768 + from * p5 * 2) / 4 + p4 * 65536;
  const slope = (1 + ((p3 * from * from) / 524288 + p2 * from) / 524288 / 32768) * p1;
  if (slope === 0) return Number.NaN;
  const linear = ((1048576 - adc - offset / 4096) * 6250) / slope;
  return linear + ((p9 * linear * linear) / 2147483648 + (linear * p8) / 32768 + p7) / 16;
}

/** Held within 0 and 100, as the datasheet does: the chip is allowed to be some percent wrong at either end. */
function humidity(adc: number, fine: number, { h: [h1, h2, h3, h4, h5, h6] }: Calibration): number {
  const from = fine - 76800;
  const offset = h4 * 64 + (h5 / 16384) * from;
  const slope = (h2 / 65536) * (1 + (h6 / 67108864) * from * (1 + (h3 / 67108864) * from));
  const linear = (adc - offset) * slope;
  return Math.max(0, Math.min(100, linear * (1 - (h1 * linear) / 524288)));
}

/** A chip that is not ready in its longest time is asked this often before it counts as stuck. */
const POLLS = 10;
const POLL_INTERVAL = millis(1);

/**
 * A BME280, one measurement at a time. Each measurement asks the chip who it is, resets it and reads its calibration: a minute
 * is long, and so a chip that was exchanged, or lost its supply, is as good as a new one. The reset also empties the
 * registers, so a figure is never that of an earlier measurement.
 */
export class Bme280 {
  /** [1.1 to 1.4: operating ranges] */
  readonly range = { temperature: [-40, 85], humidity: [0, 100], pressure: [300, 1100] } as const;
  private readonly mutex = new Mutex();
  /** Whether it has said its id: a chip that then says another repeats its last bytes. */
  private wasKnown = false;

  /** `address`: one of ROOM_CHIPS.bme280 (devices/room-sensor.ts). */
  constructor(
    private readonly bus: I2cBus,
    readonly address: number,
    private readonly clock: Pick<Clock, "sleep">,
  ) {}

  /**
   * Takes about 15 ms. Rejects with BUS_NACK, BUS_TIMEOUT or BUS_FAILED; with SENSOR_UNKNOWN for a chip of another kind, with
   * SENSOR_STUCK for one that has stopped measuring, with SENSOR_IMPLAUSIBLE for a calibration that no factory has written.
   */
  measure() {
    return this.mutex.run(async () => {
      await this.assertKind();
      await this.reset();
      const calibration = await this.calibration();
      return compensated(await this.convert(), calibration);
    });
  }

  toString(): string {
    return `BME280 at ${hex(this.address)} on ${this.bus.name}`;
  }

  private async assertKind(): Promise<void> {
    const [id = 0] = await this.read(REGISTER.id, 1);
    if (id === ID) {
      this.wasKnown = true;
      return;
    }
    if (this.wasKnown) throw this.stuck("does not know its own kind any more");
    const name = RELATIVES[id];
    const what = name ? `is a ${name} (id ${hex(id)})` : `says id ${hex(id)}`;
    throw new DriverError("SENSOR_UNKNOWN", `the ${this} ${what}, a BME280 says ${hex(ID)}`);
  }

  private async reset(): Promise<void> {
    await this.bus.write(this.address, [REGISTER.reset, SOFT_RESET]);
    await this.clock.sleep(START_UP);
    await this.poll("was still reading its calibration", async () => {
      const [status = 0] = await this.read(REGISTER.status, 1);
      return (status & COPYING_CALIBRATION) === 0 || undefined;
    });
  }

  private async calibration(): Promise<Calibration> {
    const main = await this.read(REGISTER.calibration, CALIBRATION_LENGTH);
    const humidity = await this.read(REGISTER.humidityCalibration, HUMIDITY_CALIBRATION_LENGTH);
    if (!isBlank(main) && !isBlank(humidity)) return calibrationOf(main, humidity);
    throw new DriverError("SENSOR_IMPLAUSIBLE", `the calibration in the ${this} is blank`);
  }

  private async convert(): Promise<RawFigures> {
    const start = [REGISTER.ctrlHum, HUMIDITY_ONCE, REGISTER.ctrlMeas, REST_ONCE | FORCED];
    await this.bus.write(this.address, start);
    await this.clock.sleep(LONGEST_MEASUREMENT);
    return this.poll("was still measuring", async () => {
      const result = resultOf(await this.read(REGISTER.ctrlHum, RESULT_LENGTH));
      if ((result.status & MEASURING) !== 0 || (result.ctrlMeas & MODE) !== 0) return undefined;
      this.assertMeasured(result);
      return result.raw;
    });
  }

  /** A dip of the supply resets the chip: it would measure nothing, or without humidity. */
  private assertMeasured({ ctrlHum, ctrlMeas, raw }: ReturnType<typeof resultOf>): void {
    const isKept = ctrlHum === HUMIDITY_ONCE && ctrlMeas === REST_ONCE;
    const isNew = (Object.keys(raw) as (keyof RawFigures)[]).every(
      (each) => raw[each] !== NOT_MEASURED[each],
    );
    if (isKept && isNew) return;
    throw this.stuck("has not measured what it was told to");
  }

  private async poll<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    for (let poll = 0; poll < POLLS; poll += 1) {
      const seen = await look();
      if (seen !== undefined) return seen;
      await this.clock.sleep(POLL_INTERVAL);
    }
    throw this.stuck(`${what} when it had to be ready`);
  }

  private stuck(how: string): DriverError {
    return new DriverError("SENSOR_STUCK", `the ${this} ${how}`);
  }

  /** The chip goes on to the next register by itself [6.2.2]. */
  private async read(register: number, length: number): Promise<number[]> {
    await this.bus.write(this.address, [register]);
    return this.bus.read(this.address, length);
  }
}
