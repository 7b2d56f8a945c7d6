import { DriverError } from "../errors.js";
import { Mutex } from "../mutex.js";
import type { Clock, I2cBus } from "../ports.js";
import { type Counts, counts, hex, millis, type Volts, volts } from "../units.js";

/** A chip that is not ready after the longest conversion is asked this often before it counts as failed. */
const POLLS = 10;
const POLL_INTERVAL = millis(1);

/**
 * An ADS1115 or ADS1015, one conversion at a time: callers of the four channels wait for their turn, since a
 * conversion that is running cannot be told apart from another's.
 */
export class Ads1115 {
  private readonly mutex = new Mutex();

  /** `address`: 0x48 to 0x4b. */
  constructor(
    private readonly bus: I2cBus,
    readonly address: number,
    private readonly clock: Pick<Clock, "sleep">,
    private readonly variant: Variant = "ADS1115",
  ) {}

  /** Counts between two neighbouring results, in every range. */
  get step(): Counts {
    return VARIANTS[this.variant].step;
  }

  /**
   * One conversion of `channel` against GND, −32768 to 32767. ±4.096 V covers a probe on 3.3 V. Rejects with BUS_NACK, BUS_TIMEOUT, BUS_FAILED or
   * CONVERSION_TIMEOUT.
   */
  readCounts(channel: Channel, range: Range = "±4.096 V"): Promise<Counts> {
    return this.mutex.run(() => this.convert(channel, range));
  }

  toString(): string {
    return `${this.variant} at ${hex(this.address)} on ${this.bus.name}`;
  }

  private async convert(channel: Channel, range: Range): Promise<Counts> {
    const config = singleShot(channel, range, this.variant);
    await this.write(REGISTER.config, config);
    await this.clock.sleep(LONGEST_CONVERSION);
    await this.untilReady(config);
    return signed(await this.read(REGISTER.conversion), this.variant);
  }

  private async untilReady(config: number): Promise<void> {
    for (let poll = 0; poll < POLLS; poll++) {
      const status = await this.read(REGISTER.config);
      this.assertKept(config, status);
      if (status & OS) return;
      await this.clock.sleep(POLL_INTERVAL);
    }
    const waited = LONGEST_CONVERSION + POLLS * POLL_INTERVAL;
    throw new DriverError("CONVERSION_TIMEOUT", `${this} was still converting after ${waited} ms`);
  }

  /** A dip of the supply resets the chip to AIN0 against AIN1: its result would be of another input. */
  private assertKept(config: number, status: number): void {
    if ((status | OS) === config) return;
    const [wrote, reads] = [config, status].map((word) => hex(word, 4));
    throw new DriverError("BUS_FAILED", `${this} lost its configuration (wrote ${wrote}, reads ${reads})`);
  }

  private write(register: number, word: number): Promise<void> {
    return this.bus.writeWord(this.address, register, swapBytes(word));
  }

  private async read(register: number): Promise<number> {
    return swapBytes(await this.bus.readWord(this.address, register));
  }
}

/**
 * The ADS1115 by its datasheet (TI SBAS444D, January 2018; sections in brackets), and where it differs, its sister
 * ADS1015 (TI SBAS473E, January 2018; sections as [1015: …]): addresses, registers and the meaning of their bits. No I/O
 * here.
 */

/** An input measured against GND [9.3.1; 1015: 8.3.1]. */
export type Channel = 0 | 1 | 2 | 3;

/** Address pointer register [9.6.1; 1015: 8.6.1]. */
export const REGISTER = { conversion: 0b00, config: 0b01 } as const;

