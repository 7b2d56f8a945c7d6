import type { z } from "zod";
import type { Clock } from "../../drivers/ports.js";
import type { UploadQuery } from "../wire/media.js";

/** An adapter's answer to a job, as JSON. */
export type JobResult = Readonly<Record<string, unknown>>;

/** Carries out one kind of job. Throws JobFailure. `signal` is aborted when its time is over. */
export type JobHandler = (args: unknown, signal: AbortSignal) => Promise<JobResult>;

/** What an adapter works with. */
export interface BridgeContext {
  readonly clock: Clock;
  /** A line for the log. Secrets are removed from it. */
  say(text: string): void;
  /** Calls a tool of the runtime that the scope `bridge` may call. Rejects with LinkDown, or with Refused. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<JobResult>;
  /** Gives the runtime a file that an account has sent; its path in the media folder. Rejects with LinkDown, or with Refused. */
  upload(query: UploadQuery, bytes: Uint8Array, signal: AbortSignal): Promise<string>;
  /** Calls `listener` whenever the runtime answers after it was away: it may have begun anew. */
  onConnected(listener: () => void): void;
  /** Whether the runtime may ever ask for this job of an adapter; undefined until the bridge is connected. */
  isAsked(adapter: string, what: string): boolean | undefined;
  /** What a person has to correct in a file, by the channel: `tendril status` and the doctor show it. Undefined: nothing. */
  tellProblem(channel: string, problem: string | undefined): void;
  /** Aborted when the bridge stops. */
  readonly signal: AbortSignal;
}

/**
 * One way to the outside, such as calendars: a file (or a folder) here and a line in adapters.ts. It does what a job
 * says, and decides nothing: what is allowed is the runtime's to say.
 */
export interface Adapter<Config = unknown> {
  /** As jobs name it: "calendar". */
  readonly name: string;
  /** Its key in bridge.yaml. */
  readonly key: string;
  /** What stands under that key; with a default. */
  readonly config: z.ZodType<Config>;
  /** What must never be seen in a log, an error or an answer. */
  secrets(config: Config): readonly string[];
  /** Its jobs by name. An adapter that also watches the outside begins here, and ends with the signal. */
  open(config: Config, context: BridgeContext): Readonly<Record<string, JobHandler>>;
}

export const defineAdapter = <Config>(adapter: Adapter<Config>): Adapter => adapter as unknown as Adapter;

/** Why a job was not done. `message` is shown to people: no address, no secret. */
export class JobFailure extends Error {
  override readonly name = "JobFailure";

  constructor(
    readonly code: string,
    message: string,
    /** "unknown": it may have been done all the same. */
    readonly outcome: "failed" | "unknown" = "failed",
  ) {
    super(message);
  }
}

/** The arguments of a job. Throws JobFailure. */
export function readArguments<T>(schema: z.ZodType<T>, args: unknown): T {
  const read = schema.safeParse(args);
  if (read.success) return read.data;
  throw new JobFailure("NOT_UNDERSTOOD", "the runtime asks in a form of another version");
}

/** Answers every job of an adapter that bridge.yaml says nothing of. `what` is missing there. */
export const notConfigured =
  (what: string): JobHandler =>
  async () => {
    throw new JobFailure("NOT_CONFIGURED", `bridge.yaml has no ${what}`);
  };
