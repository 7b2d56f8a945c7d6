import { z } from "zod";

/** Backups, for the page of a person. docs/backup.md tells an owner of them. */

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
