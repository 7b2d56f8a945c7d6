import type { Clock, I2cBus } from "../ports.js";
import type { RoomQuantityName, RoomReading } from "../room-quantities.js";

export interface RoomChip {
  /** Of each quantity that it measures, by its datasheet: least and most. */
  readonly range: Readonly<Partial<Record<RoomQuantityName, readonly [number, number]>>>;
  /** A figure for each quantity of `range`. */
  measure(): Promise<RoomReading>;
  toString(): string;
}

interface RoomChipKind {
  /** On the I²C bus; the first is the default. */
  readonly addresses: readonly number[];
  /** Loads the chip's code: only where a chip is used. */
  open(bus: I2cBus, address: number, clock: Pick<Clock, "sleep">): Promise<RoomChip>;
}

/** By their names in the configuration, which people read in capitals. The first is meant where none is named. */
export const ROOM_CHIPS = {
  bme280: {
    /** With SDO at GND, or at VDDIO [BST-BME280-DS002, 6.2]. */
    addresses: [0x76, 0x77],
    open: async (...on) => new (await import("../chips/bme280.js")).Bme280(...on),
  },
  bh1750: {
    /** With ADDR low, or high [ROHM 11046EDT01, "Slave address"]. */
    addresses: [0x23, 0x5c],
    open: async (...on) => new (await import("../chips/bh1750.js")).Bh1750(...on),
  },
} as const satisfies Readonly<Record<string, RoomChipKind>>;

export type RoomChipName = keyof typeof ROOM_CHIPS;
export const ROOM_CHIP_NAMES = Object.keys(ROOM_CHIPS) as [RoomChipName, ...RoomChipName[]];
