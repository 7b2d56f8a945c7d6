import { DriverError } from "../../errors.js";
import type { Clock, I2cBus } from "../../ports.js";
import { Turns } from "../../turns.js";
import type { Counts } from "../../units.js";
import {
  HARDWARE_ID,
  HIGHEST,
  KNOWN_HARDWARE,
  REPLY_DELAY,
  RETRY_DELAY,
  type Register,
  TOUCH,
  TRIES,
  wordOf,
} from "./registers.js";

/** The chip of Adafruit's STEMMA soil sensor, one request at a time: it keeps the last register that was named. */
export class Seesaw {
  private readonly turns = new Turns();

  /** `address`: 0x36 to 0x39, by the jumpers AD0 and AD1 [guide "Adafruit STEMMA Soil Sensor": Pinouts]. */
  constructor(
    private readonly bus: I2cBus,
    readonly address: number,
    private readonly clock: Pick<Clock, "sleep">,
  ) {}

  /**
   * The capacitance at the pad, 0 to 4095: about 200 in dry soil and 2000 in wet [guide "Adafruit STEMMA Soil Sensor"].
   * Rejects with BUS_NACK, BUS_TIMEOUT, BUS_FAILED, or CONVERSION_TIMEOUT for a count that is not ready after five tries.
   */
  readCount(): Promise<Counts> {
    return this.turns.run(() => this.count());
  }

  /** Whether the chip calls itself one that the firmware runs on. What repeats its last bytes, or is no seesaw, does not. */
  isSeesaw(): Promise<boolean> {
    return this.turns.run(async () => KNOWN_HARDWARE.includes((await this.request(HARDWARE_ID, 1))[0] ?? -1));
  }

  /** Where it is, for messages. */
  toString(): string {
    return `seesaw at 0x${this.address.toString(16)} on ${this.bus.name}`;
  }

  private async count(): Promise<Counts> {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const count = wordOf(await this.request(TOUCH, 2));
      if (count <= HIGHEST) return count;
      await this.clock.sleep(RETRY_DELAY);
    }
    throw new DriverError("CONVERSION_TIMEOUT", `${this} had no count ready after ${TRIES} tries`);
  }

  private async request(register: Register, length: number): Promise<number[]> {
    await this.bus.write(this.address, register);
    await this.clock.sleep(REPLY_DELAY);
    return this.bus.read(this.address, length);
  }
}
