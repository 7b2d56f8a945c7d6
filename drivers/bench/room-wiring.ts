import type { RoomChipName, RoomSensorWiring } from "../devices/room-sensor.js";
import type { RoomQuantityName } from "../room-quantities.js";
import type { BenchChip, RoomSensorFaults } from "./bench-bus.js";
import type { WorldClock } from "./bench-clock.js";
import { Bh1750Model } from "./bh1750-model.js";
import { Bme280Model } from "./bme280-model.js";
import type { Room } from "./room.js";

type ChipTime = Pick<WorldClock, "world" | "monotonic">;

/** The sensors of rooms on a bench: all are in the one room that it has. */
export interface WiredRoomSensors {
  /** By address. */
  readonly chips: ReadonlyMap<number, BenchChip>;
  /** By place. */
  readonly faults: ReadonlyMap<string, RoomSensorFaults>;
}

export function wireRoomSensors(
  wirings: readonly RoomSensorWiring[],
  room: Room,
  time: ChipTime,
): WiredRoomSensors {
  const faults = new Map(wirings.map(({ place }) => [place, {} as RoomSensorFaults]));
  const values = () => valuesOf(room, time);
  const chips = wirings.map(
    ({ place, chip, address }) =>
      [address, new MODELS[chip]({ values, faults: faults.get(place) ?? {} }, time)] as const,
  );
  return { chips: new Map(chips), faults };
}

type Values = Readonly<Record<RoomQuantityName, number>>;

interface ModelParts {
  readonly values: () => Values;
  readonly faults: RoomSensorFaults;
}

/** A further chip's model is a line here. */
const MODELS: Readonly<Record<RoomChipName, new (parts: ModelParts, time: ChipTime) => BenchChip>> = {
  bme280: Bme280Model,
  bh1750: Bh1750Model,
};

/** Of daylight, lx in a µmol/(m² s) (Thimijan and Heins 1983, HortScience 18:818–822). */
const LUX_PER_PPFD = 54;

/** What the room's sensors should measure now: a value for each quantity. */
function valuesOf(room: Room, time: ChipTime): Values {
  const { temperature, humidity, daylight } = room.at(time.world());
  const pressure = room.pressureAt(time.world());
  return { temperature, humidity, pressure, brightness: daylight * LUX_PER_PPFD };
}
