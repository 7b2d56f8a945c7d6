import type { PlantTruth } from "./bench-plant.js";
import { approach, ramp } from "./math.js";
import type { Species } from "./species.js";

/** What a plant's past has made of it. Shares from 0 to 1 where nothing else is said. */
export interface Condition {
  /** From seedling to full grown. */
  canopy: number;
  /** Firm (1) to collapsed (0). */
  turgor: number;
  /** Of the leaves. */
  yellowing: number;
  /** 100 unharmed, 0 dead. */
  vigour: number;
  /** Hours that its roots have lacked air, less what has aired out since. */
  soaked: number;
  /** Light of the last 24 hours, mol/m²: a first-order filter with that time constant, so the past fades and does not drop out. */
  lightIntegral: number;
}

/** What it lives on during a step. */
export interface Living {
  /** Ks, the share of its need for water that the soil gives. */
  readonly supply: number;
  /** 0 at the wilting point, 100 at field capacity; above 100 when soaked. */
  readonly hydration: number;
  /** All light at the leaves, µmol/(m² s). */
  readonly light: number;
  /** °C. */
  readonly temperature: number;
}

type Stress = PlantTruth["stress"];

/** Present stress of a plant, by cause. */
export function stressOf(species: Species, condition: Condition, living: Living): Stress {
  const { light, temperature, aeration } = species;
  const { lightIntegral, soaked } = condition;
  const cold = ramp(living.temperature, temperature.from, temperature.coldest);
  const heat = ramp(living.temperature, temperature.to, temperature.hottest);
  return {
    drought: 1 - living.supply,
    waterlogging: ramp(soaked, aeration.hours, 2 * aeration.hours),
    light: ramp(lightIntegral, light.least, 0) + ramp(lightIntegral, light.most, 2 * light.most),
    temperature: cold + heat,
  };
}

/** Plants bear half of a stress unharmed: they close their stomata, and grow slower (a choice). */
const BORNE = 0.5;
/** Points of vigour that a plant without stress wins back in a day: it grows new leaves within a month (a choice). */
const HEALING = 3;
/** Roots take up air again within a day of draining (a choice). */
const AIRING_HOURS = 24;
/** Leaves that turned are replaced within three weeks (a choice). */
const GREENING_DAYS = 21;
/** Leaves begin to hang when they get less than this share of what they need (a choice): wilting shows late. */
const FIRM_SUPPLY = 0.6;

/** Lives on for `hours` under the stress given: changes `condition`. */
export function live(
  species: Species,
  condition: Condition,
  stress: Stress,
  living: Living,
  hours: number,
): void {
  integrateLight(condition, living.light, hours);
  soak(species, condition, living.hydration, hours);
  const dead = condition.vigour === 0;
  slacken(species, condition, dead ? 1 : stress.waterlogging, dead ? 0 : living.supply, hours);
  const worst = Math.max(stress.drought, stress.waterlogging, stress.light, stress.temperature);
  discolour(species, condition, dead ? 1 : ramp(worst, BORNE, 1), hours);
  if (dead) return;
  suffer(species, condition, stress, hours);
  const { canopy } = condition;
  condition.canopy += ((canopy * (1 - canopy) * (1 - worst)) / species.canopy.growth) * (hours / 24);
}

function integrateLight(condition: Condition, light: number, hours: number): void {
  const day = light * 0.0864; // µmol/(m² s) to mol/(m² day)
  condition.lightIntegral += (day - condition.lightIntegral) * approach(hours, 24);
}

/** No longer than it takes to be at full stress and as long again: roots do not get worse than rotten. */
function soak({ aeration }: Species, condition: Condition, hydration: number, hours: number): void {
  const aired = condition.soaked * (1 - approach(hours, AIRING_HOURS));
  condition.soaked =
    hydration > aeration.above ? Math.min(3 * aeration.hours, condition.soaked + hours) : aired;
}

/** Roots without air take up no water in the wettest soil. */
function slacken(
  { slackening }: Species,
  condition: Condition,
  waterlogging: number,
  supply: number,
  hours: number,
): void {
  const firm = Math.min(1, supply / FIRM_SUPPLY) * (1 - 0.7 * waterlogging);
  condition.turgor += (firm - condition.turgor) * approach(hours, slackening);
}

function discolour({ turning }: Species, condition: Condition, stress: number, hours: number): void {
  const days = stress > condition.yellowing ? turning : GREENING_DAYS;
  condition.yellowing += (stress - condition.yellowing) * approach(hours, 24 * days);
}

function suffer({ survival }: Species, condition: Condition, stress: Stress, hours: number): void {
  const harm =
    ramp(stress.drought, BORNE, 1) / survival.drought +
    ramp(stress.waterlogging, BORNE, 1) / survival.waterlogging +
    ramp(stress.light, BORNE, 1) / survival.light +
    ramp(stress.temperature, BORNE, 1) / survival.temperature;
  const change = harm > 0 ? -100 * harm : HEALING;
  condition.vigour = Math.max(0, Math.min(100, condition.vigour + (change * hours) / 24));
}
