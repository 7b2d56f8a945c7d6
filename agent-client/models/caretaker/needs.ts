import type { Millilitres, Minutes, Percent } from "../../units.js";

/** What a kind of plant wants. Percent is the probe's: 0 in the air, 100 in soaked soil; drained peat keeps some 78 %. */
export interface Needs {
  /** Words, in lower case, by which a species is meant. */
  readonly words: readonly string[];
  readonly waterBelow: Percent;
  readonly waterToward: Percent;
  /** In a cycle, once the pot is known; before that {@link MAX_UNTRIED}. */
  readonly mostWater: Millilitres;
  /** Of the lamp, in a day and at once: what it adds to a window's daylight. */
  readonly lightGoal: Minutes;
  readonly mostLight: Minutes;
}

/** What any pot bears, three doses of a cup's tenth: so much goes in one cycle into a pot of unknown size. A choice. */
export const MAX_UNTRIED: Millilitres = 50;

/** House rules for a pot plant that nobody has described: moist, never wet. Choices, as is all that follows and names no source. */
const COMMON: Needs = {
  words: [],
  waterBelow: 40,
  waterToward: 55,
  mostWater: 100,
  lightGoal: 240,
  mostLight: 60,
};

/**
 * Herbs of soft leaves hang them early: watered a little sooner, in smaller steps. Peat at 43 % of this scale has given a
 * good half of what plants can draw from it, the depletion that they bear without effort (FAO-56, table 22: p 0.4 for mint).
 */
const HERBS: Needs = {
  ...COMMON,
  words: ["basil", "ocimum", "mint", "mentha", "parsley", "coriander", "lettuce"],
  waterBelow: 43,
  waterToward: 53,
};

/**
 * Large leaves and fruit drink most: a patio tomato is watered daily, in heat twice (RHS, "How to grow tomatoes"). Fruit
 * splits and rots at its end where the soil swings, so it is watered early; it wants the most light of all here.
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

/** From wet forest floors: evenly moist, never dry, in shade (a crop of low light in Purdue HO-238-W). */
const FERNS: Needs = {
  ...COMMON,
  words: ["fern", "ferns", "nephrolepis", "adiantum", "calathea", "maranta"],
  waterBelow: 43,
  waterToward: 53,
  lightGoal: 120,
};

/**
 * They store water and rot in wet soil: soaked seldom, and left to dry out between ("soak and dry"). Grit holds so little
 * that below 18 % of the scale is nearly dry, and 35 % well moist.
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

/** By the words of a species: "Golden barrel cactus" is a cactus. A plant of unknown kind gets what most want. */
export function needsOf(species: string | undefined): Needs {
  const words = new Set(species?.toLowerCase().split(/[^\p{L}]+/u));
  return KINDS.find((kind) => kind.words.some((word) => words.has(word))) ?? COMMON;
}
