import {
  type EpochMillis,
  hours,
  type Millilitres,
  type Minutes,
  minutes,
  type Percent,
} from "../../units.js";
import type { LightStatus, Soil, WaterUsage } from "./facts.js";

export type PlantState = "healthy" | "stressed" | "concerning" | "critical" | "unknown";

export interface PlannedAction {
  readonly order: number;
  readonly action: "water" | "light";
  readonly value: number;
}

export interface Plan {
  readonly state: PlantState;
  readonly actions: readonly PlannedAction[];
  /** One line, for the person. */
  readonly reasoning: string;
}

/** What a plan is made from. */
export interface Situation {
  readonly now: EpochMillis;
  readonly soil: Soil;
  readonly water: WaterUsage;
  readonly light: LightStatus;
}

/** What the runtime has objected to in this cycle. */
export interface Objections {
  readonly water: boolean;
  readonly light: boolean;
}

/** House rules for a pot plant such as basil, of this caretaker alone: a language model follows its prompt. */
const WATER_BELOW: Percent = 40;
const WATER_TOWARD: Percent = 55;
const ML_PER_PERCENT = 2;
const LEAST_PER_CYCLE: Millilitres = 20;
const MOST_PER_CYCLE: Millilitres = 50;
/** The contract's limits of one `dispense_water`. */
export const LEAST_DOSE: Millilitres = 10;
const LARGEST_DOSE: Millilitres = 25;

const LIGHT_GOAL: Minutes = 240;
const MOST_LIGHT: Minutes = 60;
/** The contract's least `turn_on_light`. */
const LEAST_LIGHT: Minutes = 30;
const DAY = { from: hours(6), to: hours(20) };

/** Pure: the same situation gives the same plan. */
export function planCare(situation: Situation, objections: Objections): Plan {
  const { soil, water } = situation;
  const doses =
    objections.water || soil.fault !== undefined ? [] : dosesFor(soil.reading.percent, water.remaining_ml);
  const light = objections.light ? 0 : lightFor(situation);
  return {
    state: stateOf(soil),
    actions: inOrder(doses, light),
    reasoning: explain(situation, doses, light, objections),
  };
}

/** Equal doses toward the goal; none if the soil is moist or the budget has no room for the least dose. */
function dosesFor(percent: Percent, remaining: Millilitres): readonly Millilitres[] {
  if (percent >= WATER_BELOW || remaining < LEAST_DOSE) return [];
  const wanted = clamp((WATER_TOWARD - percent) * ML_PER_PERCENT, LEAST_PER_CYCLE, MOST_PER_CYCLE);
  const granted = Math.min(wanted, remaining);
  const count = Math.ceil(granted / LARGEST_DOSE);
  return Array.from({ length: count }, () => Math.floor(granted / count));
}

/** Minutes of light by day, up to the day's goal and not into the evening; 0 for none. */
function lightFor({ now, light }: Pick<Situation, "now" | "light">): Minutes {
  if (!isDay(now) || light.status === "on" || !light.can_activate) return 0;
  const untilEvening = Math.floor((DAY.to - timeOfDay(now)) / minutes(1));
  const wanted = Math.min(LIGHT_GOAL - light.light_today, MOST_LIGHT, untilEvening);
  return wanted < LEAST_LIGHT ? 0 : Math.floor(wanted);
}

export const isDay = (now: EpochMillis): boolean => timeOfDay(now) >= DAY.from && timeOfDay(now) < DAY.to;

export const isDry = ({ fault, reading }: Soil): boolean =>
  fault === undefined && reading.percent < WATER_BELOW;

const timeOfDay = (now: EpochMillis) => now % hours(24);
const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value));

function inOrder(doses: readonly Millilitres[], light: Minutes): readonly PlannedAction[] {
  const water = doses.map((value) => ({ action: "water" as const, value }));
  const all = light > 0 ? [...water, { action: "light" as const, value: light }] : water;
  return all.map((each, index) => ({ order: index + 1, ...each }));
}

interface Band {
  readonly below: Percent;
  readonly state: PlantState;
  readonly words: string;
}

const BANDS: readonly Band[] = [
  { below: 15, state: "critical", words: "very dry" },
  { below: 25, state: "concerning", words: "dry" },
  { below: 35, state: "stressed", words: "rather dry" },
  { below: WATER_BELOW, state: "healthy", words: "a little dry" },
  { below: 90, state: "healthy", words: "moist enough" },
  { below: Number.POSITIVE_INFINITY, state: "stressed", words: "too wet" },
];

const bandOf = (percent: Percent): Band | undefined => BANDS.find(({ below }) => percent < below);

const stateOf = ({ fault, reading }: Soil): PlantState =>
  fault === undefined ? (bandOf(reading.percent)?.state ?? "unknown") : "unknown";

export const soilInWords = ({ fault, reading }: Soil): string =>
  fault === undefined ? (bandOf(reading.percent)?.words ?? "unknown") : "moisture unknown";

function explain(
  { soil, water }: Situation,
  doses: readonly Millilitres[],
  light: Minutes,
  objections: Objections,
): string {
  const steps = [
    waterInWords(soil, water, doses, objections),
    light > 0 ? `${light} min of light` : "",
  ].filter((step) => step !== "");
  return `${soilInWords(soil)}: ${steps.length > 0 ? steps.join(", ") : "nothing to do"}`;
}

function waterInWords(
  soil: Soil,
  water: WaterUsage,
  doses: readonly Millilitres[],
  objections: Objections,
): string {
  if (doses.length > 0) return `${doses.length} dose${doses.length > 1 ? "s" : ""} of ${doses[0]} ml`;
  if (soil.fault !== undefined) return "no water while the probe is faulty";
  if (!isDry(soil)) return "";
  if (objections.water) return "no water, the runtime objects";
  return `no water, ${water.remaining_ml} ml are left of the day's budget`;
}
