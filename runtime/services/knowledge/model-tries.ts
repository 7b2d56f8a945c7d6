import type { Cancel, Clock } from "../../../drivers/ports.js";
import { type Millis, millis, minutes } from "../../../drivers/units.js";
import { errorBody } from "../../errors.js";
import type { Log } from "../../log.js";
import type { Jobs } from "../bridge/jobs.js";

/** A choice: after a failure nobody waits for the model for this time. */
const PAUSE: Millis = minutes(1);

interface TriesParts {
  readonly jobs: Jobs;
  /** Real time. */
  readonly clock: Clock;
  readonly log: Log;
  /** For the log: what happens without the model. */
  readonly without: string;
  /** For reasons: "the embedding model", its server, and its key in bridge.yaml. */
  readonly model: string;
  readonly server: string;
  readonly key: string;
  /** Reasons that this model alone has. */
  readonly reasons?: Readonly<Record<string, string>>;
}

/** Why it fails, by the job's cause or code, in words of our own: what a bridge says is no agent's to read. */
const reasonsOf = ({ model, server, key, reasons }: TriesParts): Readonly<Record<string, string>> => ({
  BRIDGE_AWAY: "no bridge is connected",
  JOB_UNANSWERED: `${model} took too long`,
  TOO_SLOW: `${model} took too long`,
  NOT_CONFIGURED: `the bridge's file has no address under ${key}:`,
  NO_SUCH_MODEL: `the server does not know ${model}`,
  LOGIN_REFUSED: `${server} wants another key`,
  UNREACHABLE: `${server} cannot be reached`,
  ...reasons,
});

/** Asks a model through the bridge. After a failure it is left alone for a minute, or until the bridge comes back. */
export class ModelTries {
  private trouble: { readonly reason: string; readonly until: Millis } | undefined;
  private readonly unwatch: Cancel;
  private isClosed = false;

  constructor(private readonly parts: TriesParts) {
    this.unwatch = parts.jobs.watch(() => {
      if (parts.jobs.isConnected) this.trouble = undefined; // perhaps the bridge was away, or has another address now
    });
  }

  /** Why the last try failed; undefined if it did not. */
  get reason(): string | undefined {
    return this.trouble?.reason;
  }

  /** Undefined, and a reason, if it cannot be now. Never rejects. */
  async tried<T>(work: () => Promise<T>): Promise<T | undefined> {
    const { clock, log, without } = this.parts;
    if (this.trouble && clock.monotonic() < this.trouble.until) return undefined;
    try {
      const done = await work();
      this.trouble = undefined;
      return done;
    } catch (error) {
      if (this.isClosed) return undefined;
      this.trouble = { reason: this.reasonOf(error), until: millis(clock.monotonic() + PAUSE) };
      log("warn", without, { why: errorBody(error).message });
      return undefined;
    }
  }

  close(): void {
    this.isClosed = true;
    this.unwatch();
  }

  private reasonOf(error: unknown): string {
    const { code, details } = errorBody(error);
    const reasons = reasonsOf(this.parts);
    const otherwise = `${this.parts.model} fails: the runtime's log says how`;
    return reasons[String(details?.cause)] ?? reasons[code] ?? otherwise;
  }
}
