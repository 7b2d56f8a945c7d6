/**
 * Every way in which hardware fails, in one table. `fix` says what a person does next.
 * docs/errors.md is generated from this table and the runtime's; a test holds them together.
 */
export const DRIVER_ERRORS = {
  BUS_NACK: { retryable: true, fix: "check wiring and address with i2cdetect" },
  BUS_FAILED: { retryable: true, fix: "check the I²C wiring and that the bus is enabled" },
  BUS_TIMEOUT: { retryable: true, fix: "look for a short or a hanging chip on SDA and SCL" },
  BUS_MISSING: { retryable: false, fix: "enable I²C: dtparam=i2c_arm=on in config.txt, then reboot" },
  BUS_FORBIDDEN: { retryable: false, fix: "add our user to the group i2c, then log in anew" },
  CONVERSION_TIMEOUT: { retryable: true, fix: "check the ADC's supply; try again" },
  PROBE_DISCONNECTED: { retryable: true, fix: "plug the probe in and check its cable" },
  PROBE_IMPLAUSIBLE: { retryable: true, fix: "reseat the probe in the soil or recalibrate it" },
  PROBE_STUCK: {
    retryable: true,
    fix: "unplug the probe and its chip for a moment; replace what stays stuck",
  },
  PULSE_TOO_LONG: { retryable: false, fix: "ask for a shorter pulse" },
  PULSE_INVALID: { retryable: false, fix: "ask for a pulse of more than nothing" },
  PULSE_BUSY: { retryable: true, fix: "wait until the running pulse has ended" },
  PULSE_STALE: { retryable: true, fix: "try again; nothing was switched" },
  PULSE_INHIBITED: { retryable: true, fix: "see to the named input; nothing was switched" },
  GUARD_LOST: { retryable: true, fix: "wait until the guard is back; the log says why it went" },
  GUARD_BUSY: { retryable: false, fix: "stop the other Tendril that drives these relays" },
  OFF_LIST_FAILED: { retryable: false, fix: "check the disk's space and the folder's permissions" },
  PIN_FAILED: { retryable: true, fix: "check that nothing else uses the pin and that we may" },
  PIN_UNKNOWN: { retryable: false, fix: "use a BCM number of the header, 0 to 27" },
  GPIO_MISSING: {
    retryable: false,
    fix: "run it on a Raspberry Pi, or with --bench; a kernel without sysfs GPIO has via: led alone",
  },
  OUTPUT_UNSAFE: {
    retryable: false,
    fix: "add what is named and reboot, or take a plain pin with i_accept_software_cutoff: true",
  },
  OUTPUT_MISMATCH: { retryable: false, fix: "make the overlay and the configuration say the same" },
  PACKAGE_UNAVAILABLE: { retryable: false, fix: "install what the package needs, then npm rebuild it" },
  FLOW_TOO_LOW: { retryable: false, fix: "use a pump, or a calibration, of at least 0.97 ml/s" },
  INTERLOCK_LOST: { retryable: true, fix: "check the interlock's power and its cable" },
  INTERLOCK_FAULT: {
    retryable: false,
    fix: "a person has to see to the named cause, then clear the fault",
  },
  INTERLOCK_LIMITS: {
    retryable: false,
    fix: "flash the interlock with this version's firmware, or use a pump that fits",
  },
  INTERLOCK_BUDGET: { retryable: true, fix: "wait until earlier pump time is a day old" },
  INTERLOCK_REST: { retryable: true, fix: "wait until the interlock's rest is over" },
  INTERLOCK_REFUSED: { retryable: true, fix: "try again; nothing was switched" },
  INTERLOCK_PORT: {
    retryable: false,
    fix: "correct interlock.port in the configuration, free the port, or join the group dialout",
  },
  RELAY_WELDED: {
    retryable: false,
    fix: "unplug the pump's or the light's supply and replace the Pi's relay",
  },
  CAMERA_FAILED: { retryable: true, fix: "check the camera's cable and that nothing else uses it" },
  CAMERA_PROGRAM_MISSING: { retryable: false, fix: "install the named package with apt" },
  REPLAY_INVALID: { retryable: false, fix: "correct the recording, or the zone it is read in" },
  REPLAY_GAP: {
    retryable: true,
    fix: "wait until the recording goes on, or start the replay with --skip-gaps",
  },
  BENCH_OPTION_INVALID: { retryable: false, fix: "correct the named option" },
  BENCH_STATE_INVALID: { retryable: false, fix: "move the named file away to start with a fresh bench" },
  BENCH_STATE_FAILED: { retryable: true, fix: "check the disk's space and the folder's permissions" },
} as const;

export type DriverErrorCode = keyof typeof DRIVER_ERRORS;

/**
 * Thrown only before anything was switched. A code that may also come later is none of them: what was switched on and
 * lost is no error but a report, `unknown`, which is why GUARD_LOST is one.
 */
const NOTHING_SWITCHED: ReadonlySet<DriverErrorCode> = new Set([
  "PULSE_TOO_LONG",
  "PULSE_INVALID",
  "PULSE_BUSY",
  "PULSE_STALE",
  "PULSE_INHIBITED",
  "GUARD_LOST",
  "INTERLOCK_LOST",
  "INTERLOCK_FAULT",
  "INTERLOCK_LIMITS",
  "INTERLOCK_BUDGET",
  "INTERLOCK_REST",
  "INTERLOCK_REFUSED",
  "INTERLOCK_PORT",
  "PACKAGE_UNAVAILABLE",
]);

/** Whether a pulse that was rejected with `error` is known to have moved nothing. */
export const switchedNothing = (error: unknown): error is DriverError =>
  error instanceof DriverError && NOTHING_SWITCHED.has(error.code);

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
