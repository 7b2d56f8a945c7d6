import type { Look } from "./bench-plant.js";
import { GRIT, PEAT, type SoilPot } from "./soil.js";

/** A kind of plant in the pot that it is sold in. To add one: an object below, and its place in SPECIES. */
export interface Species {
  readonly name: string;
  /** Words, in lower case, by which a configuration means it. */
  readonly words: readonly string[];
  readonly form: Look["form"];
  readonly pot: SoilPot;
  /** Ground that the leaves of a full-grown one cover, m², and days in which a small one grows e-fold. */
  readonly canopy: { readonly area: number; readonly growth: number };
  /** Transpiration of full cover to the reference's: Kcb of the mid-season, FAO-56 table 17. */
  readonly basal: number;
  /** p: part of the available water that it takes without effort, FAO-56 table 22, as it is in a room. */
  readonly depletion: number;
  /** Light integral that it needs and that is too much, mol/(m² day). */
  readonly light: { readonly least: number; readonly most: number };
  /** °C: it stops growing below `coldest` and above `hottest`, and is well between the other two. */
  readonly temperature: {
    readonly coldest: number;
    readonly from: number;
    readonly to: number;
    readonly hottest: number;
  };
  /** Roots lack air above this hydration; they bear it for some hours. */
  readonly aeration: { readonly above: number; readonly hours: number };
  /** Hours in which leaves follow the water that they get: their own store against their loss. */
  readonly slackening: number;
  /** Days at full stress in which its leaves turn yellow or brown. */
  readonly turning: number;
  /** Days at full stress from unharmed to dead. */
  readonly survival: {
    readonly drought: number;
    readonly waterlogging: number;
    readonly light: number;
    readonly temperature: number;
  };
  /** Hydration that is good for it: the first agent's 40 to 80, where the plant is not of another nature. */
  readonly good: { readonly from: number; readonly to: number };
}

/** Crop evapotranspiration of a full canopy in a room, mm a day: 21 °C, 45 % and the light of a window (a choice). */
const INDOOR_EVAPOTRANSPIRATION = 1;

/**
 * p in a room. Table 22 gives it for 5 mm a day; where the air asks for less, roots keep up for longer (the table's
 * footnote, which also has the limits).
 */
export const indoorDepletion = (tabulated: number) =>
  Math.max(0.1, Math.min(0.8, tabulated + 0.04 * (5 - INDOOR_EVAPOTRANSPIRATION)));

/**
 * Sweet basil. Kcb and p of mint, of the same family (FAO-56 tables 17 and 22; basil is in neither). Light: a crop of
 * medium light, 6–12 mol/(m² day), as Torres and Lopez (Purdue HO-238-W) class them; chilled below 10 °C (Lange and
 * Cameron 1994, HortScience 29:102–103). Area of a bushy plant 20 cm across. Times are choices: it hangs its leaves within hours,
 * lives on for some days dry, and its roots rot after a week or two in mud.
 */
const BASIL: Species = {
  name: "basil",
  words: ["basil", "ocimum"],
  form: "leafy",
  pot: { substrate: PEAT, volume: 600, surface: 0.0085 },
  canopy: { area: 0.032, growth: 20 },
  basal: 1.1,
  depletion: indoorDepletion(0.4),
  light: { least: 4, most: 25 },
  temperature: { coldest: 8, from: 15, to: 30, hottest: 40 },
  aeration: { above: 85, hours: 72 },
  slackening: 3,
  turning: 4,
  survival: { drought: 5, waterlogging: 10, light: 60, temperature: 4 },
  good: { from: 40, to: 80 },
};

/**
 * Tomato of a patio kind. Kcb 1.10 (FAO-56 table 17; 1.15 with soil, table 12), p 0.40 (table 22). Light: 20–30 mol/(m² day)
 * for fruit; a crop of high light, 12 and more, in HO-238-W: 6 keeps leaves alive (a choice). Growth stops below
 * 10 °C and fruit above 35 °C (Heuvelink 2018, Tomatoes, ch. 4). Tomato roots fail within days of flooding.
 */
