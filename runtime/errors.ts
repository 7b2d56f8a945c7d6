import { DriverError } from "../drivers/errors.js";
import type { RefusalBody } from "./wire/refusal.js";

/** The properties of an error code. */
interface ErrorRule {
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** Whether a refused call can have changed anything; "maybe" in doubt. "nothing" frees the idempotency key. */
  readonly changed: "nothing" | "maybe";
  /** What to do next; the message ends with it. */
  readonly fix: string;
}

type ErrorTable = Readonly<Record<string, ErrorRule>>;

/** A code of a table with its properties; a `TendrilError` is made from it. */
export interface ErrorKind extends ErrorRule {
  readonly code: string;
}

/** A table of codes. Each service module has its own in its folder; docs/errors.md lists them all. */
export const errorTable = <T extends ErrorTable>(table: T): { readonly [K in keyof T]: ErrorKind } =>
  Object.fromEntries(Object.entries(table).map(([code, rule]) => [code, { ...rule, code }])) as {
    [K in keyof T]: ErrorKind;
  };

/** The same call will not succeed later. In doubt it may have changed something. */
export const final = (fix: string, changed: ErrorRule["changed"] = "maybe"): ErrorRule => ({
  retryable: false,
  changed,
  fix,
});
/** The same call may succeed later. */
export const later = (fix: string, changed: ErrorRule["changed"] = "maybe"): ErrorRule => ({
  ...final(fix, changed),
  retryable: true,
});

/** The codes of no service module: of calls, of the connection, of the machine. */
export const CORE_ERRORS = errorTable({
  INVALID_ARGUMENT: final("correct the named argument and call again", "nothing"),
  UNKNOWN_TOOL: final("list the tools and use one of those names"),
  UNKNOWN_PLANT: final("use one of the configured plants", "nothing"),
  TOO_MANY_BUCKETS: final("ask for fewer samples per hour or fewer hours"),
  UNKNOWN_FIELD: final("use one of the fields named here"),
  HISTORY_THINNED: final("ask for fewer hours, or for figures in longer buckets, as named here", "nothing"),
  RESULT_TOO_LARGE: final("ask for a smaller page"),
  IDEMPOTENCY_CONFLICT: final("use a new idempotency key for a different call"),
  OUTCOME_UNKNOWN: final("look at the history; what was begun is counted in full"),
  RESULT_ERASED: final("look at what is there now; to do it again use a new idempotency key"),
  RATE_LIMITED: later("wait and call again"),
  NO_ROUTE: final("use one of the routes named here", "nothing"),
  METHOD_NOT_ALLOWED: final("use one of the methods named here", "nothing"),
  NOT_FOUND: final("correct the name or id that is named here", "nothing"),
  REQUEST_TOO_LARGE: final("send less at once"),
  REQUEST_TIMEOUT: later("send the whole request again", "nothing"),
  UNAUTHORIZED: final("send the token from the state folder's tokens/ as a bearer token", "nothing"),
  TOKENS_UNREAD: later(
    "look at the disk of the runtime's state folder; until it answers, read, switch off, hold or pause",
    "nothing",
  ),
  FORBIDDEN: final("use a token whose role allows this"),
  PAIRING_REFUSED: final(
    "make a new code with `tendril pair` on the runtime's machine; each works once, for ten minutes",
  ),
  PAIRING_UNAVAILABLE: final(
    "add `tls: {}` under server in the runtime's configuration, and connect by wss:// or https://",
  ),
  SESSION_REFUSED: final(
    "make a new link with `tendril open` on the runtime's machine; each works once, for ten minutes",
    "nothing",
  ),
  PAGE_REFUSED: final("open the page at this runtime's own address", "nothing"),
  ORIGIN_REFUSED: final("list the host under server.allowed_hosts in the configuration"),
  APPROVAL_NEEDED: later(
    "a person has to say yes; call again with the same arguments and it waits for the answer",
  ),
  NOT_FITTED: final("connect it and add it to the configuration, or continue without it", "nothing"),
  CANCELLED: final("the water history shows how much was delivered"),
  STORE_FAILED: later("check the disk's space and health"),
  DISK_NEARLY_FULL: later(
    "a person has to free some space there; reading, switching off and whatever a person does work meanwhile",
    "nothing",
  ),
  STATE_IN_USE: final("stop the other runtime or use another --state folder"),
  STATE_TOO_NEW: final("run the newer version of Tendril that wrote it"),
  STATE_TOO_OLD: final("run Tendril of 2026-11-26 (commit 6d64432e) on it for some minutes first"),
  NO_ROOM: later("free some space there, or choose another folder"),
  BACKUP_FAILED: later(
    "correct what is named here, or run `tendril backup` on the runtime's machine",
    "nothing",
  ),
  DOCTOR_FAILED: later("run `tendril doctor` on the runtime's machine", "nothing"),
  OWN_WAY_IN: final(
    "add sure=NAME to the request, if you want that: the machine's owner can make the token again with `tendril token add`",
    "nothing",
  ),
  BACKUP_INVALID: final("take another backup; nothing was changed"),
  BACKUP_CANNOT_START: final(
    "take another backup, or restore the rest with --leave-out and that name; nothing was changed",
    "nothing",
  ),
  RESTORE_UNFINISHED: final("start the runtime on it, or run the restore again"),
  IMPORT_INVALID: final(
    "correct the line, or take the file as it was exported; nothing was imported",
    "nothing",
  ),
  IMPORT_REFUSED: final("name a folder that is not there yet, with --state", "nothing"),
  LISTEN_FAILED: final("choose another address or port, or stop what uses it"),
  TIME_NOT_UNDERSTOOD: final(
    "say it as a date and a time, such as 2026-11-30 08:00, or as every monday at 8am",
    "nothing",
  ),
  TIME_PAST: final("name a time that is still to come", "nothing"),
  TIME_AMBIGUOUS: final("use the words of the one that is meant", "nothing"),
  TOKENS_INVALID: final("correct what is named here; every file in tokens/ is one token"),
  TLS_FAILED: later(
    "correct what is named here; the runtime tries again every minute, and the plain port works meanwhile",
  ),
  TOO_LATE: later("ask again: everything is then checked anew", "nothing"),
  STOPPING: later("reconnect when the runtime is back", "nothing"),
  INTERNAL: final("this is a defect of Tendril: report it with the runtime's log"),
});

