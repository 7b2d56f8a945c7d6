import { hours, type Millis, minutes } from "../units.js";
import type { Substrate } from "./substrate.js";

/** A pot with its growing medium. */
export interface SoilPot {
  readonly substrate: Substrate;
  /** Millilitres of growing medium. */
  readonly volume: number;
  /** Of the soil's surface, m². */
  readonly surface: number;
}

/** How fast water moves in a pot. */
export interface SoilPace {
  /** Free water sinks into the soil, and what the soil does not hold runs out below, with this time constant. */
  readonly percolation: Millis;
  /** The soil drains from container to field capacity with this one. */
  readonly drainage: Millis;
}

/**
 * Percolation is fitted to the recorded pot: `node dist/test/fit/fit.js`. That fit cannot well tell slow drainage from
 * thirsty leaves: with 12 hours it comes to 11.5 mV, with 4 to 12.1 mV; 4 are a choice, for pots
 * drip no longer than an evening.
 */
export const PACE: SoilPace = { percolation: minutes(0.6), drainage: hours(4) };

/** From the soil to the pot's edge, mm: the gap that growers leave for watering (a choice). */
const RIM = 15;

/** What a step did with water, millilitres. */
export interface Percolated {
  /** Into or through the soil. */
  readonly sunk: number;
  /** Out of the pot, below or over the rim. */
  readonly drained: number;
}

/**
 * Water in a pot, millilitres: `bound` in the soil's fine pores, `free` in its coarse pores and above it. Free water sinks into
 * the fine pores until these are at container capacity, and runs out below from then on; between container and field
 * capacity the fine pores drain slowly. Both follow dX/dt = inflow − X / time constant, solved exactly over a step with
 * inflow constant within it, so that the course hardly depends on the step.
 */
export class Soil {
  /** At field capacity, wilting point and so on, millilitres. */
  readonly at: Substrate;
  private readonly brim: number;
  private duration = 0;
  private kept = { free: 1, excess: 1 };

  constructor(
    pot: SoilPot,
    public bound: number,
    public free: number,
    private readonly pace = PACE,
  ) {
    const { airDry, wiltingPoint, fieldCapacity, containerCapacity, saturation } = pot.substrate;
    const volume = pot.volume;
    this.at = {
      airDry: airDry * volume,
      wiltingPoint: wiltingPoint * volume,
      fieldCapacity: fieldCapacity * volume,
      containerCapacity: containerCapacity * volume,
      saturation: saturation * volume,
    };
    this.brim = RIM * pot.surface * 1000;
  }

  /** Bound water and what is free between the grains. */
  get water(): number {
    return Math.min(this.at.saturation, this.bound + this.free);
  }

  get stored(): number {
    return this.bound + this.free;
  }

  /** From a film (0) to the rim (1). */
  get ponded(): number {
    return (this.stored - this.water) / this.brim;
  }

  /** Air-dry (0) to saturated (1). */
  get wetness(): number {
    return Math.max(0, (this.water - this.at.airDry) / (this.at.saturation - this.at.airDry));
  }

  /** Wilting point (0) to field capacity (1), and on at both ends. */
  get availability(): number {
    return (this.water - this.at.wiltingPoint) / (this.at.fieldCapacity - this.at.wiltingPoint);
  }

  /** Lets `water` millilitres come from above and `uptake` leave the fine pores, evenly over the step. */
  step(duration: Millis, water: number, uptake: number): Percolated {
    this.decayOver(duration);
    const sunk = this.percolate(duration, water);
    const held = Math.min(sunk, Math.max(0, this.at.containerCapacity - this.bound));
    const drained = this.drain(duration, held - uptake);
    this.bound += held - uptake - drained;
    return { sunk, drained: sunk - held + drained + this.spill() };
  }

  private percolate(duration: number, water: number): number {
    const settled = (water / duration) * this.pace.percolation;
    const before = this.free;
    this.free = settled + (before - settled) * this.kept.free;
    return before + water - this.free;
  }

  /** Over the rim. */
  private spill(): number {
    const spilled = Math.max(0, this.stored - this.at.saturation - this.brim);
    this.free -= spilled;
    return spilled;
  }

  private drain(duration: number, inflow: number): number {
    const excess = this.bound - this.at.fieldCapacity;
    if (excess <= 0) return 0;
    const settled = (inflow / duration) * this.pace.drainage;
    return Math.max(0, inflow + (excess - settled) * (1 - this.kept.excess));
  }

  /** Steps are nearly all of one length: their decay is worked out once. */
  private decayOver(duration: Millis): void {
    if (duration === this.duration) return;
    this.duration = duration;
    const { percolation, drainage } = this.pace;
    this.kept = { free: Math.exp(-duration / percolation), excess: Math.exp(-duration / drainage) };
  }
}
