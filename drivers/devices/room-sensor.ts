import type { RoomChipName } from "../chips/addresses.js";
import { DriverError } from "../errors.js";
import type { Clock, I2cBus } from "../ports.js";
import { ROOM_QUANTITY_NAMES, type RoomQuantityName, type RoomReading } from "../room-quantities.js";

/** A sensor of a room, as the configuration has it. */
export interface RoomSensorWiring {
  /** Which room it is in. */
  readonly place: string;
  readonly chip: RoomChipName;
  readonly address: number;
}

interface RoomChip {
  /** Of each quantity that it measures, by its datasheet: least and most. */
  readonly range: Readonly<Partial<Record<RoomQuantityName, readonly [number, number]>>>;
  /** A figure for each quantity of `range`. */
  measure(): Promise<RoomReading>;
  toString(): string;
}

/** A chip in a room. */
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
    sensors.set(place, new RoomSensor(await CHIPS[chip](bus, address, clock)));
  return sensors;
}

type OpenChip = (bus: I2cBus, address: number, clock: Pick<Clock, "sleep">) => Promise<RoomChip>;

/** A further chip is a line here. */
const CHIPS: Readonly<Record<RoomChipName, OpenChip>> = {
  bme280: async (...on) => new (await import("../chips/bme280.js")).Bme280(...on),
  bh1750: async (...on) => new (await import("../chips/bh1750.js")).Bh1750(...on),
};
