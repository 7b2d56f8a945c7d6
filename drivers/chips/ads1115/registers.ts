import { type Counts, counts, type Millis, millis, type Volts, volts } from "../../units.js";

/**
 * The ADS1115 by its datasheet (TI SBAS444D, January 2018; sections in brackets): addresses, registers and
 * the meaning of their bits. No I/O here.
 */

/** An input measured against GND [9.3.1]. */
export type Channel = 0 | 1 | 2 | 3;

/** Address pointer register [9.6.1]. */
export const REGISTER = { conversion: 0b00, config: 0b01 } as const;

/** Config register, bit 15 [9.6.3]. Written: start a conversion. Read: 1 = no conversion is running. */
export const OS = 0x8000;
/** MUX[2:0] = 100: AIN0 against GND; the following codes are AIN1 to AIN3 [9.6.3]. */
const MUX_AIN0_GND = 0b100 << 12;
/** MODE = 1: one conversion, then power-down [9.4.2.1]. */
const SINGLE_SHOT = 1 << 8;
/** DR[2:0] = 100: 128 samples a second [9.6.3]. */
const SPS_128 = 0b100 << 5;
/** COMP_QUE[1:0] = 11: comparator off, ALERT/RDY high-impedance [9.6.3]. */
const COMPARATOR_OFF = 0b11;

/** PGA[2:0] and the full-scale range it sets; what is above VDD cannot be measured all the same [9.3.3]. */
const RANGE = {
  "±6.144 V": { code: 0b000, fullScale: volts(6.144) },
  "±4.096 V": { code: 0b001, fullScale: volts(4.096) },
  "±2.048 V": { code: 0b010, fullScale: volts(2.048) },
  "±1.024 V": { code: 0b011, fullScale: volts(1.024) },
  "±0.512 V": { code: 0b100, fullScale: volts(0.512) },
  "±0.256 V": { code: 0b101, fullScale: volts(0.256) },
} as const;
export type Range = keyof typeof RANGE;

/**
 * Longest conversion at 128 SPS: 7.8 ms, plus 10 % for the oscillator [7.5 "Data rate variation"], plus 25 µs
 * to wake up [9.4.2.1], rounded up to whole milliseconds.
 */
export const CONVERSION_TIME: Millis = millis(9);

/** The config word that starts one conversion of `channel` against GND. */
export const singleShot = (channel: Channel, range: Range): number =>
  OS | (MUX_AIN0_GND + (channel << 12)) | (RANGE[range].code << 9) | SINGLE_SHOT | SPS_128 | COMPARATOR_OFF;

/** The chip sends the high byte first [9.5.3], SMBus words travel low byte first. */
export const swapBytes = (word: number): number => ((word & 0xff) << 8) | ((word >> 8) & 0xff);

/** Conversion register: two's complement, 16 bits [9.5.4]. */
export const signed = (word: number): Counts => counts(word >= 0x8000 ? word - 0x10000 : word);

/** One count is full scale / 2¹⁵: 125 µV at ±4.096 V [9.3.3, table 3]. */
export const toVolts = (raw: Counts, range: Range): Volts => volts((raw * RANGE[range].fullScale) / 0x8000);
