import { DRIVER_ERRORS, DriverError, type DriverErrorCode } from "../drivers/errors.js";
import type { RefusalBody } from "./wire/refusal.js";

/**
 * Every refusal of the runtime, in one table; the drivers' table is part of it. `fix` is appended to the
 * message and says what to do next. docs/errors.md is generated from here; a test holds them together.
 */
export const RUNTIME_ERRORS = {
  // the call itself
  INVALID_ARGUMENT: { retryable: false, fix: "correct the named argument and call again" },
  UNKNOWN_TOOL: { retryable: false, fix: "list the tools and use one of those names" },
  UNKNOWN_PLANT: { retryable: false, fix: "use one of the configured plants" },
  UNKNOWN_MESSAGE: { retryable: false, fix: "list the messages and use one of their ids" },
  UNKNOWN_TASK: { retryable: false, fix: "list the tasks and use one of their ids" },
  TOO_MANY_TASKS: { retryable: false, fix: "complete tasks that are done or no longer needed" },
  UNKNOWN_MEMORY: { retryable: false, fix: "list the memories and use one of their ids" },
  TOO_MANY_MEMORIES: { retryable: false, fix: "use the notes; a person can take memories back" },
  TOO_MANY_MESSAGES: {
    retryable: true,
    fix: "put what is left into one message later, or into the notes; a first answer to a message of the person may always go",
  },
  TOO_MANY_BUCKETS: { retryable: false, fix: "ask for fewer samples per hour or fewer hours" },
  UNKNOWN_FIELD: { retryable: false, fix: "use one of the fields named here" },
  RESULT_TOO_LARGE: { retryable: false, fix: "ask for a smaller page" },
  IDEMPOTENCY_CONFLICT: { retryable: false, fix: "use a new idempotency key for a different call" },
  OUTCOME_UNKNOWN: { retryable: false, fix: "look at the history; what was begun is counted in full" },
  RATE_LIMITED: { retryable: true, fix: "wait and call again" },
  NOT_FOUND: { retryable: false, fix: "use one of GET /healthz, GET /photos/…, POST /off, or MCP at /mcp" },
  REQUEST_TOO_LARGE: { retryable: false, fix: "send less at once" },
  // who is calling
  UNAUTHORIZED: { retryable: false, fix: "send the token from the state folder's tokens/ as a bearer token" },
  FORBIDDEN: { retryable: false, fix: "use a token whose role allows this" },
  PAIRING_REFUSED: {
    retryable: false,
    fix: "make a new code with `tendril pair` on the runtime's machine; each works once, for ten minutes",
  },
  PAIRING_UNAVAILABLE: {
    retryable: false,
    fix: "add `tls: {}` under server in the runtime's configuration, and connect by wss:// or https://",
  },
  ORIGIN_REFUSED: { retryable: false, fix: "list the host under server.allowed_hosts in the configuration" },
  // the gate
  NO_CYCLE: { retryable: false, fix: "call write_plant_status first" },
  CYCLE_EXPIRED: { retryable: false, fix: "call write_plant_status again to open a new cycle" },
  CYCLE_REFUSED: { retryable: false, fix: "correct what the status named and call write_plant_status again" },
  CARE_TAKEN: {
    retryable: true,
    fix: "end this cycle and come back when that care is over; a person can end it now with `tendril release PLANT`",
  },
  PLAN_EXCEEDED: { retryable: false, fix: "write a new status that plans for it" },
  HOLD: { retryable: false, fix: "a person has to lift the hold" },
  // a person's yes
  APPROVAL_NEEDED: {
    retryable: true,
    fix: "a person has to say yes; call again with the same arguments and it waits for the answer",
  },
  APPROVAL_DENIED: { retryable: false, fix: "do not ask again in this cycle; go on without it" },
  APPROVAL_EXPIRED: { retryable: false, fix: "that counts as a no: go on without it in this cycle" },
  UNKNOWN_APPROVAL: { retryable: false, fix: "list the approvals and answer one that waits" },
  // water and light
  BUDGET_EXCEEDED: { retryable: true, fix: "ask for less, or wait until earlier doses are 24 h old" },
  PUMP_BUSY: { retryable: true, fix: "wait until the running dose has ended" },
  AWAITING_SOIL: {
    retryable: true,
    fix: "wait until the probe shows the last doses, mostly a minute or two, or pour the rest in a later cycle; a dose like this a quarter of an hour after the last one without an answer locks the pump",
  },
  SOIL_WET: {
    retryable: false,
    fix: "do not water until it reads less; a person who has felt the soil can pour all the same, with `tendril water`",
  },
  NO_RESPONSE: { retryable: false, fix: "a person has to look at tube, tank and probe and clear the fault" },
  LEAK: {
    retryable: false,
    fix: "a person has to stop the leak, dry the sensor and clear the fault",
  },
  INTERLOCK: {
    retryable: false,
    fix: "a person has to see to what the interlock names and clear the fault",
  },
  TANK_EMPTY: { retryable: true, fix: "fill the tank" },
  INPUT_ACTIVE: { retryable: true, fix: "see to the named button or sensor first" },
  NOT_FITTED: { retryable: false, fix: "wire it up and add it to the configuration, or do without" },
  PROBE_FAULT: {
    retryable: true,
    fix: "read the moisture until the probe answers; nothing is poured blind",
  },
  LEDGER_UNAVAILABLE: { retryable: true, fix: "check the disk; no water flows without a ledger" },
  DOSE_UNCERTAIN: { retryable: false, fix: "the dose is counted in full; look at the plant before going on" },
  CANCELLED: { retryable: false, fix: "what was delivered is in the water history" },
  LIGHT_ALREADY_ON: { retryable: true, fix: "wait until it is off, or switch it off" },
  LIGHT_COOLDOWN: { retryable: true, fix: "wait until the light has rested" },
  // the machine
  STORE_FAILED: { retryable: true, fix: "check the disk's space and health" },
  STATE_IN_USE: { retryable: false, fix: "stop the other runtime or use another --state folder" },
  STATE_TOO_NEW: { retryable: false, fix: "run the newer version of Tendril that wrote it" },
  NO_ROOM: { retryable: true, fix: "free some space there, or choose another folder" },
  BACKUP_INVALID: { retryable: false, fix: "take another backup; nothing was changed" },
  RESTORE_UNFINISHED: { retryable: false, fix: "start the runtime on it, or run the restore again" },
  LISTEN_FAILED: { retryable: false, fix: "choose another address or port, or stop what uses it" },
  TOKENS_INVALID: { retryable: false, fix: "correct what is named here; every file in tokens/ is one token" },
  TLS_FAILED: {
    retryable: true,
    fix: "correct what is named here, it is looked at again every minute; the plain port serves meanwhile",
  },
  STOPPING: { retryable: true, fix: "reconnect when the runtime is back" },
  INTERNAL: { retryable: false, fix: "this is a defect of Tendril: report it with the runtime's log" },
} as const;

