import type { Calibration } from "../devices/soil-probe.js";
import { type EpochMillis, hours, type Millis, type Volts, volts } from "../units.js";
import { approach, gaussian } from "./math.js";

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