const TOMATO: Species = {
  name: "tomato",
  words: ["tomato", "tomatoes", "lycopersicum"],
  form: "tomato",
  pot: { substrate: PEAT, volume: 2000, surface: 0.02 },
  canopy: { area: 0.15, growth: 20 },
  basal: 1.1,
  depletion: indoorDepletion(0.4),
  light: { least: 6, most: 35 },
  temperature: { coldest: 8, from: 14, to: 30, hottest: 40 },
  aeration: { above: 80, hours: 60 },
  slackening: 3,
  turning: 4,
  survival: { drought: 6, waterlogging: 9, light: 45, temperature: 4 },
  good: { from: 40, to: 80 },
};

/**
 * Boston fern. FAO-56 has no fern: Kcb 0.6 is WUCOLS' middle class of 0.4–0.6 (Costello and Jones 2014), p 0.3 that of
 * shallow-rooted leaf vegetables (table 22, lettuce). Light: a crop of low light, 3–6 mol/(m² day), in HO-238-W. From
 * wet forests: its roots bear mud longer than a herb's (a choice).
 */
const FERN: Species = {
  name: "fern",
  words: ["fern", "ferns", "nephrolepis", "adiantum"],
  form: "fern",
  pot: { substrate: PEAT, volume: 1200, surface: 0.0135 },
  canopy: { area: 0.11, growth: 40 },
  basal: 0.6,
  depletion: indoorDepletion(0.3),
  light: { least: 2, most: 12 },
  temperature: { coldest: 5, from: 14, to: 28, hottest: 36 },
  aeration: { above: 88, hours: 96 },
  slackening: 6,
  turning: 5,
  survival: { drought: 7, waterlogging: 11, light: 90, temperature: 5 },
  good: { from: 40, to: 80 },
};

/**
 * A barrel cactus. Kcb 0.25 and p 0.5 of pineapple, which opens its stomata by night as cacti do (FAO-56 tables 17 and 22). Light
 * as HO-238-W's medium crops: it bears full sun and lives on little. Its own water lasts for months (Nobel 1988, Environmental
 * Biology of Agaves and Cacti), so that it shrinks over weeks; it likes its soil drier than others do, and rots in mud.
 */
const CACTUS: Species = {
  name: "cactus",
  words: ["cactus", "cacti", "cactuses", "echinocactus", "mammillaria", "opuntia"],
  form: "cactus",
  pot: { substrate: GRIT, volume: 400, surface: 0.0064 },
  canopy: { area: 0.008, growth: 400 },
  basal: 0.25,
  depletion: indoorDepletion(0.5),
  light: { least: 3, most: 45 },
  temperature: { coldest: 2, from: 8, to: 38, hottest: 48 },
  aeration: { above: 85, hours: 120 },
  slackening: 24 * 20,
  turning: 30,
  survival: { drought: 150, waterlogging: 6, light: 150, temperature: 8 },
  good: { from: 10, to: 60 },
};

const SPECIES: readonly Species[] = [CACTUS, BASIL, TOMATO, FERN];
/** What an unknown plant is grown like. */
const COMMON = BASIL;

/** The words by which a free text names one of them. */
export const SPECIES_WORDS: readonly string[] = SPECIES.flatMap(({ words }) => words);

export const SPECIES_NAMES: readonly string[] = SPECIES.map(({ name }) => name);

/** The species that a free text means: "Golden barrel cactus" is a cactus. Without one of the known words, a basil. */
export function speciesOf(text: string | undefined): Species {
  const words = new Set(text?.toLowerCase().split(/[^\p{L}]+/u));
  return SPECIES.find((species) => species.words.some((word) => words.has(word))) ?? COMMON;
}

/** The species of exactly this name. Throws a RangeError that lists the known ones. */
export function speciesNamed(name: string): Species {
  const found = SPECIES.find((species) => species.name === name);
  if (found) return found;
  throw new RangeError(`there is no species "${name}", only ${SPECIES_NAMES.join(", ")}`);
}
