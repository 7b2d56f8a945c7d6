import type { Volts } from "../units.js";

/** What can go wrong with one plant's simulated hardware. Nothing set, nothing wrong. */
export interface BenchFaults {
  /**
   * `unplugged`: the ADC's input floats, or the seesaw is gone from the bus; `stuck`: the voltage stays as it was last
   * measured; `reversed`: wetter reads as drier; `frozen`: the chip answers and measures no more, for all that it has.
   */
  probe?: "unplugged" | "stuck" | "reversed" | "frozen";
  /** Where somebody has put the probe; without it, it is in its pot. */
  probeIn?: "air" | "water";
  /** Added to the probe's output: the drift of an aging probe, as far as it has come. */
  probeOffset?: Volts;
  /**
   * `tube off`: what is pumped flows elsewhere; `clogged`: the pump runs and moves nothing; `unknown outcome`: pulses end
   * in time, but the hardware lost track of them; `relay welded`: the Pi's relay does not open any more, nor needs to close.
   */
  pump?: "tube off" | "clogged" | "unknown outcome" | "relay welded";
  /** `dead`: its relay switches, but no light comes. */
  lamp?: "dead";
  /** `dead`: no picture comes; `black`: its lens is covered. */
  camera?: "dead" | "black";
}
