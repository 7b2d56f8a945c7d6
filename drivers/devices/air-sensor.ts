import type { AirChipName } from "../chips/addresses.js";
import { DriverError } from "../errors.js";
import type { Clock, I2cBus } from "../ports.js";
import type { Celsius, Hectopascals, Percent } from "../units.js";

export interface AirReading {
  readonly temperature: Celsius;
  /** Relative humidity. */
  readonly humidity: Percent;
  readonly pressure: Hectopascals;
}

/** A sensor of a room's air, as the configuration has it. */
export interface AirSensorWiring {
  /** Which room it is in. */
  readonly place: string;
  readonly chip: AirChipName;
  readonly address: number;
}

interface AirChip {
  /** What it can measure, by its datasheet: least and most. */
  readonly range: Readonly<Record<keyof AirReading, readonly [number, number]>>;
  measure(): Promise<AirReading>;
  toString(): string;
}

/** A chip in a room. */
export class AirSensor {
  constructor(private readonly chip: AirChip) {}

  /** Rejects with what the bus and the chip say, and with SENSOR_IMPLAUSIBLE for a figure that the chip cannot measure. */
  async read(): Promise<AirReading> {
    const reading = await this.chip.measure();
    for (const [what, [least, most]] of Object.entries(this.chip.range)) {
      const value = reading[what as keyof AirReading];
      if (value >= least && value <= most) continue;
      const told = `the ${this.chip} gives a ${what} of ${value.toFixed(1)}, it can measure ${least} to ${most}`;
      throw new DriverError("SENSOR_IMPLAUSIBLE", told);
    }
    return reading;
  }
}

/** The sensors by their places. Nothing is read yet, and no chip's code is loaded that the configuration does not name. */
export async function openAirSensors(
  wirings: readonly AirSensorWiring[],
  bus: I2cBus,
  clock: Pick<Clock, "sleep">,
): Promise<ReadonlyMap<string, AirSensor>> {
  const sensors = new Map<string, AirSensor>();
  for (const { place, chip, address } of wirings)
    sensors.set(place, new AirSensor(await CHIPS[chip](bus, address, clock)));
  return sensors;
}

type OpenChip = (bus: I2cBus, address: number, clock: Pick<Clock, "sleep">) => Promise<AirChip>;

/** A further chip is a line here. */
const CHIPS: Readonly<Record<AirSensorWiring["chip"], OpenChip>> = {
  bme280: async (...on) => new (await import("../chips/bme280.js")).Bme280(...on),
};
