import type { Calibration } from "../devices/moisture-probe.js";
import {
  type EpochMillis,
  hours,
  type Millilitres,
  type Millis,
  minutes,
  type Percent,
  type Volts,
  volts,
} from "../units.js";
import { gaussian } from "./random.js";

/** What a plant is exposed to during one step. */
export interface Exposure {
  readonly water: Millilitres;
  readonly lit: boolean;
  readonly day: boolean;
}

export interface PlantSnapshot {
  /** Water in the soil, millilitres. */
  readonly soil: number;
  /** Water that was poured and has not sunk in yet, millilitres. */
  readonly surface: number;
}

/** A plant, or what takes its place, as the rest of the bench sees it. */
export interface BenchPlant {
  /** Lives on for `duration`. */
  step(duration: Millis, exposure: Exposure): void;
  /** Output of the probe at an instant of the wall clock, with its noise; undefined where no probe is plugged in. */
  probe(at: EpochMillis): Volts | undefined;
  /** The truth, for pictures and scoring: 0 = as dry, 100 = as wet as the probe's calibration. */
  moisture(at: EpochMillis): Percent;
  /** What is to be kept over a power cut, if anything. */
  snapshot(): PlantSnapshot | undefined;
}

/** Water that a pot holds at 100 %, millilitres; what is more runs out below. */
const CAPACITY = 200;
/** Water sinks in with this time constant: it shows a minute or two after the pump. */
const INFILTRATION = minutes(2);
/** Part of the soil's water that goes in an hour: a thirsty plant, so that a sped-up bench shows care within minutes. */
const DRYING = { day: 0.15, night: 0.05 };
const LAMP_FACTOR = 1.5;
/** A new bench's plant is a little dry. */
const AT_FIRST: PlantSnapshot = { soil: 0.38 * CAPACITY, surface: 0 };
/** Standard deviation of the recorded pot's probe from minute to minute (test/fixtures/real-plant). */
const PROBE_NOISE = volts(0.001);

/**
 * A bucket of water with a plant in it: a pure function of its start, its water and its light, whoever looks
 * at it and when.
 */
export class VirtualPlant implements BenchPlant {
  private soil: number;
  private surface: number;

  constructor(
    private readonly calibration: Calibration,
    private readonly seed: number,
    from: PlantSnapshot = AT_FIRST,
  ) {
    ({ soil: this.soil, surface: this.surface } = from);
  }

  step(duration: Millis, { water, lit, day }: Exposure): void {
    this.surface += water;
    const sunk = this.surface * (1 - Math.exp(-duration / INFILTRATION));
    const rate = (day ? DRYING.day : DRYING.night) * (lit ? LAMP_FACTOR : 1);
    this.surface -= sunk;
    this.soil = Math.min(CAPACITY, this.soil + sunk) * Math.exp((-rate * duration) / hours(1));
  }

  probe(at: EpochMillis): Volts {
    const { dry, wet } = this.calibration;
    return volts(dry + (wet - dry) * (this.soil / CAPACITY) + PROBE_NOISE * gaussian(this.seed, at));
  }

  moisture(): Percent {
    return ((100 * this.soil) / CAPACITY) as Percent;
  }

  snapshot(): PlantSnapshot {
    return { soil: this.soil, surface: this.surface };
  }
}
