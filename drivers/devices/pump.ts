import { DriverError } from "../errors.js";
import type { Load } from "../inputs.js";
import type { PulsedOutput, PulseReport } from "../ports.js";
import {
  type Millilitres,
  type Millis,
  type MlPerSecond,
  millilitres,
  millis,
  minutes,
  seconds,
} from "../units.js";

/**
 * Longest pulse of any pump. The interlock cuts at 28.9 s and a coarse kernel timer may be 12.7 % late (26.25 s → 29.6 s):
 * so both stay under 30 s, and no dose that is allowed ends in a fault.
 */
export const MAX_PULSE: Millis = seconds(26);
export const LONGEST_PULSE: Readonly<Record<Load, Millis>> = { pump: MAX_PULSE, light: minutes(120) };
/** The contract's largest dose. */
const LARGEST_DOSE = millilitres(25);
/** What a pump of this flow needs for the contract's largest dose. */
export const longestDose = (flow: MlPerSecond): Millis =>
  millis(Math.ceil((LARGEST_DOSE / flow) * 1000 - ROUNDING));
/** A slower pump could not deliver the largest dose within the longest pulse. */
export const MIN_FLOW = (LARGEST_DOSE / (MAX_PULSE / 1000)) as MlPerSecond;
/** Floating-point noise of a quotient: a dose of exactly 26 s must not become one of 26.001 s. */
const ROUNDING = 1e-6;

export interface Dose {
  /**
   * Delivered: what the time on gives, rounded up to 0.01 ml; where the pulse was not ended on the way, no less than
   * what was asked.
   */
  readonly ml: Millilitres;
  readonly onFor: Millis;
  /** `unknown`: the hardware lost track; `onFor` and `ml` are then the most it can have been. */
  readonly outcome: PulseReport["outcome"];
}

/** A pump of known flow. Water is time, and its end is timed by the output, never here. */
export class Pump {
  /** `flow` as measured. Throws FLOW_TOO_LOW below 25/26 ml/s. */
  constructor(
    private readonly output: PulsedOutput,
    readonly flow: MlPerSecond,
  ) {
    if (flow >= MIN_FLOW) return;
    const need = `more than ${MAX_PULSE / 1000} s for ${LARGEST_DOSE} ml`;
    throw new DriverError("FLOW_TOO_LOW", `a pump of ${flow} ml/s needs ${need}`);
  }

  /** How long the pump is on for `ml`, in whole milliseconds: rounded down, so that no dose is more than was asked. */
  durationOf(ml: Millilitres): Millis {
    return millis(Math.floor((ml / this.flow) * 1000 + ROUNDING));
  }

  /**
   * Resolves when the pump is off again; `onStart` is called once it really runs. Rejects with PULSE_TOO_LONG,
   * PULSE_INVALID, PULSE_BUSY or what `assertStill` throws before anything moves.
   */
  async dispense(ml: Millilitres, onStart?: () => void, assertStill?: () => void): Promise<Dose> {
    const duration = this.durationOf(ml);
    if (duration > MAX_PULSE) throw this.tooLong(ml, duration);
    const { onFor, outcome } = await this.output.pulse(duration, onStart, assertStill);
    const poured = this.pouredIn(onFor);
    return { ml: outcome === "ended" ? poured : larger(ml, poured), onFor, outcome };
  }

  /** The most that can flow of a dose if every process dies during it; infinite where no hardware ends it. */
  most(ml: Millilitres): Millilitres {
    return larger(ml, this.pouredIn(this.output.latestEnd(this.durationOf(ml))));
  }

  /** Off at once; always allowed. */
  stop(): Promise<void> {
    return this.output.end();
  }

  private pouredIn(onFor: Millis): Millilitres {
    return millilitres(Math.ceil((onFor / 1000) * this.flow * 100 - ROUNDING) / 100);
  }

  private tooLong(ml: Millilitres, duration: Millis): DriverError {
    const [needed, longest] = [duration, MAX_PULSE].map((time) => `${time / 1000} s`);
    return new DriverError(
      "PULSE_TOO_LONG",
      `${ml} ml at ${this.flow} ml/s take ${needed}, the longest pulse is ${longest}`,
    );
  }
}

const larger = (a: Millilitres, b: Millilitres): Millilitres => millilitres(Math.max(a, b));
