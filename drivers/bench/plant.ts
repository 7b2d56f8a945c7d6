import type { Calibration } from "../devices/moisture-probe.js";
import {
  type EpochMillis,
  hours,
  type Millis,
  millilitres,
  minutes,
  type Percent,
  type Volts,
  volts,
} from "../units.js";
import type { BenchPlant, Exposure, Look, PlantSnapshot, PlantTruth } from "./bench-plant.js";
import { gaussian } from "./random.js";

/** Water that a pot holds at 100 %, millilitres; what is more runs out below. */
const CAPACITY = 200;
/** Water sinks in with this time constant: it shows a minute or two after the pump. */
const INFILTRATION = minutes(2);
/** Part of the soil's water that goes in an hour: a thirsty plant, so that a sped-up bench shows care within minutes. */
const DRYING = { day: 0.15, night: 0.05 };
const LAMP_FACTOR = 1.5;
/** A new bench's plant is a little dry. */
const AT_FIRST = { soil: 0.38 * CAPACITY, surface: 0 };
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
    ({ soil: this.soil = 0, surface: this.surface = 0 } = from);
  }

  step(duration: Millis, { water, lamp, air }: Exposure): void {
    this.surface += water;
    const sunk = this.surface * (1 - Math.exp(-duration / INFILTRATION));
    const rate = (air.daylight > 0 ? DRYING.day : DRYING.night) * (lamp ? LAMP_FACTOR : 1);
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

  look(): Look {
    const wet = this.soil / CAPACITY;
    return {
      form: "leafy",
      canopy: 0.6,
      turgor: Math.min(1, 2 * wet),
      yellowing: 0,
      dead: false,
      soilWetness: wet,
      ponded: 0,
    };
  }

  truth(): PlantTruth {
    const hydration = Math.min(100, this.moisture());
    const stress = { drought: 0, waterlogging: 0, light: 0, temperature: 0 };
    const none = millilitres(0);
    const water = { received: none, need: none, lost: none, drained: none };
    return {
      waterContent: (0.5 * hydration) / 100,
      hydration,
      health: 100 - 2 * Math.abs(hydration - 50),
      vigour: 100,
      stress,
      lightIntegral: 0,
      water,
    };
  }

  snapshot(): PlantSnapshot {
    return { soil: this.soil, surface: this.surface };
  }
}
