import { DriverError } from "../../errors.js";
import type { Clock, I2cBus } from "../../ports.js";
import { Turns } from "../../turns.js";
import { type Counts, millis, type Volts } from "../../units.js";
import {
  type Channel,
  conversionTime,
  OS,
  type Range,
  REGISTER,
  rateCodeOf,
  type SampleRate,
  signed,
  singleShot,
  swapBytes,
  toVolts,
  VARIANTS,
  type Variant,
} from "./registers.js";

/** A chip that is not ready after the longest conversion is asked this often before it counts as failed. */
const POLLS = 10;
const POLL_INTERVAL = millis(1);

export interface AdcOptions {
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
