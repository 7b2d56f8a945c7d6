import { z } from "zod";

/** What `tendril doctor --json` says, for the owner's page too. */

const VERDICTS = ["ok", "warning", "failure", "skipped"] as const;

const finding = z.object({
  name: z.string().describe("of the check"),
  verdict: z.enum(VERDICTS),
  found: z.string(),
  mend: z.string().optional().describe("what to do; for warnings and failures"),
});
export type DoctorFinding = z.output<typeof finding>;

export const doctorReport = z.object({
  version: z.string(),
  checked_at: z.string().describe("UTC, ISO 8601"),
  checks: z.array(finding),
});
export type DoctorReport = z.output<typeof doctorReport>;
