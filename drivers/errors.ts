interface DriverErrorRule {
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

/** The same call may succeed later. */
const retry = (fix: string, switched: DriverErrorRule["switched"] = "maybe"): DriverErrorRule => ({
  retryable: true,
  switched,
  fix,
});

/** The same call fails until somebody has changed something. */
const final = (fix: string, switched: DriverErrorRule["switched"] = "maybe"): DriverErrorRule => ({
  ...retry(fix, switched),
  retryable: false,
});

/**
 * Every way in which hardware fails, in one table.
 * docs/errors.md is generated from this table and the runtime's; a test holds them together.
 */
export const DRIVER_ERRORS = {
  BUS_NACK: retry("check wiring and address with i2cdetect"),
  BUS_FAILED: retry("check the I²C wiring and that the bus is enabled"),
  BUS_TIMEOUT: retry("look for a short or a hanging chip on SDA and SCL"),
  BUS_MISSING: final("enable I²C: dtparam=i2c_arm=on in config.txt, then reboot"),
  BUS_FORBIDDEN: final("add the user to the group i2c, then log in again"),
  CONVERSION_TIMEOUT: retry("check the ADC's supply; try again"),
  PROBE_DISCONNECTED: retry("plug the probe in and check its cable"),
  PROBE_IMPLAUSIBLE: retry("reseat the probe in the soil or recalibrate it"),
  PROBE_STUCK: retry("unplug the probe and its chip for a moment; replace what stays stuck"),
  SENSOR_UNKNOWN: final("correct the chip or its address in the configuration", "nothing"),
  SENSOR_IMPLAUSIBLE: retry("check the sensor's wiring and supply; replace it if this stays", "nothing"),
  SENSOR_STUCK: retry("unplug the sensor for a moment; replace it if it stays stuck", "nothing"),
  PULSE_TOO_LONG: final("ask for a shorter pulse", "nothing"),
  PULSE_INVALID: final("ask for a pulse longer than 0 s", "nothing"),
  PULSE_BUSY: retry("wait until the running pulse has ended", "nothing"),
  PULSE_STALE: retry("try again; nothing was switched", "nothing"),
  PULSE_INHIBITED: retry("check the named input; nothing was switched", "nothing"),
  GUARD_LOST: retry("wait until the guard is back; the log says why it went", "nothing"),
  GUARD_BUSY: final("stop the other Tendril that drives these relays"),
  OFF_LIST_FAILED: final("check the disk's space and the folder's permissions"),
  PIN_FAILED: retry("check that nothing else uses the pin, and the user's permission"),
  PIN_UNKNOWN: final("use a BCM number of the header, 0 to 27"),
  GPIO_MISSING: final(
    "run it on a Raspberry Pi, or with --bench; a kernel without sysfs GPIO offers only via: led",
  ),
  OUTPUT_UNSAFE: final(
    "add what is named and reboot, or take a plain pin with i_accept_software_cutoff: true",
  ),
  OUTPUT_MISMATCH: final("make the overlay and the configuration agree"),
  PACKAGE_UNAVAILABLE: final("install what the package needs, then npm rebuild it", "nothing"),
  FLOW_TOO_LOW: final("use a pump, or a calibration, of at least 0.962 ml/s"),
  INTERLOCK_LOST: retry("check the interlock's power and its cable", "nothing"),
  INTERLOCK_FAULT: final("remove the named cause, then let a person clear the fault", "nothing"),
  INTERLOCK_LIMITS: final("flash this version's firmware, or use a pump that fits", "nothing"),
  INTERLOCK_BUDGET: retry("wait until earlier pump time is a day old", "nothing"),
  INTERLOCK_REST: retry("wait until the interlock's rest is over", "nothing"),
  INTERLOCK_REFUSED: retry("try again; nothing was switched", "nothing"),
  INTERLOCK_PORT: final("correct interlock.port, free the port, or join the group dialout", "nothing"),
  RELAY_WELDED: final("unplug the pump's or the light's supply and replace the Pi's relay"),
  CAMERA_FAILED: retry("check the camera's cable and that nothing else uses it"),
  CAMERA_PROGRAM_MISSING: final("install the named package with apt"),
  REPLAY_INVALID: final("correct the recording, or the zone it is read in"),
  REPLAY_GAP: retry("wait until the recording goes on, or start the replay with --skip-gaps"),
  BENCH_OPTION_INVALID: final("correct the named option"),
  BENCH_STATE_INVALID: final("move the named file away to start with a fresh bench"),
  BENCH_STATE_FAILED: retry("check the disk's space and the folder's permissions"),
} satisfies Record<string, DriverErrorRule>;

export type DriverErrorCode = keyof typeof DRIVER_ERRORS;

/** What a person does next, by the code; undefined for a code of another version. */
export const remedyFor = (code: string): string | undefined =>
  (DRIVER_ERRORS as Readonly<Record<string, DriverErrorRule>>)[code]?.fix;

/** Whether a pulse that was rejected with `error` is known to have moved nothing. */
export const switchedNothing = (error: unknown): error is DriverError =>
  error instanceof DriverError && DRIVER_ERRORS[error.code].switched === "nothing";

/** What an error is about, as values for a notification, which makes its own words. */
export interface TroubleFacts {
  /** The relay, serial line or package. */
  readonly part?: string;
  readonly during?: "opening" | "switching_off";
  /** What the system or the part itself says: EIO. */
  readonly reasons?: readonly string[];
}

/** `what` says what happened and where; the fix and the code are added from the table. */
export class DriverError extends Error {
  override readonly name = "DriverError";
  readonly retryable: boolean;
  readonly facts: TroubleFacts;

  constructor(
    readonly code: DriverErrorCode,
    readonly what: string,
    { facts = {}, ...options }: ErrorOptions & { readonly facts?: TroubleFacts } = {},
  ) {
    super(`${what}: ${DRIVER_ERRORS[code].fix} (${code})`, options);
    this.facts = facts;
    this.retryable = DRIVER_ERRORS[code].retryable;
  }
}
