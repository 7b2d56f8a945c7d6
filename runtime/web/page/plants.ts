import type { Overview } from "../../wire/overview.js";
import type { House } from "./house.js";

/** The argument that names a plant: with one plant the tools take none. */
export function ofPlant(house: House, plant: string): { plant?: string } {
  const { plants = [] } = house.now.overview ?? {};
  return plants.length > 1 ? { plant } : {};
}

/** The tanks that this plant drinks from. */
export const tanksOf = (overview: Overview | undefined, plant: string): Overview["inputs"] =>
  (overview?.inputs ?? []).filter(({ kind, plants }) => kind === "tank" && plants.includes(plant));
