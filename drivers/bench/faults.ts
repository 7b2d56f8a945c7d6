/** What can go wrong with one plant's simulated hardware. Nothing set, nothing wrong. */
export interface BenchFaults {
  /** `unplugged`: the ADC's input floats; `stuck`: the voltage stays as it was last measured. */
  probe?: "unplugged" | "stuck";
  /** `tube off`: what is pumped flows elsewhere; `unknown outcome`: pulses end in time, but the hardware lost track of them. */
  pump?: "tube off" | "unknown outcome";
  /** `dead`: no picture comes. */
  camera?: "dead";
}
