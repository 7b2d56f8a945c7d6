import { hours, type Millis } from "../units.js";
import {
  evaporationCoefficient,
  evaporationReduction,
  totalEvaporable,
  waterStressCoefficient,
} from "./evapotranspiration.js";
import { PACE, Soil, type SoilWater } from "./soil.js";
import type { Species } from "./species.js";

/** What the water balance of a pot is about in a species. */
export type Crop = Pick<Species, "pot" | "basal" | "depletion">;

/** The most of a pot's surface that leaves cover: light falls in from the sides (a choice). */
const COVER = 0.9;

/** Millilitres. */
export interface WaterState extends SoilWater {
  readonly surfaceDepletion: number;
  readonly received: number;
  readonly need: number;
  readonly lost: number;
  readonly drained: number;
}

/**
 * All water of a pot, as FAO-56's daily balance (eq. 85) from step to step: what has come is in the pot, gone into the air, or
 * drained. A millimetre on a square metre is a litre: areas turn mm/h into ml/h.
 */
export class WaterBalance {
  readonly soil: Soil;
  private readonly evaporable: number;
  private surfaceDepletion: number;
  private received: number;
  private need: number;
  private lost: number;
  private drained: number;

  constructor(
    private readonly crop: Crop,
    from: WaterState,
    pace = PACE,
  ) {
    this.soil = new Soil(crop.pot, from, pace);
    this.evaporable = totalEvaporable(crop.pot);
    this.surfaceDepletion = from.surfaceDepletion;
    this.received = from.received;
    this.need = from.need;
    this.lost = from.lost;
    this.drained = from.drained;
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
    this.received += water;
    this.need += need + evaporated;
    this.lost += uptake;
    this.drained += drained;
  }

  get state(): WaterState {
    const { soil, surfaceDepletion, received, need, lost, drained } = this;
    const { bound, free, sensed } = soil;
    return { bound, free, sensed, surfaceDepletion, received, need, lost, drained };
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
