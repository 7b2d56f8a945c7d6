import { hours, type Millis, minutes } from "../units.js";

/** Water contents of a growing medium, m³ of water in a m³ of it, from the driest to the wettest. */
export interface Substrate {
  /** Left when it has dried in the air; evaporation ends here. */
  readonly airDry: number;
  /** Below this roots get nothing. */
  readonly wiltingPoint: number;
  /** Left at a tension of 1 kPa: from here on down plants are counted to have water. */
  readonly fieldCapacity: number;
  /** Left minutes after watering: a pot is low, so its soil stays wetter than field capacity (White and Mastalerz 1966). */
  readonly containerCapacity: number;
  /** All pores full. */
  readonly saturation: number;
}

/** The first agent's reading of a water content: 0 at the wilting point, 100 at field capacity, held within these. */
export const hydrationOf = (content: number, { wiltingPoint, fieldCapacity }: Substrate): number =>
  Math.max(0, Math.min(100, (100 * (content - wiltingPoint)) / (fieldCapacity - wiltingPoint)));

/** The first agent's health: best at a hydration of 50, 0 at both ends. */
export const healthOf = (hydration: number): number => 100 - 2 * Math.abs(hydration - 50);

/**
 * Peat with a tenth of perlite, all of it from the literature. De Boodt and Verdonck's ideal substrate (1972, Acta Hort.
 * 26:37–44) has at least 85 % of pores by volume, and 20–30 % of air at 1 kPa: peat with little perlite is at the wet end. Mixes of peat and
 * perlite, watered and drained in a pot, keep 12–20 % of air (PT Horticulture, "Substrate Handling Influences Water Holding
 * Capacity": 12–17 % and 14–20 % in two mixes): 17 % leave 68 % for water. Peat holds 15–18 % at 300–1500 kPa
 * ("Evaluation of soil physical properties of peat substrate", Acta agriculturae Slovenica, article 1851): FAO-56 puts the
 * wilting point at 1500 kPa. Evaporation ends at half of the wilting point (FAO-56, eq. 73).
 */
export const PEAT: Substrate = {
  airDry: 0.075,
  wiltingPoint: 0.15,
  fieldCapacity: 0.65,
  containerCapacity: 0.68,
  saturation: 0.85,
};

/**
 * Grit with a third of peat, as cacti are potted: less water than peat, and less of it out of reach. All of it choices: pores
 * between sand's 40 % and peat's 85 %, of which coarse grains leave more to the air than peat does.
 */
export const GRIT: Substrate = {
  airDry: 0.02,
  wiltingPoint: 0.06,
  fieldCapacity: 0.31,
  containerCapacity: 0.32,
  saturation: 0.45,
};

/** A pot with its growing medium. */
export interface SoilPot {
  readonly substrate: Substrate;
  /** Millilitres of growing medium. */
  readonly volume: number;
  /** Of the soil's surface, m². */
  readonly surface: number;
}

/** How water moves in a pot. */
export interface SoilPace {
  /** Free water sinks into the soil, and what the soil does not hold runs out below, with this time constant. */
  readonly percolation: Millis;
  /** Parts of the soil that repelled the water take it up with this time constant. */
  readonly wetting: Millis;
  /** Of water that wets dry soil, the part that the soil around the probe gets beyond its share. */
  readonly bypass: number;
  /** Of the water that moist soil holds, the part that soil watered from air-dry does not take up at once. */
  readonly repellency: number;
}

/**
 * The fit to the recorded pot gives percolation, wetting and bypass: `node dist/test/fit/fit.js`. Repellency is from the
 * literature: peat's hysteresis, between drying and wetting, is 21 % of the water that it retains ("Water repellency of
 * organic growing media and its consequences on hysteretic behaviours of the water retention curve", HAL hal-00730116).
 */
export const PACE: SoilPace = {
  percolation: minutes(0.66),
  wetting: hours(16),
  bypass: 0.76,
  repellency: 0.21,
};

/** From the soil to the pot's edge, mm: the gap that growers leave for watering (a choice). */
const RIM = 15;

