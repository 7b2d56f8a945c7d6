import { z } from "zod";

/**
 * What the page of the owner reads beside tools: sessions of browsers, tokens, backups (docs/backup.md), the configuration in force, and
 * what the doctor found. All times are UTC, ISO 8601.
 */

/** A person's request for a link, on the runtime's own machine. */
export const linkBody = z.strictObject({
  token: z.string().min(1).max(80).default("human").describe("the token whose rights the session gets"),
});

export interface OpenedLink {
  readonly code: string;
  readonly expires_in_s: number;
  readonly token: string;
  readonly role: string;
  /** The port with TLS, while it is open. */
  readonly tls_port: number | null;
}

/** The browser's request to `/session`. */
export const codeBody = z.strictObject({ code: z.string().max(100) });

/** A session as its owner sees it. */
export interface SessionView {
  readonly id: string;
  readonly token: string;
  readonly role: string;
  /** Browser and system, as the browser named itself. */
  readonly device: string;
  readonly made: string;
  readonly used: string;
  /** Unless it is used before then. */
  readonly expires: string;
}

export interface SessionList {
  readonly sessions: readonly SessionView[];
}

/** The answer of `/session` to the session's own browser. */
export interface OwnSession extends SessionView {
  /** What a person types for `tendril` on the runtime's machine. */
  readonly called: string;
}

/** A token without its secret. docs/security.md tells of tokens. */
export interface TokenView {
  /** Of its file. */
  readonly name: string;
  /** A role or a scope. */
  readonly role: string;
  readonly made: string;
  /** To the day, once the runtime was restarted; null: not since uses are noted. */
  readonly used: string | null;
}

export interface TokenList {
  readonly tokens: readonly TokenView[];
}

export interface BackupView {
  /** Of the file. */
  readonly name: string;
  /** By its name. */
  readonly made_at: string;
  readonly bytes: number;
}

export interface BackupList {
  /** Where they are, on the runtime's machine. */
  readonly folder: string;
  /** Newest first. */
  readonly backups: readonly BackupView[];
  /** The owner's own session, on the runtime's machine: a backup holds every token. */
  readonly may_download: boolean;
}

/** A value of the configuration in force, as the page shows it. */
export interface Setting {
  /** Its dotted path: "plants[0].name". */
  readonly key: string;
  /** As JSON. */
  readonly value: string;
  readonly is_default: boolean;
  /** Empty if its declaration says nothing. */
  readonly meaning: string;
}

const VERDICTS = ["ok", "warning", "failure", "skipped"] as const;

const finding = z.object({
  name: z.string().describe("of the check"),
  verdict: z.enum(VERDICTS),
  found: z.string(),
  mend: z.string().optional().describe("what to do; for warnings and failures"),
});
export type DoctorFinding = z.output<typeof finding>;

/** What `tendril doctor --json` says. */
export const doctorReport = z.object({
  version: z.string(),
  checked_at: z.string().describe("UTC, ISO 8601"),
  checks: z.array(finding),
});
export type DoctorReport = z.output<typeof doctorReport>;
