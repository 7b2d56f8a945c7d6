import type { Millilitres, Minutes, Percent } from "../../units.js";

/** The needs of a kind of plant. Percent by the probe: 0 in air, 100 in soaked soil; drained peat keeps some 78 %. */
export interface Needs {
  /** Words of a species' name, in lower case. */
  readonly words: readonly string[];
  readonly waterBelow: Percent;
  readonly waterToward: Percent;
  /** Most water in a cycle, once the pot is known; before that {@link MAX_UNTRIED}. */
  readonly mostWater: Millilitres;
  /** Lamp time in a day (`lightGoal`) and at once (`mostLight`), in addition to a window's daylight. */
  readonly lightGoal: Minutes;
  readonly mostLight: Minutes;
}

/** Most water in one cycle for a pot of unknown size. A choice: any pot takes it. */
export const MAX_UNTRIED: Millilitres = 50;

/** For a plant of unknown kind: moist, never wet. Choices, like all figures below without a source. */
const COMMON: Needs = {
  words: [],
  waterBelow: 40,
  waterToward: 55,
  mostWater: 100,
  lightGoal: 240,
  mostLight: 60,
};

/**
 * Herbs with soft leaves wilt early: watered a little sooner, in smaller steps. At 43 % of this scale, plants have used about
 * half of the water that peat can give them, which they tolerate without stress (FAO-56, table 22: p 0.4 for mint).
 */
const HERBS: Needs = {
  ...COMMON,
  words: ["basil", "ocimum", "mint", "mentha", "parsley", "coriander", "lettuce"],
  waterBelow: 43,
  waterToward: 53,
};

/**
 * Large leaves and fruit need most water: a patio tomato is watered daily, in heat twice (RHS, "How to grow tomatoes").
 * Changing moisture makes fruit split and rot, so they are watered early. They need the most light.
 */
const THIRSTY: Needs = {
  ...COMMON,
  words: ["tomato", "tomatoes", "lycopersicum", "cucumber", "pepper", "chilli", "capsicum"],
  waterBelow: 44,
  waterToward: 53,
  mostWater: 200,
  lightGoal: 300,
  mostLight: 90,
};

/** Plants of wet forest floors: evenly moist, never dry, in shade (low light in Purdue HO-238-W). */
const FERNS: Needs = {
  ...COMMON,
  words: ["fern", "ferns", "nephrolepis", "adiantum", "calathea", "maranta"],
  waterBelow: 43,
  waterToward: 53,
  lightGoal: 120,
};

/**
 * They store water and rot in wet soil: soaked seldom, and left to dry out in between ("soak and dry"). Grit holds little
 * water: below 18 % of the scale it is nearly dry, at 35 % moist.
 */
const SUCCULENTS: Needs = {
  ...COMMON,
  words: [
    "cactus",
    "cacti",
    "cactuses",
    "echinocactus",
    "mammillaria",
    "opuntia",
    "succulent",
    "aloe",
    "agave",
  ].concat(["echeveria", "crassula", "sedum", "haworthia", "lithops"]),
  waterBelow: 18,
  waterToward: 35,
  mostWater: 60,
};

const KINDS: readonly Needs[] = [SUCCULENTS, THIRSTY, FERNS, HERBS];

/** By the words of the species: "Golden barrel cactus" is a cactus. An unknown kind gets the common needs. */
export function needsOf(species: string | undefined): Needs {
  const words = new Set(species?.toLowerCase().split(/[^\p{L}]+/u));
  return KINDS.find((kind) => kind.words.some((word) => words.has(word))) ?? COMMON;
}
