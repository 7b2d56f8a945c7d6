import type { AirReading, AirSensorWiring } from "../devices/air-sensor.js";
import type { AirSensorFaults, BenchChip } from "./bench-bus.js";
import type { WorldClock } from "./bench-clock.js";
import { Bme280Model } from "./bme280-model.js";
import type { Room } from "./room.js";

type ChipTime = Pick<WorldClock, "world" | "monotonic">;

/** The air sensors of a bench: all stand in the one room that it has. */
export interface WiredAirSensors {
  /** By address. */
  readonly chips: ReadonlyMap<number, BenchChip>;
  /** By place. */
  readonly faults: ReadonlyMap<string, AirSensorFaults>;
}

export function wireAirSensors(
  wirings: readonly AirSensorWiring[],
  room: Room,
  time: ChipTime,
): WiredAirSensors {
  const faults = new Map(wirings.map(({ place }) => [place, {} as AirSensorFaults]));
  const air = () => airOf(room, time);
  const chips = wirings.map(
    ({ place, chip, address }) => [address, MODELS[chip](air, faults.get(place) ?? {}, time)] as const,
  );
  return { chips: new Map(chips), faults };
}

type MakeModel = (air: () => AirReading, faults: AirSensorFaults, time: ChipTime) => BenchChip;

/** A further chip's model is a line here. */
const MODELS: Readonly<Record<AirSensorWiring["chip"], MakeModel>> = {
  bme280: (air, faults, time) => new Bme280Model({ air, faults }, time),
};

function airOf(room: Room, time: ChipTime): AirReading {
  const { temperature, humidity } = room.at(time.world());
  return { temperature, humidity, pressure: room.pressureAt(time.world()) };
}
