import { hours, type Millis } from "../units.js";
import { PACE, Soil, type SoilWater } from "./soil.js";
import type { Species } from "./species.js";

/** What the water balance of a pot is about in a species. */
type Crop = Pick<Species, "pot" | "basal" | "depletion">;

/** The most of a pot's surface that leaves cover: light falls in from the sides (a choice). */
const COVER = 0.9;

/** Since the plant came to the bench, millilitres. `need`: what it would have lost with its soil always moist enough. */
interface WaterTotals {
  received: number;
  need: number;
  lost: number;
  drained: number;
}

/** Millilitres. */
export interface WaterState extends SoilWater, Readonly<WaterTotals> {
  readonly surfaceDepletion: number;
}

/**
 * All water of a pot, as FAO-56's daily balance (eq. 85) from step to step: what has come is in the pot, gone into the air, or
 * drained. A millimetre on a square metre is a litre: areas turn mm/h into ml/h.
 */
export class WaterBalance {
  readonly soil: Soil;
  private readonly evaporable: number;
  private surfaceDepletion: number;
  private readonly sums: WaterTotals;

  constructor(
    private readonly crop: Crop,
    from: WaterState,
    pace = PACE,
  ) {
    this.soil = new Soil(crop.pot, from, pace);
    this.evaporable = totalEvaporable(crop.pot);
    this.surfaceDepletion = from.surfaceDepletion;
    const { received, need, lost, drained } = from;
    this.sums = { received, need, lost, drained };
  }

  /** Ks: the share of its need for water that the plant gets. */
  get supply(): number {
    return waterStressCoefficient(this.soil.availability, this.crop.depletion);
  }

  /**
   * @param water that comes from above, ml
   * @param reference evapotranspiration, mm/h
   * @param canopy ground under living leaves, m²
   */
  step(duration: Millis, water: number, reference: number, canopy: number): void {
    const millimetres = (reference * duration) / hours(1);
    const need = this.crop.basal * canopy * millimetres * 1000;
    const evaporated = this.evaporationOf(canopy) * this.crop.pot.surface * millimetres * 1000;
    const left = Math.max(0, this.soil.bound - this.soil.at.airDry);
    const uptake = Math.min(need * this.supply + evaporated, left);
    const { sunk, drained } = this.soil.step(duration, water, uptake);
    this.surfaceDepletion = Math.max(0, Math.min(this.evaporable, this.surfaceDepletion + evaporated - sunk)); // eq. 77
    const { sums } = this;
    sums.received += water;
    sums.need += need + evaporated;
    sums.lost += uptake;
    sums.drained += drained;
  }

  get totals(): Readonly<WaterTotals> {
    return { ...this.sums };
  }

  get state(): WaterState {
    const { bound, free, sensed } = this.soil;
    return { bound, free, sensed, surfaceDepletion: this.surfaceDepletion, ...this.sums };
  }

  /** Ke of the pot's surface, which leaves shade first; a dry root zone lets no water rise to it (a choice beside eq. 74). */
  private evaporationOf(canopy: number): number {
    const { soil, surfaceDepletion, evaporable } = this;
    const dryness = evaporationReduction(surfaceDepletion / evaporable);
    const rise = Math.min(1, (soil.bound - soil.at.airDry) / (soil.at.fieldCapacity - soil.at.airDry));
    const cover = Math.min(COVER, canopy / this.crop.pot.surface);
    return evaporationCoefficient(dryness * rise, this.crop.basal, cover);
  }
}

/**
 * Crop evapotranspiration as in Allen, Pereira, Raes and Smith 1998, "Crop evapotranspiration", FAO Irrigation and Drainage
 * Paper 56; equations and tables by its numbers.
 */

/**
 * Wind at leaves, m/s. Indoors the air moves slower; FAO-56 (ch. 3, "Wind speed") takes at least this much, for buoyancy
 * exchanges vapour where the air is calm.
 */
const WIND = 0.5;
/** Psychrometric constant at sea level, kPa/°C (eq. 8; annex 2, table 2.2). */
const GAMMA = 0.067;
/** Reflected by leaves (eq. 38). */
const ALBEDO = 0.23;
/** Of net radiation, into the ground by day (eq. 45). */
const GROUND = 0.1;
/** Upper limit of the crop coefficient of a wet surface (eq. 72, at its standard climate). */
const KC_MAX = 1.2;
/** Of the soil, m, that dries by evaporation. FAO-56 takes 0.10–0.15 in fields (eq. 73); a pot is a tenth as deep: a choice. */
const EVAPORATION_DEPTH = 0.03;
/** Of what evaporation can take, the part that goes as from open water: medium textures in table 19. */
const READILY_EVAPORABLE = 0.4;

/** Saturation vapour pressure, kPa, at °C (eq. 11). */
export const saturationPressure = (temperature: number) =>
  0.6108 * Math.exp((17.27 * temperature) / (temperature + 237.3));

/**
 * Reference evapotranspiration, mm/h: the hourly Penman–Monteith (eq. 53). Walls are as warm as the leaves, so that net
 * radiation is the light alone and by night none; the night's ground heat (eq. 46) falls away with it.
 * @param temperature °C @param humidity relative, % @param light shortwave, W/m²
 */
export function referenceEvapotranspiration(temperature: number, humidity: number, light: number): number {
  const saturated = saturationPressure(temperature);
  const slope = (4098 * saturated) / (temperature + 237.3) ** 2; // eq. 13
  const deficit = saturated * (1 - humidity / 100); // eq. 54
  const net = (1 - GROUND) * (1 - ALBEDO) * light * 0.0036; // W/m² to MJ/(m² h)
  const aerodynamic = ((GAMMA * 37) / (temperature + 273)) * WIND * deficit;
  return (0.408 * slope * net + aerodynamic) / (slope + GAMMA * (1 + 0.34 * WIND));
}

/**
 * Ks, from 1 to 0 (eq. 84).
 * @param availability of the water between wilting point (0) and field capacity (1)
 * @param depletion fraction p of it that the plant takes without effort (table 22)
 */
export const waterStressCoefficient = (availability: number, depletion: number) =>
  Math.max(0, Math.min(1, availability / (1 - depletion)));

/**
 * What evaporation can take from the surface layer of a pot, ml (TEW, eq. 73, down to air-dry).
 * @param pot surface in m², water contents as shares
 */
export const totalEvaporable = (pot: {
  readonly surface: number;
  readonly substrate: { readonly fieldCapacity: number; readonly airDry: number };
}) => (pot.substrate.fieldCapacity - pot.substrate.airDry) * EVAPORATION_DEPTH * pot.surface * 1e6;

/** Kr, from 1 to 0 (eq. 74), of a surface layer that has lost the share `depleted` of what can evaporate. */
export const evaporationReduction = (depleted: number) =>
  Math.max(0, Math.min(1, (1 - depleted) / (1 - READILY_EVAPORABLE)));

/** Ke of a surface of which leaves cover the share `cover` (eqs. 71 and 75). */
export const evaporationCoefficient = (reduction: number, basal: number, cover: number) =>
  Math.min(reduction * (KC_MAX - basal * cover), (1 - cover) * KC_MAX);