/** Config register, bit 15 [9.6.3; 1015: 8.6.3]. Written: start a conversion. Read: 1 = no conversion is running. */
const OS = 0x8000;
/** MUX[2:0] = 100: AIN0 against GND; the following codes are AIN1 to AIN3 [9.6.3]. */
const MUX_AIN0_GND = 0b100 << 12;
/** MODE = 1: one conversion, then power-down [9.4.2.1]. */
const SINGLE_SHOT = 1 << 8;
/** COMP_QUE[1:0] = 11: comparator off, ALERT/RDY high-impedance [9.6.3]. */
const COMPARATOR_OFF = 0b11;

/** PGA[2:0] and the full-scale range it sets, the same in both; what is above VDD cannot be measured all the same [9.3.3]. */
const RANGE = {
  "±6.144 V": { code: 0b000, fullScale: volts(6.144) },
  "±4.096 V": { code: 0b001, fullScale: volts(4.096) },
  "±2.048 V": { code: 0b010, fullScale: volts(2.048) },
  "±1.024 V": { code: 0b011, fullScale: volts(1.024) },
  "±0.512 V": { code: 0b100, fullScale: volts(0.512) },
  "±0.256 V": { code: 0b101, fullScale: volts(0.256) },
} as const;
export type Range = keyof typeof RANGE;

/** What tells the two chips apart. */
const VARIANTS = {
  /** `rateCode`: DR[2:0] of 128 samples a second [9.6.3]. `step`: counts between two neighbouring results. */
  ADS1115: { rateCode: 0b100, step: counts(1) },
  /** [1015: 8.6.3]. 12 bits, left-justified [1015: 8.5.4, 8.6.2]: counts are on the ADS1115's scale. */
  ADS1015: { rateCode: 0b000, step: counts(16) },
} as const;
type Variant = keyof typeof VARIANTS;

/**
 * One period of 128 samples a second, a rate that both variants have: soil has time, and slow conversions are quiet. The
 * oscillator may be a tenth slow [7.5 "Data rate variation"; 1015: 7.5]: 8.7 ms. The chip wakes up in 25 µs [9.4.2.1].
 */
export const LONGEST_CONVERSION = millis(9);

/** The config word that starts one conversion of `channel` against GND. */
export const singleShot = (channel: Channel, range: Range, variant: Variant): number =>
  OS |
  (MUX_AIN0_GND + (channel << 12)) |
  (RANGE[range].code << 9) |
  SINGLE_SHOT |
  (VARIANTS[variant].rateCode << 5) |
  COMPARATOR_OFF;

/** The chip sends the high byte first [9.5.3], SMBus words travel low byte first. */
export const swapBytes = (word: number): number => ((word & 0xff) << 8) | ((word >> 8) & 0xff);

/** Conversion register: two's complement, 16 bits [9.5.4]; what is below the chip's step carries nothing. */
export const signed = (word: number, variant: Variant = "ADS1115"): Counts => {
  const result = word & -VARIANTS[variant].step & 0xffff;
  return counts(result >= 0x8000 ? result - 0x10000 : result);
};

/** One count is full scale / 2¹⁵: 125 µV at ±4.096 V [9.3.3, table 3]. */
export const toVolts = (raw: Counts, range: Range): Volts => volts((raw * RANGE[range].fullScale) / 0x8000);

/** By how much the counts of one voltage change from one range to another. */
export const scaleBetween = (from: Range, to: Range): number => RANGE[from].fullScale / RANGE[to].fullScale;

/** Config register after power-up: AIN0 against AIN1, ±2.048 V, single-shot, DR = 100, comparator off [9.6.3; 1015: 8.6.3]. */
const RESET = 0x8583;
/** All of OS, MODE and COMP_QUE, and the bit of MUX that says "against GND". */
const OUR_BITS = OS | MUX_AIN0_GND | SINGLE_SHOT | COMPARATOR_OFF;

/** Whether a config word is that of a chip that nobody has used since it got its supply. */
export const looksFresh = (config: number): boolean => config === RESET;

/** Whether a config word is one that {@link singleShot} makes, with the conversion over. */
export const looksOurs = (config: number): boolean => (config & OUR_BITS) === OUR_BITS;
