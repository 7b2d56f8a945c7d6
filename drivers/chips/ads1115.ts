import { DriverError } from "../errors.js";
import type { Clock, I2cBus } from "../ports.js";
import { Turns } from "../turns.js";
import { type Counts, counts, type Millis, millis, type Volts, volts } from "../units.js";

/** A chip that is not ready after the longest conversion is asked this often before it counts as failed. */
const POLLS = 10;
const POLL_INTERVAL = millis(1);

interface AdcOptions {
  readonly variant?: Variant;
  /** Inputs beyond it read as its end. Without it ±4.096 V, which covers a probe on 3.3 V. */
  readonly range?: Range;
  /** Samples a second; 128 without it, which both variants have: soil has time, and slow conversions are quiet. */
  readonly rate?: SampleRate;
}

/**
 * An ADS1115 or ADS1015, one conversion at a time: callers of the four channels wait for their turn, since a
 * conversion that is running cannot be told apart from another's.
 */
export class Ads1115 {
  readonly variant: Variant;
  private readonly range: Range;
  private readonly rate: SampleRate;
  private readonly rateCode: number;
  private readonly turns = new Turns();

  /**
   * `address`: 0x48, 0x49, 0x4a or 0x4b with the ADDR pin at GND, VDD, SDA or SCL [9.5.1.1]. Throws a RangeError for a
   * rate that the variant does not have.
   */
  constructor(
    private readonly bus: I2cBus,
    readonly address: number,
    private readonly clock: Pick<Clock, "sleep">,
    { variant = "ADS1115", range = "±4.096 V", rate = 128 }: AdcOptions = {},
  ) {
    this.variant = variant;
    this.range = range;
    this.rate = rate;
    this.rateCode = rateCodeOf(variant, rate);
  }

  /** Counts between two neighbouring results, in every range. */
  get step(): Counts {
    return VARIANTS[this.variant].step;
  }

  /**
   * One conversion of `channel` against GND, −32768 to 32767. Rejects with BUS_NACK, BUS_TIMEOUT, BUS_FAILED or
   * CONVERSION_TIMEOUT.
   */
  readCounts(channel: Channel, range = this.range): Promise<Counts> {
    return this.turns.run(() => this.convert(channel, range));
  }

  toVolts(raw: Counts, range = this.range): Volts {
    return toVolts(raw, range);
  }

  /** Where it is, for messages. */
  toString(): string {
    return `${this.variant} at 0x${this.address.toString(16)} on ${this.bus.name}`;
  }

  private async convert(channel: Channel, range: Range): Promise<Counts> {
    const config = singleShot(channel, range, this.rateCode);
    await this.write(REGISTER.config, config);
    await this.clock.sleep(conversionTime(this.rate));
    await this.untilReady(config);
    return signed(await this.read(REGISTER.conversion), this);
  }

  private async untilReady(config: number): Promise<void> {
    for (let poll = 0; poll < POLLS; poll++) {
      const status = await this.read(REGISTER.config);
      this.assertKept(config, status);
      if (status & OS) return;
      await this.clock.sleep(POLL_INTERVAL);
    }
    const waited = conversionTime(this.rate) + POLLS * POLL_INTERVAL;
    throw new DriverError("CONVERSION_TIMEOUT", `${this} was still converting after ${waited} ms`);
  }

  /** A dip of the supply resets the chip to AIN0 against AIN1: its result would be of another input. */
  private assertKept(config: number, status: number): void {
    if ((status | OS) === config) return;
    const [wrote, reads] = [config, status].map((word) => `0x${word.toString(16).padStart(4, "0")}`);
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
export const OS = 0x8000;
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
export const VARIANTS = {
  ADS1115: {
    /** Samples a second by DR[2:0] [9.6.3]. */
    rates: [8, 16, 32, 64, 128, 250, 475, 860],
    /** Counts between two neighbouring results. */
    step: counts(1),
  },
  ADS1015: {
    /** By DR[2:0]; 111 is 3300 as well [1015: 8.6.3]. */
    rates: [128, 250, 490, 920, 1600, 2400, 3300],
    /** 12 bits, left-justified in the conversion register [1015: 8.5.4, 8.6.2]: counts are on the ADS1115's scale. */
    step: counts(16),
  },
} as const;
type Variant = keyof typeof VARIANTS;
/** Samples a second. */
type SampleRate<V extends Variant = Variant> = (typeof VARIANTS)[V]["rates"][number];

/** The oscillator may be a tenth slow [7.5 "Data rate variation"; 1015: 7.5]. */
const SLOWEST = 0.9;
/** Milliseconds to wake up for a single conversion [9.4.2.1; 1015: 8.4.2.1]. */
const WAKE_UP = 0.025;

/** Longest conversion: one period of the data rate [9.3.6; 1015: 8.3.6], rounded up to whole milliseconds. */
export const conversionTime = (rate: SampleRate): Millis =>
  millis(Math.ceil(1000 / (rate * SLOWEST) + WAKE_UP));

/** The config word that starts one conversion of `channel` against GND. */
export const singleShot = (channel: Channel, range: Range, rateCode: number): number =>
  OS |
  (MUX_AIN0_GND + (channel << 12)) |
  (RANGE[range].code << 9) |
  SINGLE_SHOT |
  (rateCode << 5) |
  COMPARATOR_OFF;

/** DR[2:0]. Throws a RangeError for a rate that the chip does not have. */
export function rateCodeOf(variant: Variant, rate: SampleRate): number {
  const code = (VARIANTS[variant].rates as readonly number[]).indexOf(rate);
  if (code >= 0) return code;
  throw new RangeError(`the ${variant} has the rates ${VARIANTS[variant].rates.join(", ")}, not ${rate}`);
}

/** The chip sends the high byte first [9.5.3], SMBus words travel low byte first. */
export const swapBytes = (word: number): number => ((word & 0xff) << 8) | ((word >> 8) & 0xff);

/** Conversion register: two's complement, 16 bits [9.5.4]; what is below the chip's step carries nothing. */
export const signed = (word: number, { step } = VARIANTS.ADS1115 as { readonly step: number }): Counts => {
  const result = word & -step & 0xffff;
  return counts(result >= 0x8000 ? result - 0x10000 : result);
};

/** One count is full scale / 2¹⁵: 125 µV at ±4.096 V [9.3.3, table 3]. */
export const toVolts = (raw: Counts, range: Range): Volts => volts((raw * RANGE[range].fullScale) / 0x8000);

/** By how much the counts of one voltage change from one range to another. */
export const scaleBetween = (from: Range, to: Range): number => RANGE[from].fullScale / RANGE[to].fullScale;

/** With the ADDR pin at GND, VDD, SDA, SCL [9.5.1.1]. */
export const ADDRESSES = [0x48, 0x49, 0x4a, 0x4b] as const;

/** Config register after power-up: AIN0 against AIN1, ±2.048 V, single-shot, DR = 100, comparator off [9.6.3; 1015: 8.6.3]. */
const RESET = 0x8583;
/** All of OS, MODE and COMP_QUE, and the bit of MUX that says "against GND". */
const OUR_BITS = OS | MUX_AIN0_GND | SINGLE_SHOT | COMPARATOR_OFF;

/** Whether a config word is that of a chip that nobody has used since it got its supply. */
export const looksFresh = (config: number): boolean => config === RESET;

/** Whether a config word is one that {@link singleShot} makes, with the conversion over. */
export const looksOurs = (config: number): boolean => (config & OUR_BITS) === OUR_BITS;
