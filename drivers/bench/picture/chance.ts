import { uniform } from "../random.js";

/** Number `index` of a sequence, 0 to 1: the same whenever it is asked for. */
export type Chance = (index: number) => number;

/** No part of a picture asks for as many. */
const NUMBERS_OF_A_PART = 100_000;

/** Sequence number `part` of a plant. */
export const chanceOf =
  (seed: number, part: number): Chance =>
  (index) =>
    uniform(seed, part * NUMBERS_OF_A_PART + index);

/** Leaf number `index` of a plant has a hundred numbers of its own, clear of those of its stems. */
export const leafChance =
  (chance: Chance, index: number): Chance =>
  (own) =>
    chance(100 * (index + 1) + own);
