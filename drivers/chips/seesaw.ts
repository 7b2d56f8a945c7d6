import { DriverError } from "../errors.js";
import { Mutex } from "../mutex.js";
import type { Clock, I2cBus } from "../ports.js";
import { type Counts, counts, hex, type Millis, millis } from "../units.js";

/** The chip of Adafruit's STEMMA soil sensor, one request at a time: it keeps the last register that was named. */
export class Seesaw {
  private readonly mutex = new Mutex();

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
    return this.mutex.run(() => this.count());
  }

  /** Whether the chip calls itself one that the firmware runs on. What repeats its last bytes, or is no seesaw, does not. */
  isSeesaw(): Promise<boolean> {
    return this.mutex.run(async () => KNOWN_HARDWARE.includes((await this.request(HARDWARE_ID, 1))[0] ?? -1));
  }

  toString(): string {
    return `seesaw at ${hex(this.address)} on ${this.bus.name}`;
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

/**
 * Adafruit's seesaw firmware as it runs on the STEMMA soil sensor. It has no datasheet: what is known is Adafruit's guides
 * "Adafruit STEMMA Soil Sensor" and "Adafruit seesaw" (learn.adafruit.com), and its libraries, `seesaw.py` (CircuitPython)
 * and `Adafruit_seesaw.h` (Arduino). No I/O here.
 */

/** A register is a module's base and a function in it, a byte each [guide "Adafruit seesaw": Reading and Writing Data]. */
type Register = readonly [base: number, fn: number];

/** The kind of chip the firmware runs on, one byte [seesaw.py: _STATUS_BASE, _STATUS_HW_ID]. */
const HARDWARE_ID: Register = [0x00, 0x01];
/** The count of the capacitive pad, channel 0, two bytes [seesaw.py: _TOUCH_BASE, _TOUCH_CHANNEL_OFFSET]. */
const TOUCH: Register = [0x0f, 0x10];

/** SAMD09; ATtiny806, 807, 816, 817, 1616 and 1617 [Adafruit_seesaw.h: SEESAW_HW_ID_CODE_…]. */
const KNOWN_HARDWARE: readonly number[] = [0x55, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89];

/** Between naming a register and reading it [seesaw.py: moisture_read, 0.005 s]. */
const REPLY_DELAY: Millis = millis(5);
/** Before a count that was not ready is asked for again [seesaw.py: moisture_read, 0.001 s]. */
const RETRY_DELAY: Millis = millis(1);
/** The first try of a count and four more [seesaw.py: moisture_read]. */
const TRIES = 5;
/** What is above it is no count [seesaw.py: moisture_read]; 65535 says "not ready" (adafruit/Adafruit_Blinka, issue 84). */
const HIGHEST = counts(4095);

/** Big-endian. */
export const wordOf = ([high = 0, low = 0]: readonly number[]): Counts => counts((high << 8) | low);
