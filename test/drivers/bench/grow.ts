import type { Air, Look, PlantTruth } from "../../../drivers/bench/bench-plant.js";
import { Room } from "../../../drivers/bench/room.js";
import { speciesNamed } from "../../../drivers/bench/species.js";
import { freshPlant, VirtualPlant } from "../../../drivers/bench/virtual-plant.js";
import { type EpochMillis, millilitres, minutes, volts } from "../../../drivers/units.js";

export const CALIBRATION = { dry: volts(2.75), wet: volts(1.2) };
const MINUTES_A_DAY = 1440;

/** What a day looks like at its end. */
export type Evening = PlantTruth & { readonly look: Look };

interface Care {
  /** Millilitres at a minute of a day, by what the plant has. */
  readonly water?: (minute: number, hydration: number) => number;
  /** Hours of lamp a day, from 08:00. */
  readonly lamp?: number;
  /** First day, UTC. */
  readonly start?: string;
  readonly hydration?: number;
  /** Where the air is not the room's. */
  readonly air?: Partial<Air>;
}

/** A plant from its first day on in the room of seed 1: every evening until `days` are over. */
export function grow(name: string, days: number, care: Care = {}): Evening[] {
  const { water = () => 0, lamp = 0, start = "2026-06-15", hydration, air } = care;
  const plant = new VirtualPlant(
    speciesNamed(name),
    CALIBRATION,
    1,
    freshPlant(speciesNamed(name), hydration),
  );
  const room = new Room(1);
  let now = Date.parse(`${start}T00:00:00Z`);
  return Array.from({ length: days }, () => {
    for (let minute = 0; minute < MINUTES_A_DAY; minute++) {
      now += minutes(1);
      const poured = millilitres(minute % 60 === 0 ? water(minute, plant.truth().hydration) : 0);
      const lit = minute >= 480 && minute < 480 + 60 * lamp;
      plant.step(minutes(1), { water: poured, lamp: lit, air: { ...room.at(now as EpochMillis), ...air } });
    }
    return { ...plant.truth(), look: plant.look() };
  });
}

/** Keeps it at 55 of hydration and a little more. */
export const keptMoist = (_minute: number, hydration: number) => (hydration < 55 ? 20 : 0);
/** 500 ml a day, in doses as a pump gives them. */
export const flooded = (minute: number) => (minute % 60 === 0 && minute < 20 * 60 ? 25 : 0);
/** Day, from 1, of the first evening that answers; Infinity for none. */
export const firstDay = (evenings: readonly Evening[], is: (evening: Evening) => boolean) =>
  evenings.findIndex(is) < 0 ? Number.POSITIVE_INFINITY : evenings.findIndex(is) + 1;
