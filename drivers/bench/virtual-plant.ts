import type { Calibration } from "../devices/soil-probe.js";
import {
  type EpochMillis,
  hours,
  type Millis,
  type Percent,
  percent,
  plus,
  type Volts,
  volts,
} from "../units.js";
import type { BenchPlant, Exposure, Look, PlantSnapshot, PlantTruth } from "./bench-plant.js";
import { type Condition, type Living, live, stressOf } from "./growth.js";
import { approach, gaussian } from "./math.js";
import { irradiance, lampLight } from "./room.js";
import { healthOf, hydrationOf } from "./soil.js";
import type { Species } from "./species.js";
import { referenceEvapotranspiration, WaterBalance } from "./water-balance.js";

/** A plant as it is sold, of its full size (a choice). */
const YOUNG_CANOPY = 0.7;

/** A plant fresh from the shop, its soil at a hydration of 0 to 100. */
export function freshPlant({ name, pot, light }: Species, hydration = 100): PlantSnapshot {
  const { airDry, wiltingPoint, fieldCapacity, saturation } = pot.substrate;
  const content = wiltingPoint + (hydration / 100) * (fieldCapacity - wiltingPoint);
  const sensed = (content - airDry) / (saturation - airDry);
  const water = { bound: content * pot.volume, free: 0, surfaceDepletion: 0 };
  const account = { received: 0, need: 0, lost: 0, drained: 0 };
  const condition = { canopy: YOUNG_CANOPY, turgor: 1, yellowing: 0, vigour: 100, soaked: 0 };
  const past = { sensed, soilTemperature: REFERENCE_TEMPERATURE, lightIntegral: light.least };
  return { species: name, ...water, ...account, ...condition, ...past };
}

/**
 * A plant in a pot: the water balance of FAO-56 with dual crop coefficients, and what drought, mud, light and temperature
 * make of the plant. A pure function of its start and its exposures: looking at it changes nothing.
 *
 * Its hydration is 100 · (θ − θwp) / (θfc − θwp) held within 0 and 100, with θ the water content of its soil, θwp that of
 * the wilting point and θfc that of field capacity; its health is 100 − 2 · |hydration − 50|.
 */
export class VirtualPlant implements BenchPlant {
  private readonly water: WaterBalance;
  private readonly response: ProbeResponse;
  private readonly condition: Condition;
  private readonly living: { -readonly [K in keyof Living]: Living[K] };

  constructor(
    private readonly species: Species,
    private readonly calibration: Calibration<Volts>,
    private readonly seed: number,
    from: PlantSnapshot = freshPlant(species),
  ) {
    const { canopy, turgor, yellowing, vigour, soaked, lightIntegral, soilTemperature } = from;
    this.water = new WaterBalance(species, from);
    this.response = new ProbeResponse(soilTemperature);
    this.condition = { canopy, turgor, yellowing, vigour, soaked, lightIntegral };
    this.living = { supply: 0, hydration: 0, light: 0, temperature: soilTemperature };
    this.feel();
  }

  step(duration: Millis, { water, lamp, air }: Exposure): void {
    const shine = lampLight(lamp);
    const reference = referenceEvapotranspiration(
      air.temperature,
      air.humidity,
      irradiance(air.daylight, shine),
    );
    this.water.step(duration, water, reference, this.leafArea);
    this.response.step(duration, air.temperature);
    this.living.light = air.daylight + shine;
    this.living.temperature = air.temperature;
    this.feel();
    live(this.species, this.condition, this.stress, this.living, duration / hours(1));
  }

  probe(at: EpochMillis): Volts {
    return plus(this.level, probeNoise(this.seed, at));
  }

  moisture(): Percent {
    const { dry, wet } = this.calibration;
    return percent((100 * (this.level - dry)) / (wet - dry));
  }

  look(): Look {
    const { canopy, turgor, yellowing } = this.condition;
    const { wetness, ponded } = this.water.soil;
    const dead = this.condition.vigour === 0;
    return { form: this.species.form, canopy, turgor, yellowing, dead, soilWetness: wetness, ponded };
  }

  truth(): PlantTruth {
    const { substrate, volume } = this.species.pot;
    const waterContent = this.water.soil.water / volume;
    const hydration = hydrationOf(waterContent, substrate);
    return {
      waterContent,
      hydration,
      health: healthOf(hydration),
      vigour: this.condition.vigour,
      stress: this.stress,
      lightIntegral: this.condition.lightIntegral,
      water: this.water.totals as PlantTruth["water"],
    };
  }

  snapshot(): PlantSnapshot {
    const { soilTemperature } = this.response;
    return { species: this.species.name, ...this.water.state, ...this.condition, soilTemperature };
  }

  /** Output of the probe but for its noise. */
  private get level(): Volts {
    return this.response.level(this.calibration, this.water.soil.wetnessAtProbe);
  }

  private get stress() {
    return stressOf(this.species, this.condition, this.living);
  }

  /** Ground under living leaves, m²: what the plant has lost of its vigour it has lost in leaves. */
  private get leafArea(): number {
    const { vigour, canopy } = this.condition;
    return (vigour / 100) * canopy * this.species.canopy.area;
  }

  private feel(): void {
    this.living.supply = this.water.supply;
    this.living.hydration = 100 * this.water.soil.availability;
  }
}

/** Standard deviation of the recorded pot's probe from minute to minute (test/fixtures/real-plant). */
const NOISE = volts(0.001);
/** A pot's soil follows the air in about two hours: half a litre of wet peat in still air (a choice). */
const WARMING = hours(2);
/** Where the drift is nothing, °C: a living room, where people calibrate. */
export const REFERENCE_TEMPERATURE = 21;

export interface ProbeCharacter {
  /** Volts a kelvin of soil temperature. */
  readonly drift: number;
}

/**
 * A choice within what the recorded pot allows (`node dist/test/fit/fit.js`): any drift from 0 to −2.3 mV/K fits it as well
 * as any other. Its rows, a minute apart, show no lag of the probe beside the soil's own.
 */
export const PROBE: ProbeCharacter = { drift: -0.001 };

/**
 * A capacitive probe in its soil. Between its calibrated ends, 0 % is air-dry soil and 100 % saturated soil, in
 * proportion between.
 */
export class ProbeResponse {
  private duration = 0;
  private warming = 0;

  /** @param soilTemperature °C */
  constructor(
    public soilTemperature: number,
    private readonly character = PROBE,
  ) {}

  step(duration: Millis, airTemperature: number): void {
    if (duration !== this.duration) this.warmOver(duration);
    this.soilTemperature += (airTemperature - this.soilTemperature) * this.warming;
  }

  /** Its output but for noise. @param wetness around it, air-dry (0) to saturated (1) */
  level({ dry, wet }: Calibration<Volts>, wetness: number): Volts {
    const drift = this.character.drift * (this.soilTemperature - REFERENCE_TEMPERATURE);
    return volts(dry + (wet - dry) * wetness + drift);
  }

  private warmOver(duration: Millis): void {
    this.duration = duration;
    this.warming = approach(duration, WARMING);
  }
}

/** What a probe is off at an instant. */
export const probeNoise = (seed: number, at: EpochMillis): Volts => volts(NOISE * gaussian(seed, at));
