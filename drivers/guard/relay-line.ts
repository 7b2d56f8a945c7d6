import type { Millis } from "../units.js";

/** What ends a pulse on this line when the guard itself is gone. */
export type Cutoff = "none" | "kernel timer" | "DMA";

/**
 * The line of one relay, as the guard alone drives it. Synchronous throughout: between the deadline that the guard
 * has armed and the edge, nothing else may run. Each method throws what the system says.
 */
export interface RelayLine {
  readonly cutoff: Cutoff;
  /** On. Where the line has a cut-off of its own, that is armed first, to end the pulse no sooner than after `duration`. */
  switchOn(duration: Millis): void;
  /** Off at once, also when it is off. */
  switchOff(): void;
  /** Whether the relay is on, as the line itself says. */
  isOn(): boolean;
  /** Off, then given back. */
  close(): void;
}
