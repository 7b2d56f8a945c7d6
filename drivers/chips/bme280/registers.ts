import { type Millis, millis } from "../../units.js";

/** The BME280 by its datasheet (Bosch BST-BME280-DS002, revision 1.6; sections in brackets). No I/O here. */

/** With SDO at GND, or at VDDIO [6.2]. */
export const ADDRESSES = [0x76, 0x77] as const;

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
export const SOFT_RESET = 0xb6;

/** Others of Bosch's that live at the same addresses, by their id [BST-BMP280-DS001, 4.3.1; BST-BME680-DS001, 5.3.1.5; BST-BMP180-DS000, 4]. */
export const RELATIVES: Readonly<Record<number, string>> = {
  85: "BMP180",
  88: "BMP280",
  97: "BME680",
};

/** Bits of `status` [5.4.4]. */
export const MEASURING = 0b1000;
export const COPYING_CALIBRATION = 0b1;

/** osrs_h[2:0] = 001: one sample; counts only after the next write of ctrlMeas [5.4.3]. */
export const HUMIDITY_ONCE = 0b001;
/** osrs_t[7:5] = 001, osrs_p[4:2] = 001: one sample each [5.4.5]. The setting for weather, which heats the chip least [3.5.1]. */
export const REST_ONCE = 0b001_001_00;
/** mode[1:0] = 01: one measurement, then sleep, in which mode reads 00 [3.3, 5.4.5]. */
export const FORCED = 0b01;
export const MODE = 0b11;

/** From power-on, and so from a reset, until the chip answers [1.1, table 1: t_startup]. */
export const START_UP: Millis = millis(2);
/** t_measure,max with one sample each: 1.25 + 2.3 + (2.3 + 0.575) + (2.3 + 0.575) = 9.3 ms [9.1], rounded up. */
export const LONGEST_MEASUREMENT: Millis = millis(10);

/** ctrlHum to the last byte of the humidity in one read: the chip keeps what belongs together unchanged meanwhile [4]. */
export const RESULT_LENGTH = 0xfe - REGISTER.ctrlHum + 1;
/** 0x88 to 0xa1, with dig_H1 as the last; 0xe1 to 0xe7 [4.2.2, table 16]. */
export const CALIBRATION_LENGTH = 26;
export const HUMIDITY_CALIBRATION_LENGTH = 7;

/** What the chip has measured, not compensated: 20, 20 and 16 bits [4]. */
export interface RawFigures {
  readonly temperature: number;
  readonly pressure: number;
  readonly humidity: number;
}

/** What the registers hold after a reset, until something is measured [5.3, table 18: 0x80, 0x00, 0x00; 0x80, 0x00]. */
export const NOT_MEASURED: RawFigures = { temperature: 0x80000, pressure: 0x80000, humidity: 0x8000 };

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
export interface Calibration {
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
    p: [
      first.readUInt16LE(6),
      signed(8),
      signed(10),
      signed(12),
      signed(14),
      signed(16),
      signed(18),
      signed(20),
      signed(22),
    ],
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
export const isBlank = (bytes: readonly number[]): boolean =>
  bytes.every((byte) => byte === 0x00) || bytes.every((byte) => byte === 0xff);
