import type { z } from "zod";
import type { Millis } from "../../../drivers/units.js";
import { errorTable, final, later } from "../../errors.js";

export const BRIDGE_ERRORS = errorTable({
  BRIDGE_AWAY: later(
    "a person starts tendril-bridge (docs/bridge.md); go on without what it brings",
    "nothing",
  ),
  BRIDGE_TAKEN: later("stop the other bridge, or leave the jobs to it: one takes them at a time", "nothing"),
  JOB_FAILED: later("remove the named cause, or try again later", "nothing"),
  JOB_UNANSWERED: later("try again later", "nothing"),
  JOB_UNKNOWN: final("it may have been done: a person looks, and nobody repeats it before that"),
  JOB_GONE: final("answer only jobs that this run of the bridge was given, within their time", "nothing"),
  JOBS_BUSY: later("wait until some of the jobs are answered", "nothing"),
});

/** What other modules can ask of the bridge. The adapter carries it out, and decides nothing. */
export interface JobKind<Answer> {
  /** The part of the bridge: "calendar". */
  readonly adapter: string;
  /** What that part shall do: "fetch". */
  readonly what: string;
  /**
   * Whether it changes something outside. Then it is in the journal before the bridge gets it, and after a crash
   * nobody repeats it.
   */
  readonly effects: boolean;
  /** The time for an answer. */
  readonly within: Millis;
  /** Characters of the answer as JSON. */
  readonly most: number;
  /** What an answer must be. The bridge is not trusted. */
  readonly answer: z.ZodType<Answer>;
}

type JobState = "claimed" | "answered" | "failed" | "unknown";

/** A line of journal/jobs.jsonl. What is sent, and to whom, stands with the module that asked. */
type JobEntry = { readonly timestamp: string } & (
  | { readonly adapter: string; readonly what: string; readonly words: string }
  | { readonly of: number; readonly state: Exclude<JobState, "claimed">; readonly code?: string }
);

export interface JobRecord {
  /** When it was claimed. */
  readonly timestamp: string;
  readonly adapter: string;
  readonly what: string;
  /** For people: "send a mail to Anna". */
  readonly words: string;
  readonly state: JobState;
}

export const JOB_LOG = {
  name: "jobs",
  recordId: (entry: JobEntry) => ("of" in entry ? entry.of : undefined),
  fold: (previous: JobRecord | undefined, entry: JobEntry): JobRecord => {
    if (!("of" in entry)) return { ...entry, state: "claimed" };
    if (!previous) throw new Error(`jobs.jsonl: job ${entry.of} ended before it was claimed`);
    return { ...previous, state: entry.state };
  },
};
