import { type Counts, counts, type Millis, millis } from "../../units.js";

/**
 * Adafruit's seesaw firmware as it runs on the STEMMA soil sensor. It has no datasheet: what is known is Adafruit's guides
 * "Adafruit STEMMA Soil Sensor" and "Adafruit seesaw" (learn.adafruit.com), and its libraries, `seesaw.py` (CircuitPython)
 * and `Adafruit_seesaw.h` (Arduino). No I/O here.
 */

/** A register is a module's base and a function in it, a byte each [guide "Adafruit seesaw": Reading and Writing Data]. */
export type Register = readonly [base: number, fn: number];

/** The kind of chip the firmware runs on, one byte [seesaw.py: _STATUS_BASE, _STATUS_HW_ID]. */
export const HARDWARE_ID: Register = [0x00, 0x01];
/** The count of the capacitive pad, channel 0, two bytes [seesaw.py: _TOUCH_BASE, _TOUCH_CHANNEL_OFFSET]. */
export const TOUCH: Register = [0x0f, 0x10];

/** SAMD09; ATtiny806, 807, 816, 817, 1616 and 1617 [Adafruit_seesaw.h: SEESAW_HW_ID_CODE_…]. */
export const KNOWN_HARDWARE: readonly number[] = [0x55, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89];

/** Between naming a register and reading it [seesaw.py: moisture_read, 0.005 s]. */
export const REPLY_DELAY: Millis = millis(5);
/** Before a count that was not ready is asked for again [seesaw.py: moisture_read, 0.001 s]. */
export const RETRY_DELAY: Millis = millis(1);
/** The first try of a count and four more [seesaw.py: moisture_read]. */
export const TRIES = 5;
/** What is above it is no count [seesaw.py: moisture_read]; 65535 says "not ready" (adafruit/Adafruit_Blinka, issue 84). */
export const HIGHEST = counts(4095);

/** Big-endian. */
export const wordOf = ([high = 0, low = 0]: readonly number[]): Counts => counts((high << 8) | low);
