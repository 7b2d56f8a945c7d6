import type { PulsedOutput, PulseReport } from "../ports.js";
import type { Millis } from "../units.js";

export class GrowLight {
  constructor(private readonly output: PulsedOutput) {}

  /**
   * Resolves when the lamp is off again; `onStart` is called once it is really lit. Rejects with PULSE_TOO_LONG,
   * PULSE_INVALID or PULSE_BUSY before anything is switched.
   */
  on(duration: Millis, onStart?: () => void): Promise<PulseReport> {
    return this.output.pulse(duration, onStart);
  }

  /** Off at once; always allowed. */
  off(): Promise<void> {
    return this.output.end();
  }

  isOn(): boolean {
    return this.output.isOn();
  }
}
