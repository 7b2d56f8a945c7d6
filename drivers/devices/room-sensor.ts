import { DriverError } from "../errors.js";
import type { Clock, I2cBus } from "../ports.js";
import { ROOM_QUANTITY_NAMES, type RoomQuantityName, type RoomReading } from "../room-quantities.js";

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

export interface RoomSensorWiring {
  /** Which room it is in. */
  readonly place: string;
  readonly chip: RoomChipName;
  readonly address: number;
}

export class RoomSensor {
  /** What it measures, in the order of ROOM_QUANTITIES. */
  readonly measures: readonly RoomQuantityName[];

  constructor(private readonly chip: RoomChip) {
    this.measures = ROOM_QUANTITY_NAMES.filter((name) => name in chip.range);
  }

  /** Rejects with what the bus and the chip say, and with SENSOR_IMPLAUSIBLE for a figure that the chip cannot measure. */
  async read(): Promise<RoomReading> {
    const reading = await this.chip.measure();
    for (const what of this.measures) {
      const value = reading[what] ?? Number.NaN;
      const [least, most] = this.chip.range[what] ?? [Number.NaN, Number.NaN];
      if (value >= least && value <= most) continue;
      const told = `the ${this.chip} gives a ${what} of ${value.toFixed(1)}, it can measure ${least} to ${most}`;
      throw new DriverError("SENSOR_IMPLAUSIBLE", told);
    }
    return reading;
  }
}

/** The sensors by their places. Nothing is read yet, and no chip's code is loaded that the configuration does not name. */
export async function openRoomSensors(
  wirings: readonly RoomSensorWiring[],
  bus: I2cBus,
  clock: Pick<Clock, "sleep">,
): Promise<ReadonlyMap<string, RoomSensor>> {
  const sensors = new Map<string, RoomSensor>();
  for (const { place, chip, address } of wirings)
    sensors.set(place, new RoomSensor(await ROOM_CHIPS[chip].open(bus, address, clock)));
  return sensors;
}