export const ERRORS = { ...DRIVER_ERRORS, ...RUNTIME_ERRORS } as const;
export type ErrorCode = keyof typeof ERRORS;

/** A refusal of ours, as it goes over the wire. */
export type ErrorBody = RefusalBody & { readonly code: ErrorCode };

export interface Particulars {
  /** Whole seconds until the same call may succeed. */
  readonly retryAfter?: number;
  /** True figures behind the refusal: what was asked, what would be granted. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** A refusal with a code. `what` says what happened and where; the fix is appended from the table. */
export class TendrilError extends Error {
  override readonly name = "TendrilError";

  constructor(
    readonly code: keyof typeof RUNTIME_ERRORS,
    readonly what: string,
    readonly particulars: Particulars = {},
  ) {
    super(`${what}: ${RUNTIME_ERRORS[code].fix} (${code})`, { cause: particulars.cause });
  }
}

/** As much of a caller's own text as a message repeats. */
const LONGEST_EXCERPT = 60;

/** A caller's own text as a message quotes it: a refusal stays short, whatever was sent. */
export const excerpt = (text: string): string =>
  text.length > LONGEST_EXCERPT ? `${text.slice(0, LONGEST_EXCERPT)}…` : text;

/** The wire form of any error; what is not one of ours is INTERNAL and keeps its text out of the answer. */
export function errorBody(error: unknown): ErrorBody {
  if (error instanceof DriverError) return driverBody(error);
  if (!(error instanceof TendrilError))
    return errorBody(new TendrilError("INTERNAL", "the call failed unexpectedly"));
  const { retryAfter, details } = error.particulars;
  return {
    code: error.code,
    message: error.message,
    retryable: RUNTIME_ERRORS[error.code].retryable,
    ...(retryAfter !== undefined && { retry_after_s: Math.ceil(retryAfter) }),
    ...(details && { details }),
  };
}

const driverBody = (error: DriverError): ErrorBody => ({
  code: error.code satisfies DriverErrorCode,
  message: error.message,
  retryable: error.retryable,
});
