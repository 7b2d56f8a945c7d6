import { hex } from "../units.js";

/** I²C addresses of the chips that Tendril knows, apart from the chips' code: that is loaded only where a chip is used. */
export const ADDRESSES = {
  /** With the ADDR pin at GND, VDD, SDA, SCL [TI SBAS444, 9.5.1.1]. */
  ads1115: [0x48, 0x49, 0x4a, 0x4b],
  /** By the jumpers AD0 and AD1 [guide "Adafruit STEMMA Soil Sensor": Pinouts]. */
  seesaw: [0x36, 0x37, 0x38, 0x39],
  /** With SDO at GND, or at VDDIO [BST-BME280-DS002, 6.2]. */
  bme280: [0x76, 0x77],
  /** With ADDR low, or high [ROHM 11046EDT01, "Slave address"]. */
  bh1750: [0x23, 0x5c],
} as const;

/** Chips that measure something of a room, by their names in the configuration. No two have an address in common. */
export const ROOM_CHIPS = { bme280: "BME280", bh1750: "BH1750" } as const;
export type RoomChipName = keyof typeof ROOM_CHIPS;

const OF_ROOMS = Object.keys(ROOM_CHIPS) as RoomChipName[];
export const ROOM_ADDRESSES: readonly number[] = OF_ROOMS.flatMap((chip) => [...ADDRESSES[chip]]);

/** Which chip is at an address of ROOM_ADDRESSES. */
export function roomChipAt(address: number): RoomChipName {
  const found = OF_ROOMS.find((chip) => (ADDRESSES[chip] as readonly number[]).includes(address));
  if (!found) throw new RangeError(`no sensor of a room is at ${hex(address)}`);
  return found;
}
