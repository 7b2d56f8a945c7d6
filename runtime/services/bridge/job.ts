import { z } from "zod";
import type { Millis } from "../../../drivers/units.js";
import { errorTable, final, later } from "../../errors.js";
import { jsonObject } from "../../tools/parameters.js";
import { jobFailureCode, jobOutcome, LONGEST_FAILURE } from "../../wire/bridge.js";

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
  fold: (previous: JobRecord | undefined, entry: JobEntry): JobRecord => {
    if (!("of" in entry)) return { ...entry, state: "claimed" };
    if (!previous) throw new Error(`jobs.jsonl: job ${entry.of} ended before it was claimed`);
    return { ...previous, state: entry.state };
  },
};

/**
 * What our own adapters say of a failure: sentences whose every word is in this program. To read one of these is not to read words of
 * strangers, whoever sends it. A captured bridge, or a server that has a say in an error, can say nothing with them that is not here.
 */

/** Of Node and its resolver (errno(3), getaddrinfo(3)), as far as connections end with them. */
const SYSTEM =
  "(?:ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|no reason)";
const SERVER =
  "(?:the (?:search engine|calendar|embedding model)'s server|the server of the model for answers)";
/** A status of HTTP, or a reply of SMTP. */
const STATUS = "\\(\\d{3}\\)";

const SENTENCES: Readonly<Record<string, readonly string[]>> = {
  NOT_CONNECTED: [
    "the connection to Home Assistant (?:is not there yet|was lost|has ended)",
    "Home Assistant did not answer: (?:Home Assistant took too long|the time was over|the connection ended)",
    "Home Assistant (?:does not answer the log-in|closed the connection)",
    `Home Assistant cannot be reached \\(${SYSTEM}\\)`,
    `the name of Home Assistant's computer cannot be looked up \\(${SYSTEM}\\)`,
  ],
  NOT_CONFIGURED: [
    "bridge\\.yaml has no act_token under home: the home can only be read",
    "bridge\\.yaml has no `home`: docs/bridge\\.md",
    "bridge\\.yaml has no address for (?:duckduckgo|searxng)",
  ],
  TOO_SLOW: [
    `${SERVER} took too long`,
    "the search engine's page takes too long to read",
    "the mail server took too long to answer",
    "the time was over before the call was sent",
  ],
  UNREACHABLE: [
    `${SERVER} cannot be reached \\(${SYSTEM}\\)`,
    `the name of ${SERVER} cannot be looked up \\(${SYSTEM}\\)`,
    "the name of the mail server cannot be looked up",
    `the mail server cannot be reached \\(${SYSTEM}\\)`,
  ],
  CUT_OFF: [`${SERVER} ended in the middle`, "the connection to the mail server ended in the middle"],
  TRY_LATER: [`the mail server says to try again later ${STATUS}: in ten minutes, for example`],
  RECIPIENT_REFUSED: [`the mail server refused this recipient ${STATUS}`],
  MAIL_REFUSED: [`the mail server refused the mail ${STATUS}`],
  LOGIN_REFUSED: [
    `the mail server refused the login: look at user and password in bridge\\.yaml(?: ${STATUS})?`,
  ],
  PROVIDER_REFUSED: [
    "(?:duckduckgo|searxng) takes no more searches for now: wait, or use another",
    "DuckDuckGo asks if a person searches: wait, or use SearXNG",
    "\\d{1,3} search engines did not answer SearXNG",
  ],
  NO_REASON: ["the bridge gives no reason"],
};

const PATTERNS = new Map(
  Object.entries(SENTENCES).map(([code, all]) => [code, new RegExp(`^(?:${all.join("|")})$`)]),
);

export const isOwnFailure = (code: string, message: string): boolean =>
  PATTERNS.get(code)?.test(message) === true;

/** What the bridge says of a job. */
export const jobAnswer = {
  job_id: z.string().min(1).max(64),
  outcome: jobOutcome.describe("unknown: it may have been done"),
  result: jsonObject("with done: the answer").optional(),
  code: jobFailureCode.optional().describe("otherwise: the reason as a code"),
  message: z.string().min(1).max(LONGEST_FAILURE).optional().describe("otherwise: the reason in words"),
};
export type JobAnswer = z.output<z.ZodObject<typeof jobAnswer>>;
