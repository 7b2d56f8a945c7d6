import { DriverError } from "../errors.js";
import { Mutex } from "../mutex.js";
import type { Clock, I2cBus } from "../ports.js";
import { hex, type Millis, millis } from "../units.js";

/** The BH1750FVI by its datasheet (ROHM 11046EDT01, revision D; sections in brackets). No registers: each byte that is written is a command. */

/** [Instruction Set Architecture] */
const COMMAND = {
  powerOn: 0x01,
  /** Empties the data register. It is not taken while the chip is powered down. */
  reset: 0x07,
  /** One measurement in the mode H, then powered down. */
  measureOnce: 0x20,
  /** Three high bits of the measurement time. */
  timeHigh: 0b01000_000,
  /** Five low bits of it. */
  timeLow: 0b011_00000,
} as const;

/** Of the measurement time, as the chip has it at power-on [Adjust measurement result]. */
export const DEFAULT_TIME = 69;
/** The least, which measures the brightest light: 121,556 lx, above full sun [Adjust measurement result: 31 to 254]. */
const LEAST_TIME = 31;

/** The longest time of the mode H with the default measurement time [Electrical Characteristics: tHR]. */
const LONGEST_AT_DEFAULT = 180;
/** It is proportional to the measurement time. Rounded up. */
const LONGEST: Millis = millis(Math.ceil((LONGEST_AT_DEFAULT * LEAST_TIME) / DEFAULT_TIME));

/** Counts in a lux with the default measurement time [Electrical Characteristics: measurement accuracy, typical]. */
const COUNTS_PER_LUX = 1.2;
/** The data register has 16 bits: this or more. */
const SATURATED = 0xffff;

/** The high byte comes first [Measurement sequence example]. */
export const countOf = ([high = 0, low = 0]: readonly number[]): number => (high << 8) | low;

export const luxOf = (count: number, time: number): number =>
  (count / COUNTS_PER_LUX) * (DEFAULT_TIME / time);

/**
 * A BH1750, one measurement at a time. Each measurement empties the data register first, and looks whether it is empty: so a
 * figure is never that of an earlier one. A chip that says 0 for ever cannot be told from darkness: it has no other register.
 */
export class Bh1750 {
  /** The least is darkness; the most is one count below the end of the data register. */
  readonly range = { brightness: [0, luxOf(SATURATED - 1, LEAST_TIME)] } as const;
  private readonly mutex = new Mutex();

  /** `address`: one of ROOM_CHIPS.bh1750 (devices/room-sensor.ts). */
  constructor(
    private readonly bus: I2cBus,
    readonly address: number,
    private readonly clock: Pick<Clock, "sleep">,
  ) {}

  /** Takes about 80 ms. Rejects with BUS_NACK, BUS_TIMEOUT or BUS_FAILED; with SENSOR_STUCK for a chip that keeps its last figure. */
  measure() {
    return this.mutex.run(async () => {
      await this.empty();
      await this.command(COMMAND.timeHigh | (LEAST_TIME >> 5));
      await this.command(COMMAND.timeLow | (LEAST_TIME & 0b11111));
      await this.command(COMMAND.measureOnce);
      await this.clock.sleep(LONGEST);
      return { brightness: luxOf(await this.count(), LEAST_TIME) };
    });
  }

  toString(): string {
    return `BH1750 at ${hex(this.address)} on ${this.bus.name}`;
  }

  private async empty(): Promise<void> {
    await this.command(COMMAND.powerOn);
    await this.command(COMMAND.reset);
    if ((await this.count()) === 0) return;
    throw new DriverError("SENSOR_STUCK", `the ${this} keeps its last figure after a reset`);
  }

  private command(command: number): Promise<void> {
    return this.bus.write(this.address, [command]);
  }

  private async count(): Promise<number> {
    return countOf(await this.bus.read(this.address, 2));
  }
}
