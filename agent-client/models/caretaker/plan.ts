import {
  type EpochMillis,
  hours,
  type Millilitres,
  type Minutes,
  minutes,
  type Percent,
} from "../../clock.js";
import type { LightStatus, Soil, WaterUsage } from "./facts.js";

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
const MAX_UNTRIED: Millilitres = 50;

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
  words:
    `cactus cacti cactuses echinocactus mammillaria opuntia succulent aloe agave echeveria crassula sedum haworthia
    lithops`.split(/\s+/),
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

type PlantState = "healthy" | "stressed" | "concerning" | "critical" | "unknown";

export interface PlannedAction {
  readonly order: number;
  readonly action: "water" | "light";
  readonly value: number;
}

export interface Plan {
  readonly state: PlantState;
  readonly actions: readonly PlannedAction[];
  readonly reasoning: string;
}

export interface Situation {
  readonly now: EpochMillis;
  readonly soil: Soil;
  readonly water: WaterUsage;
  readonly light: LightStatus;
  readonly needs: Needs;
  /** Millilitres for one percent in this pot; undefined until it is known. */
  readonly mlPerPercent: number | undefined;
  /** The last dose has not reached the probe yet. */
  readonly sinkingIn: boolean;
}

export interface Objections {
  readonly water: boolean;
  readonly light: boolean;
}

/** Millilitres for one percent in a pot of a quarter of a litre, as herbs are sold in. Until more is known, rather too little. */
const SMALL_POT = 2;
/** In a pot of unknown size, less might not show at the probe. */
const MIN_UNTRIED: Millilitres = 20;
/** The contract's limits of one `dispense_water`. */
export const MIN_DOSE: Millilitres = 10;
const LARGEST_DOSE: Millilitres = 25;

/** The shortest `turn_on_light` of the contract. */
const MIN_LIGHT: Minutes = 30;
const DAY = { from: hours(6), to: hours(20) };

/** Pure: the same situation gives the same plan. */
export function planCare(situation: Situation, objections: Objections): Plan {
  const { soil, needs } = situation;
  const doses = objections.water ? [] : dosesFor(situation);
  const light = objections.light ? 0 : lightFor(situation);
  return {
    state: stateOf(soil, needs),
    actions: inOrder(doses, light),
    reasoning: explain(situation, doses, light, objections),
  };
}

/** Equal doses up to the goal; none if the soil is moist or the budget is below the smallest dose. */
function dosesFor(situation: Situation): readonly Millilitres[] {
  const { soil, water, needs, sinkingIn } = situation;
  if (sinkingIn || !isDry(soil, needs) || water.remaining_ml < MIN_DOSE) return [];
  const granted = Math.min(
    wantedFor(soil.reading?.percent ?? needs.waterToward, situation),
    water.remaining_ml,
  );
  return inDoses(granted);
}

/** Equal doses, none larger than the contract allows. */
export function inDoses(ml: Millilitres): readonly Millilitres[] {
  const count = Math.ceil(ml / LARGEST_DOSE);
  return Array.from({ length: count }, () => Math.floor(ml / count));
}

function wantedFor(percent: Percent, { needs, mlPerPercent }: Situation): Millilitres {
  const missing = needs.waterToward - percent;
  return mlPerPercent === undefined
    ? clamp(missing * SMALL_POT, MIN_UNTRIED, Math.min(MAX_UNTRIED, needs.mostWater))
    : clamp(missing * mlPerPercent, MIN_DOSE, needs.mostWater);
}

/** Minutes of light, up to the day's goal, and by day only; 0 for none. */
function lightFor({ now, light, needs }: Pick<Situation, "now" | "light" | "needs">): Minutes {
  if (!isDay(now) || light.status === "on" || !light.can_activate) return 0;
  const untilEvening = Math.floor((DAY.to - timeOfDay(now)) / minutes(1));
  const wanted = Math.min(needs.lightGoal - light.light_today, needs.mostLight, untilEvening);
  return wanted < MIN_LIGHT ? 0 : Math.floor(wanted);
}

export const isDay = (now: EpochMillis): boolean => timeOfDay(now) >= DAY.from && timeOfDay(now) < DAY.to;

export const isDry = ({ fault, reading }: Soil, { waterBelow }: Needs): boolean =>
  fault === undefined && reading.percent < waterBelow;

export const timeOfDay = (now: EpochMillis) => now % hours(24);
const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value));

export function inOrder(doses: readonly Millilitres[], light: Minutes): readonly PlannedAction[] {
  const water = doses.map((value) => ({ action: "water" as const, value }));
  const all = light > 0 ? [...water, { action: "light" as const, value: light }] : water;
  return all.map((each, index) => ({ order: index + 1, ...each }));
}

interface Band {
  /** As a fraction of the moisture at which the plant is watered. */
  readonly below: number;
  readonly state: PlantState;
  readonly words: string;
}

/** Choices: for a herb that is watered at 40 %, they begin at 15, 25, 35 and 40 %. */
const DRY_BANDS: readonly Band[] = [
  { below: 0.375, state: "critical", words: "very dry" },
  { below: 0.625, state: "concerning", words: "dry" },
  { below: 0.875, state: "stressed", words: "rather dry" },
  { below: 1, state: "healthy", words: "a little dry" },
];
const MOIST: Omit<Band, "below"> = { state: "healthy", words: "moist enough" };
const WET: Omit<Band, "below"> = { state: "stressed", words: "too wet" };
/** No drained pot holds this much, by the probe's scale. */
const WET_FROM: Percent = 90;

function bandOf(percent: Percent, { waterBelow }: Needs): Omit<Band, "below"> {
  const dry = DRY_BANDS.find(({ below }) => percent < below * waterBelow);
  return dry ?? (percent < WET_FROM ? MOIST : WET);
}

export const stateOf = ({ fault, reading }: Soil, needs: Needs): PlantState =>
  fault === undefined ? bandOf(reading.percent, needs).state : "unknown";

export const soilInWords = ({ fault, reading }: Soil, needs: Needs): string =>
  fault === undefined ? bandOf(reading.percent, needs).words : "moisture unknown";

function explain(
  situation: Situation,
  doses: readonly Millilitres[],
  light: Minutes,
  objections: Objections,
): string {
  const steps = [waterInWords(situation, doses, objections), light > 0 ? `${light} min of light` : ""].filter(
    (step) => step !== "",
  );
  const soil = soilInWords(situation.soil, situation.needs);
  return `${soil}: ${steps.length > 0 ? steps.join(", ") : "nothing to do"}`;
}

function waterInWords(
  { soil, water, needs, sinkingIn }: Situation,
  doses: readonly Millilitres[],
  objections: Objections,
): string {
  if (doses.length > 0) return `${doses.length} dose${doses.length > 1 ? "s" : ""} of ${doses[0]} ml`;
  if (soil.fault !== undefined) return "no water while the probe is faulty";
  if (!isDry(soil, needs)) return "";
  if (objections.water) return "no water, the runtime objects";
  if (sinkingIn) return "no water before the last dose has sunk in";
  return `no water, ${water.remaining_ml} ml are left of the day's budget`;
}
