import { hex } from "../units.js";

/** I²C addresses of the chips that Tendril knows, apart from the chips' code: that is loaded only where a chip is used. */
export const ADDRESSES = {
  /** With the ADDR pin at GND, VDD, SDA, SCL [TI SBAS444, 9.5.1.1]. */
  ads1115: [0x48, 0x49, 0x4a, 0x4b],
  /** By the jumpers AD0 and AD1 [guide "Adafruit STEMMA Soil Sensor": Pinouts]. */
  seesaw: [0x36, 0x37, 0x38, 0x39],
  /** With SDO at GND, or at VDDIO [BST-BME280-DS002, 6.2]. */
  bme280: [0x76, 0x77],
} as const;

/** Chips that measure a room's air, by their names in the configuration. */
export const AIR_CHIPS = { bme280: "BME280" } as const;
export type AirChipName = keyof typeof AIR_CHIPS;

const AIR = Object.keys(AIR_CHIPS) as AirChipName[];
export const AIR_ADDRESSES: readonly number[] = AIR.flatMap((chip) => [...ADDRESSES[chip]]);

/** Which chip for the air is at an address of AIR_ADDRESSES. */
export function airChipAt(address: number): AirChipName {
  const found = AIR.find((chip) => (ADDRESSES[chip] as readonly number[]).includes(address));
  if (!found) throw new RangeError(`no chip for the air is at ${hex(address)}`);
  return found;
}
