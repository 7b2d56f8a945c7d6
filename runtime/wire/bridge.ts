import { z } from "zod";

/**
 * Jobs: what the runtime asks the bridge to do outside of the house (docs/bridge.md). The bridge takes them by
 * `take_jobs` and brings what became of them by `answer_job`. Words of a calendar are in calendar.ts.
 */

/** Seconds that `take_jobs` waits for a job. A choice: a bridge that was killed is noticed within this time. */
export const LONGEST_WAIT = 10;

/** Characters of an answer as JSON. A choice: what a server takes in one HTTP body, with room to spare. */
export const LONGEST_ANSWER = 1_000_000;

/** Names one run of a bridge: a new one for each start. */
export const bridgeRun = z.string().regex(/^[a-zA-Z0-9-]{8,64}$/, { error: "must be 8–64 of A–Z a–z 0–9 -" });

const takenJob = z.object({
  job_id: z.string(),
  adapter: z.string().describe("what part of the bridge it is for: calendar"),
  what: z.string().describe("what that part shall do: fetch"),
  arguments: z.record(z.string(), z.unknown()),
  within_s: z.number().describe("seconds left; a later answer is refused"),
});
export type TakenJob = z.output<typeof takenJob>;

/** How `asks` names a job. */
export const jobName = (adapter: string, what: string): string => `${adapter} ${what}`;

export const takenJobs = z.object({
  jobs: z.array(takenJob),
  asks: z.array(z.string()).describe('all that may ever be asked for: "telegram deliver"'),
});

/** What became of a job. "unknown": it may have been done, and the bridge cannot tell. */
export const jobOutcome = z.enum(["done", "failed", "unknown"]);

/** Why a job failed, as a code that callers can act on. */
export const jobFailureCode = z.string().regex(/^[A-Z][A-Z0-9_]{0,39}$/, {
  error: "must be a code such as TOO_LARGE",
});
/** Characters of the words about a failure. A choice: a line or two. */
export const LONGEST_FAILURE = 300;

export const answeredJob = z.object({ job_id: z.string(), accepted: z.literal(true) });

/** The bridge in `get_overview`, in a house that needs one. */
export const bridgeState = z.object({
  connected: z.boolean(),
  since: z.string(),
  version: z.string().nullable().describe("of the bridge that is connected"),
  problems: z.array(z.string()).optional().describe("what is wrong in its own file; absent: nothing"),
});
export type BridgeState = z.output<typeof bridgeState>;

/** A channel in `get_overview` and `list_channels`. */
export const channelState = z.object({
  channel: z.string(),
  state: z.enum(["ok", "down", "away"]).describe("away: no bridge is connected, or it has not reported yet"),
  since: z.string(),
  code: z.string().nullable(),
  message: z.string().nullable(),
});
export type ChannelState = z.output<typeof channelState>;
