import { DriverError } from "../errors.js";
import type { Clock, I2cBus } from "../ports.js";
import { ROOM_QUANTITY_NAMES, type RoomQuantityName, type RoomReading } from "../room-quantities.js";
import { ROOM_CHIPS, type RoomChip, type RoomChipName } from "./room-chips.js";

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
