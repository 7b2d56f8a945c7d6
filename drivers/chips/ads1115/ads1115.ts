import { DriverError } from "../../errors.js";
import type { Clock, I2cBus } from "../../ports.js";
import { type Counts, millis, type Volts } from "../../units.js";
import {
  type Channel,
  CONVERSION_TIME,
  OS,
  type Range,
  REGISTER,
  signed,
  singleShot,
  swapBytes,
  toVolts,
} from "./registers.js";

/** A chip that is not ready after the longest conversion is asked this often before it counts as failed. */
const POLLS = 10;
const POLL_INTERVAL = millis(1);

/**
 * An ADS1115, one conversion at a time: callers of the four channels wait for their turn, since a
 * conversion that is running cannot be told apart from another's.
 */
export class Ads1115 {
  private turn: Promise<unknown> = Promise.resolve();

  /**
   * `address`: 0x48, 0x49, 0x4a or 0x4b with the ADDR pin at GND, VDD, SDA or SCL [9.5.1.1]. `range`: inputs beyond
   * it read as its end; ±4.096 V covers a probe on 3.3 V.
   */
  constructor(
    private readonly bus: I2cBus,
    readonly address: number,
    private readonly clock: Pick<Clock, "sleep">,
    private readonly range: Range = "±4.096 V",
  ) {}

  /** One conversion of `channel` against GND, −32768 to 32767. Rejects with BUS_NACK, BUS_FAILED or CONVERSION_TIMEOUT. */
  readCounts(channel: Channel): Promise<Counts> {
    const mine = this.turn.then(() => this.convert(channel));
    this.turn = mine.catch(() => undefined);
    return mine;
  }

  toVolts(raw: Counts): Volts {
    return toVolts(raw, this.range);
  }

  /** Where it is, for messages. */
  toString(): string {
    return `ADS1115 at 0x${this.address.toString(16)} on ${this.bus.name}`;
  }

  private async convert(channel: Channel): Promise<Counts> {
    const config = singleShot(channel, this.range);
    await this.write(REGISTER.config, config);
    await this.clock.sleep(CONVERSION_TIME);
    await this.untilReady(config);
    return signed(await this.read(REGISTER.conversion));
  }

  private async untilReady(config: number): Promise<void> {
    for (let poll = 0; poll < POLLS; poll++) {
      const status = await this.read(REGISTER.config);
      this.assertKept(config, status);
      if (status & OS) return;
      await this.clock.sleep(POLL_INTERVAL);
    }
    throw new DriverError(
      "CONVERSION_TIMEOUT",
      `${this} was still converting after ${CONVERSION_TIME + POLLS} ms`,
    );
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