/** Millilitres of water in a pot, and what a probe in it feels. */
export interface SoilWater {
  /** In the soil's fine pores. */
  readonly bound: number;
  /** In its coarse pores and above it. */
  readonly free: number;
  /** Wetness of the fine pores around the probe, air-dry (0) to saturated (1). */
  readonly sensed: number;
}

/** What a step did with water, millilitres. */
interface Percolated {
  /** Into or through the soil. */
  readonly sunk: number;
  /** Out of the pot, below or over the rim. */
  readonly drained: number;
}

/**
 * Water in a pot. Free water sinks into the fine pores until these are at container capacity, and runs out below from then on.
 * The course hardly depends on the step: free water follows dX/dt = inflow − X / time constant, solved exactly over a step
 * with inflow constant within it.
 *
 * Soil drier than its wilting point repels water: peat is fully hydrophilic from 60 % of water by weight on (Durand et al.
 * 2021, Agronomy 11:907), which is the wilting point at 0.1 kg of peat in a litre. Water then runs along the probe and past dry parts of the soil: the
 * probe's surroundings get more than their share, and the pot holds less. The dry parts take up water over hours, and both
 * effects end with them. How much wetter the probe's surroundings are than the pot is all that this keeps of the past.
 */
export class Soil {
  /** At field capacity, wilting point and so on, millilitres. */
  readonly at: Substrate;
  bound: number;
  free: number;
  sensed: number;
  private readonly brim: number;
  /** The most that the surroundings of a probe can get beyond their share, millilitres for the whole pot. */
  private readonly mostExcess: number;
  private duration = 0;
  private kept = { free: 1, excess: 1 };

  constructor(
    pot: SoilPot,
    from: SoilWater,
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
    this.mostExcess = pace.bypass * (this.at.wiltingPoint - this.at.airDry);
    this.bound = from.bound;
    this.free = from.free;
    this.sensed = from.sensed;
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
    return this.wetnessOf(this.water);
  }

  get wetnessAtProbe(): number {
    return Math.min(1, this.wetnessOf(this.stored + this.excess));
  }

  /** Wilting point (0) to field capacity (1), and on at both ends. */
  get availability(): number {
    return (this.water - this.at.wiltingPoint) / (this.at.fieldCapacity - this.at.wiltingPoint);
  }

  /** Lets `water` millilitres come from above and `uptake` leave the fine pores, evenly over the step. */
  step(duration: Millis, water: number, uptake: number): Percolated {
    this.decayOver(duration);
    const sunk = this.percolate(duration, water);
    const intoDry = Math.min(sunk, Math.max(0, this.at.wiltingPoint - this.bound));
    const excess = Math.min(this.mostExcess, this.excess + this.pace.bypass * intoDry);
    const held = Math.min(sunk, Math.max(0, this.capacityWith(excess) - this.bound));
    this.bound += held - uptake;
    this.sensed = this.wetnessOf(this.bound + excess * this.kept.excess);
    return { sunk, drained: sunk - held + this.spill() };
  }

  /** How much wetter the probe's surroundings are than the pot, as if all of the pot were so, millilitres. */
  private get excess(): number {
    const { airDry, saturation } = this.at;
    return Math.max(0, airDry + this.sensed * (saturation - airDry) - this.bound);
  }

  /** What the fine pores hold while some of them still repel water. */
  private capacityWith(excess: number): number {
    const { airDry, containerCapacity } = this.at;
    return airDry + (containerCapacity - airDry) * (1 - (this.pace.repellency * excess) / this.mostExcess);
  }

  private wetnessOf(water: number): number {
    return Math.max(0, (water - this.at.airDry) / (this.at.saturation - this.at.airDry));
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

  /** Steps are nearly all of one length: their decay is worked out once. */
  private decayOver(duration: Millis): void {
    if (duration === this.duration) return;
    this.duration = duration;
    const { percolation, wetting } = this.pace;
    this.kept = { free: Math.exp(-duration / percolation), excess: Math.exp(-duration / wetting) };
  }
}
