export interface DriverErrorRule {
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /**
   * "nothing": it is thrown only before anything was switched. What was switched on and then lost is no error but a report
   * with the outcome `unknown`; that is why GUARD_LOST says "nothing". In doubt "maybe".
   */
  readonly switched: "nothing" | "maybe";
  /** What a person does next. */
  readonly fix: string;
}

/**
 * Every way in which hardware fails, in one table.
 * docs/errors.md is generated from this table and the runtime's; a test holds them together.
 */
export const DRIVER_ERRORS = {
  BUS_NACK: { retryable: true, switched: "maybe", fix: "check wiring and address with i2cdetect" },
  BUS_FAILED: { retryable: true, switched: "maybe", fix: "check the I²C wiring and that the bus is enabled" },
  BUS_TIMEOUT: {
    retryable: true,
    switched: "maybe",
    fix: "look for a short or a hanging chip on SDA and SCL",
  },
  BUS_MISSING: {
    retryable: false,
    switched: "maybe",
    fix: "enable I²C: dtparam=i2c_arm=on in config.txt, then reboot",
  },
  BUS_FORBIDDEN: {
    retryable: false,
    switched: "maybe",
    fix: "add our user to the group i2c, then log in anew",
  },
  CONVERSION_TIMEOUT: { retryable: true, switched: "maybe", fix: "check the ADC's supply; try again" },
  PROBE_DISCONNECTED: { retryable: true, switched: "maybe", fix: "plug the probe in and check its cable" },
  PROBE_IMPLAUSIBLE: {
    retryable: true,
    switched: "maybe",
    fix: "reseat the probe in the soil or recalibrate it",
  },
  PROBE_STUCK: {
    retryable: true,
    switched: "maybe",
    fix: "unplug the probe and its chip for a moment; replace what stays stuck",
  },
  SENSOR_UNKNOWN: {
    retryable: false,
    switched: "nothing",
    fix: "correct the chip or its address in the configuration, or fit the chip that is configured",
  },
  SENSOR_IMPLAUSIBLE: {
    retryable: true,
    switched: "nothing",
    fix: "check the sensor's wiring and supply; replace a sensor that stays so",
  },
  SENSOR_STUCK: {
    retryable: true,
    switched: "nothing",
    fix: "take the sensor's supply away for a moment; replace a sensor that stays stuck",
  },
  PULSE_TOO_LONG: { retryable: false, switched: "nothing", fix: "ask for a shorter pulse" },
  PULSE_INVALID: { retryable: false, switched: "nothing", fix: "ask for a pulse of more than nothing" },
  PULSE_BUSY: { retryable: true, switched: "nothing", fix: "wait until the running pulse has ended" },
  PULSE_STALE: { retryable: true, switched: "nothing", fix: "try again; nothing was switched" },
  PULSE_INHIBITED: {
    retryable: true,
    switched: "nothing",
    fix: "see to the named input; nothing was switched",
  },
  GUARD_LOST: {
    retryable: true,
    switched: "nothing",
    fix: "wait until the guard is back; the log says why it went",
  },
  GUARD_BUSY: { retryable: false, switched: "maybe", fix: "stop the other Tendril that drives these relays" },
  OFF_LIST_FAILED: {
    retryable: false,
    switched: "maybe",
    fix: "check the disk's space and the folder's permissions",
  },
  PIN_FAILED: {
    retryable: true,
    switched: "maybe",
    fix: "check that nothing else uses the pin and that we may",
  },
  PIN_UNKNOWN: { retryable: false, switched: "maybe", fix: "use a BCM number of the header, 0 to 27" },
  GPIO_MISSING: {
    retryable: false,
    switched: "maybe",
    fix: "run it on a Raspberry Pi, or with --bench; a kernel without sysfs GPIO has via: led alone",
  },
  OUTPUT_UNSAFE: {
    retryable: false,
    switched: "maybe",
    fix: "add what is named and reboot, or take a plain pin with i_accept_software_cutoff: true",
  },
  OUTPUT_MISMATCH: {
    retryable: false,
    switched: "maybe",
    fix: "make the overlay and the configuration say the same",
  },
  PACKAGE_UNAVAILABLE: {
    retryable: false,
    switched: "nothing",
    fix: "install what the package needs, then npm rebuild it",
  },
  FLOW_TOO_LOW: {
    retryable: false,
    switched: "maybe",
    fix: "use a pump, or a calibration, of at least 0.97 ml/s",
  },
  INTERLOCK_LOST: { retryable: true, switched: "nothing", fix: "check the interlock's power and its cable" },
  INTERLOCK_FAULT: {
    retryable: false,
    switched: "nothing",
    fix: "a person has to see to the named cause, then clear the fault",
  },
  INTERLOCK_LIMITS: {
    retryable: false,
    switched: "nothing",
    fix: "flash the interlock with this version's firmware, or use a pump that fits",
  },
  INTERLOCK_BUDGET: {
    retryable: true,
    switched: "nothing",
    fix: "wait until earlier pump time is a day old",
  },
  INTERLOCK_REST: { retryable: true, switched: "nothing", fix: "wait until the interlock's rest is over" },
  INTERLOCK_REFUSED: { retryable: true, switched: "nothing", fix: "try again; nothing was switched" },
  INTERLOCK_PORT: {
    retryable: false,
    switched: "nothing",
    fix: "correct interlock.port in the configuration, free the port, or join the group dialout",
  },
  RELAY_WELDED: {
    retryable: false,
    switched: "maybe",
    fix: "unplug the pump's or the light's supply and replace the Pi's relay",
  },
  CAMERA_FAILED: {
    retryable: true,
    switched: "maybe",
    fix: "check the camera's cable and that nothing else uses it",
  },
  CAMERA_PROGRAM_MISSING: { retryable: false, switched: "maybe", fix: "install the named package with apt" },
  REPLAY_INVALID: {
    retryable: false,
    switched: "maybe",
    fix: "correct the recording, or the zone it is read in",
  },
  REPLAY_GAP: {
    retryable: true,
    switched: "maybe",
    fix: "wait until the recording goes on, or start the replay with --skip-gaps",
  },
  BENCH_OPTION_INVALID: { retryable: false, switched: "maybe", fix: "correct the named option" },
  BENCH_STATE_INVALID: {
    retryable: false,
    switched: "maybe",
    fix: "move the named file away to start with a fresh bench",
  },
  BENCH_STATE_FAILED: {
    retryable: true,
    switched: "maybe",
    fix: "check the disk's space and the folder's permissions",
  },
} as const satisfies Record<string, DriverErrorRule>;

export type DriverErrorCode = keyof typeof DRIVER_ERRORS;

/** What a person does next, by the code; undefined for a code of another version. */
export const remedyFor = (code: string): string | undefined =>
  (DRIVER_ERRORS as Readonly<Record<string, DriverErrorRule>>)[code]?.fix;

/** Whether a pulse that was rejected with `error` is known to have moved nothing. */
export const switchedNothing = (error: unknown): error is DriverError =>
  error instanceof DriverError && DRIVER_ERRORS[error.code].switched === "nothing";

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
