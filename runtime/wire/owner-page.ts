import { z } from "zod";

/** What the page of the owner reads beside tools: backups (docs/backup.md), the configuration in force, and what the doctor found. */

const backupView = z.object({
  name: z.string().describe("of the file"),
  made_at: z.string().describe("UTC, ISO 8601, by its name"),
  bytes: z.int(),
});
export type BackupView = z.output<typeof backupView>;

const backupList = z.object({
  folder: z.string().describe("where they are, on the runtime's machine"),
  backups: z.array(backupView).describe("newest first"),
  may_download: z
    .boolean()
    .describe("the owner's own session, on the runtime's machine: a backup holds every token"),
});
export type BackupList = z.output<typeof backupList>;

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
