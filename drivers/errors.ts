/**
 * Every way in which hardware fails, in one table. `fix` says what a person does next.
 * docs/errors.md is generated from this table and the runtime's; a test holds them together.
 */
export const DRIVER_ERRORS = {
  BUS_NACK: { retryable: true, fix: "check wiring and address with i2cdetect" },
  BUS_FAILED: { retryable: true, fix: "check the I²C wiring and that the bus is enabled" },
  CONVERSION_TIMEOUT: { retryable: true, fix: "check the ADC's supply; try again" },
  PROBE_DISCONNECTED: { retryable: true, fix: "plug the probe in and check its cable" },
  PROBE_IMPLAUSIBLE: { retryable: true, fix: "reseat the probe in the soil or recalibrate it" },
  PULSE_TOO_LONG: { retryable: false, fix: "ask for a shorter pulse" },
  PULSE_INVALID: { retryable: false, fix: "ask for a pulse of more than nothing" },
  PULSE_BUSY: { retryable: true, fix: "wait until the running pulse has ended" },
  FLOW_TOO_LOW: { retryable: false, fix: "use a pump, or a calibration, of at least 0.97 ml/s" },
  CAMERA_FAILED: { retryable: true, fix: "check the camera's cable and that nothing else uses it" },
  BOARD_UNSUPPORTED: { retryable: false, fix: "use board: bench" },
  REPLAY_INVALID: { retryable: false, fix: "correct the recording, or the zone it is read in" },
  BENCH_OPTION_INVALID: { retryable: false, fix: "correct the named option" },
  BENCH_STATE_INVALID: { retryable: false, fix: "move the named file away to start with a fresh bench" },
  BENCH_STATE_FAILED: { retryable: true, fix: "check the disk's space and the folder's permissions" },
} as const;

export type DriverErrorCode = keyof typeof DRIVER_ERRORS;

/** `what` says what happened and where; the fix and the code are added from the table. */
export class DriverError extends Error {
  override readonly name = "DriverError";
  readonly retryable: boolean;

  constructor(
    readonly code: DriverErrorCode,
    readonly what: string,
    options?: ErrorOptions,
  ) {
    super(`${what}: ${DRIVER_ERRORS[code].fix} (${code})`, options);
    this.retryable = DRIVER_ERRORS[code].retryable;
  }
}
