import { DriverError } from "../drivers/errors.js";
import type { RefusalBody } from "./wire/refusal.js";

/** What there is to say of every refusal with one code. */
export interface ErrorRule {
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /**
   * Whether a call that ends with it can have changed anything. "nothing" gives an idempotency key free again: the same call
   * may be made once more. In doubt "maybe".
   */
  readonly changed: "nothing" | "maybe";
  /** What to do next; the message ends with it. */
  readonly fix: string;
}

export type ErrorTable = Readonly<Record<string, ErrorRule>>;

/** One code of a table, with its name: what a `TendrilError` is made with. */
export interface ErrorKind extends ErrorRule {
  readonly code: string;
}

/** A table of codes. Each service module has its own, beside its code; docs/errors.md lists them all. */
export const errorTable = <T extends ErrorTable>(table: T): { readonly [K in keyof T]: ErrorKind } =>
  Object.fromEntries(Object.entries(table).map(([code, rule]) => [code, { ...rule, code }])) as {
    [K in keyof T]: ErrorKind;
  };

/** The codes that belong to no service module: of any call, of the connection, of the machine. */
export const CORE_ERRORS = errorTable({
  INVALID_ARGUMENT: {
    retryable: false,
    changed: "nothing",
    fix: "correct the named argument and call again",
  },
  UNKNOWN_TOOL: { retryable: false, changed: "maybe", fix: "list the tools and use one of those names" },
  UNKNOWN_PLANT: { retryable: false, changed: "nothing", fix: "use one of the configured plants" },
  TOO_MANY_BUCKETS: {
    retryable: false,
    changed: "maybe",
    fix: "ask for fewer samples per hour or fewer hours",
  },
  UNKNOWN_FIELD: { retryable: false, changed: "maybe", fix: "use one of the fields named here" },
  RESULT_TOO_LARGE: { retryable: false, changed: "maybe", fix: "ask for a smaller page" },
  IDEMPOTENCY_CONFLICT: {
    retryable: false,
    changed: "maybe",
    fix: "use a new idempotency key for a different call",
  },
  OUTCOME_UNKNOWN: {
    retryable: false,
    changed: "maybe",
    fix: "look at the history; what was begun is counted in full",
  },
  RATE_LIMITED: { retryable: true, changed: "maybe", fix: "wait and call again" },
  NO_ROUTE: { retryable: false, changed: "nothing", fix: "use one of the routes named here" },
  METHOD_NOT_ALLOWED: { retryable: false, changed: "nothing", fix: "use one of the methods named here" },
  NOT_FOUND: {
    retryable: false,
    changed: "nothing",
    fix: "correct the name or id that is named here; links to photos expire, get_recent_photos signs new ones",
  },
  REQUEST_TOO_LARGE: { retryable: false, changed: "maybe", fix: "send less at once" },
  UNAUTHORIZED: {
    retryable: false,
    changed: "maybe",
    fix: "send the token from the state folder's tokens/ as a bearer token",
  },
  FORBIDDEN: { retryable: false, changed: "maybe", fix: "use a token whose role allows this" },
  PAIRING_REFUSED: {
    retryable: false,
    changed: "maybe",
    fix: "make a new code with `tendril pair` on the runtime's machine; each works once, for ten minutes",
  },
  PAIRING_UNAVAILABLE: {
    retryable: false,
    changed: "maybe",
    fix: "add `tls: {}` under server in the runtime's configuration, and connect by wss:// or https://",
  },
  ORIGIN_REFUSED: {
    retryable: false,
    changed: "maybe",
    fix: "list the host under server.allowed_hosts in the configuration",
  },
  APPROVAL_NEEDED: {
    retryable: true,
    changed: "maybe",
    fix: "a person has to say yes; call again with the same arguments and it waits for the answer",
  },
  NOT_FITTED: {
    retryable: false,
    changed: "nothing",
    fix: "wire it up and add it to the configuration, or do without",
  },
  CANCELLED: { retryable: false, changed: "maybe", fix: "what was delivered is in the water history" },
  STORE_FAILED: { retryable: true, changed: "maybe", fix: "check the disk's space and health" },
  STATE_IN_USE: {
    retryable: false,
    changed: "maybe",
    fix: "stop the other runtime or use another --state folder",
  },
  STATE_TOO_NEW: {
    retryable: false,
    changed: "maybe",
    fix: "run the newer version of Tendril that wrote it",
  },
  NO_ROOM: { retryable: true, changed: "maybe", fix: "free some space there, or choose another folder" },
  BACKUP_INVALID: { retryable: false, changed: "maybe", fix: "take another backup; nothing was changed" },
  RESTORE_UNFINISHED: {
    retryable: false,
    changed: "maybe",
    fix: "start the runtime on it, or run the restore again",
  },
  LISTEN_FAILED: {
    retryable: false,
    changed: "maybe",
    fix: "choose another address or port, or stop what uses it",
  },
  TIME_NOT_UNDERSTOOD: {
    retryable: false,
    changed: "nothing",
    fix: "say it as a date and a time, such as 2026-11-30 08:00, or as every monday at 8am",
  },
  TIME_PAST: { retryable: false, changed: "nothing", fix: "name a time that is still to come" },
  TIME_AMBIGUOUS: { retryable: false, changed: "nothing", fix: "use the words of the one that is meant" },
  TOKENS_INVALID: {
    retryable: false,
    changed: "maybe",
    fix: "correct what is named here; every file in tokens/ is one token",
  },
  TLS_FAILED: {
    retryable: true,
    changed: "maybe",
    fix: "correct what is named here, it is looked at again every minute; the plain port serves meanwhile",
  },
  STOPPING: { retryable: true, changed: "nothing", fix: "reconnect when the runtime is back" },
  INTERNAL: {
    retryable: false,
    changed: "maybe",
    fix: "this is a defect of Tendril: report it with the runtime's log",
  },
});

export type CoreCode = keyof typeof CORE_ERRORS;

/** A refusal of ours, as it goes over the wire. */
export type ErrorBody = RefusalBody;

export interface Particulars {
  /** Whole seconds until the same call may succeed. */
  readonly retryAfter?: number;
  /** True figures behind the refusal: what was asked, what would be granted. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** A refusal with a code: `new TendrilError("NOT_FOUND", what)`, or `new TendrilError(TASK_ERRORS.UNKNOWN_TASK, what)`. */
export class TendrilError extends Error {
  override readonly name = "TendrilError";
  readonly kind: ErrorKind;

  /** `what` says what happened and where; what to do next and the code are added from the table. */
  constructor(
    kind: CoreCode | ErrorKind,
    readonly what: string,
    readonly particulars: Particulars = {},
  ) {
    const { code, fix } = kindOf(kind);
    super(`${what}: ${fix} (${code})`, { cause: particulars.cause });
    this.kind = kindOf(kind);
  }

  get code(): string {
    return this.kind.code;
  }
}

const kindOf = (kind: CoreCode | ErrorKind): ErrorKind =>
  typeof kind === "string" ? CORE_ERRORS[kind] : kind;

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
    retryable: error.kind.retryable,
    ...(retryAfter !== undefined && { retry_after_s: Math.ceil(retryAfter) }),
    ...(details && { details }),
  };
}

const driverBody = (error: DriverError): ErrorBody => ({
  code: error.code,
  message: error.message,
  retryable: error.retryable,
});