export type CoreCode = keyof typeof CORE_ERRORS;

/** A refusal in its form on the wire. */
export type ErrorBody = RefusalBody;

export interface Particulars {
  /** Whole seconds until the same call may succeed. */
  readonly retryAfter?: number;
  /** The true figures behind the refusal: what was asked for, what would be granted. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
  /** Where words of strangers in it came from: whoever is told of it has read them. */
  readonly untrusted?: readonly string[];
}

/**
 * A refusal with a code: `new TendrilError("STORE_FAILED", what)`, or `new TendrilError(TASK_ERRORS.UNKNOWN_TASK, what)`.
 */
export class TendrilError extends Error {
  override readonly name = "TendrilError";
  readonly kind: ErrorKind;

  /** `what` says what happened and where. The table adds the code and what to do next. */
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

/** `new TendrilError` of one code, for the three codes that most refusals have. */
const refusal =
  (code: CoreCode) =>
  (what: string, particulars?: Particulars): TendrilError =>
    new TendrilError(code, what, particulars);

export const invalidArgument = refusal("INVALID_ARGUMENT");
export const notFound = refusal("NOT_FOUND");
export const notAllowed = refusal("FORBIDDEN");

/** RATE_LIMITED: so many seconds from now the same call may succeed. */
export const tooMany = (what: string, seconds: number): TendrilError =>
  new TendrilError("RATE_LIMITED", what, { retryAfter: seconds });

/** Throws `kind` for the first of these reasons that holds; false is none. */
export function refuseIf(
  kind: CoreCode | ErrorKind,
  reasons: readonly (string | false)[],
  particulars?: Particulars,
): void {
  for (const what of reasons) if (what !== false) throw new TendrilError(kind, what, particulars);
}

/** Characters of a caller's text that a message repeats. A choice. */
const LONGEST_EXCERPT = 60;

/** A caller's text for a message, cut short. */
export const excerpt = (text: string): string =>
  text.length > LONGEST_EXCERPT ? `${text.slice(0, LONGEST_EXCERPT)}…` : text;

/** The wire form of any error. An error that is not ours is INTERNAL, and its text stays out of the answer. */
export function errorBody(error: unknown): ErrorBody {
  if (error instanceof DriverError)
    return { code: error.code, message: error.message, retryable: error.retryable };
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

/** A mistake on each line: file, line, key, what is wrong with which value. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code = "CONFIG_INVALID";

  constructor(readonly problems: readonly string[]) {
    super(`${problems.join("\n")}\n(CONFIG_INVALID) correct the file and start again`);
  }
}
