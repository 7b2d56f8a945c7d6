import { randomUUID } from "node:crypto";
import { untilTold } from "../../../drivers/clock/waiting.js";
import type { Cancel } from "../../../drivers/ports.js";
import { type Millis, millis } from "../../../drivers/units.js";
import { errorBody, excerpt, type Particulars, TendrilError } from "../../errors.js";
import type { Call } from "../../tools/tool.js";
import { type BridgeState, jobName, type TakenJob } from "../../wire/bridge.js";
import { definePart, type House, Listeners } from "../module.js";
import { type Outbox, outbox } from "../outbox/outbox.js";
import { BRIDGE_ERRORS, isOwnFailure, JOB_LOG, type JobAnswer, type JobKind, type JobRecord } from "./job.js";
import { type BridgeCaller, Presence } from "./presence.js";

/** Jobs that wait or are being done at once. A choice: more would only wait for their time to end. */
const MAX_JOBS = 32;

type Arguments = Readonly<Record<string, unknown>>;

type Caller = Pick<Call, "assertStands" | "age">;

/** A job that is not answered yet. */
interface Job {
  readonly id: string;
  readonly kind: JobKind<unknown>;
  readonly args: Arguments;
  /** On the monotonic clock. */
  readonly until: Millis;
  /** Its number in the journal, if it has effects. */
  readonly claim: number | undefined;
  readonly call: Caller | undefined;
  readonly disarm: Cancel;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/**
 * Asks the bridge to do a job. `words` say what it does, for people: "send a mail to Anna". Whatever writes a line before it asks names
 * its call: the line may wait for a disk that hangs, so the call is checked again right before the bridge gets the job.
 */
export type RunJob<A> = (args: Arguments, words: string, call?: Caller) => Promise<A>;

/**
 * Hands jobs to the bridge and waits for their answers, bounded. Nothing is kept for a bridge that is away. A job with
 * effects is in the journal before the bridge can have it; if its end is not known, a person is told, and it is not
 * repeated.
 */
export class Jobs {
  private readonly presence: Presence;
  /** Not taken yet, oldest first. */
  private readonly waiting = new Map<string, Job>();
  private readonly taken = new Map<string, Job>();
  private readonly listeners = new Listeners();
  private endPoll: () => void = () => undefined;
  /** How often a bridge has asked: only its newest question counts. */
  private polls = 0;
  /** What modules may ask for, by `jobName`. */
  private readonly kinds = new Set<string>();

  constructor(
    private readonly house: House,
    private readonly outbox: Outbox,
  ) {
    this.presence = new Presence(house, (isThere) => {
      if (!isThere) this.dropAll();
      this.listeners.tell();
    });
  }

  /** A module needs the bridge for these jobs. */
  open<A>(kind: JobKind<A>): RunJob<A> {
    this.kinds.add(jobName(kind.adapter, kind.what));
    return (args, words, call) => this.run(kind, args, words, call) as Promise<A>;
  }

  /** Calls the listener when a bridge comes or goes. */
  watch(listener: () => void): Cancel {
    return this.listeners.watch(listener);
  }

  /** Throws BRIDGE_AWAY. */
  assertConnected(kind: Pick<JobKind<unknown>, "adapter" | "what">): void {
    if (!this.presence.isThere) throw this.away(kind);
  }

  get isConnected(): boolean {
    return this.presence.isThere;
  }

  /** All that may ever be asked of a bridge. */
  get asks(): readonly string[] {
    return [...this.kinds];
  }

  /** Undefined in a house that needs no bridge and has none. */
  state(): BridgeState | undefined {
    return this.kinds.size > 0 || this.presence.isThere ? this.presence.state() : undefined;
  }

  /**
   * Throws BRIDGE_AWAY, JOBS_BUSY, JOB_FAILED, JOB_UNANSWERED, JOB_UNKNOWN, RESULT_TOO_LARGE, STORE_FAILED, TOO_LATE, and what
   * forbids the call meanwhile.
   */
  private async run<A>(kind: JobKind<A>, args: Arguments, words: string, call?: Caller): Promise<unknown> {
    this.assertConnected(kind);
    if (this.waiting.size + this.taken.size >= MAX_JOBS)
      throw new TendrilError(BRIDGE_ERRORS.JOBS_BUSY, `${MAX_JOBS} jobs of the bridge are not answered yet`);
    const claim = kind.effects ? await this.claim(kind, words) : undefined;
    const clock = this.house.realClock; // the bridge and the outside do not run faster on a bench
    return new Promise((resolve, reject) => {
      const id = randomUUID();
      const disarm = clock.after(kind.within, () => this.tooLate(id));
      const until = millis(clock.monotonic() + kind.within);
      const job = { id, kind: kind as JobKind<unknown>, args, until, claim, call, disarm, resolve, reject };
      this.waiting.set(id, job);
      // the bridge may have left while the claim was written
      if (this.presence.isThere) this.endPoll();
      else this.dropAll();
    });
  }

  /**
   * The jobs for this bridge; waits for one if there is none. Returns an empty list when the time is over. Throws
   * BRIDGE_TAKEN.
   */
  async take(caller: BridgeCaller, wait: Millis, signal: AbortSignal): Promise<readonly TakenJob[]> {
    this.presence.enter(caller);
    this.endPoll(); // of the same bridge: it asks once more
    this.polls += 1;
    const poll = this.polls;
    if (this.waiting.size === 0 && wait > 0) await this.nextJob(wait, signal);
    if (poll !== this.polls || !this.presence.isHeldBy(caller)) return [];
    this.presence.answered();
    return this.handOut();
  }

  /** The bridge says goodbye. Jobs that it has not answered end now. */
  leave(caller: BridgeCaller): void {
    if (!this.presence.isHeldBy(caller)) return;
    this.presence.leave();
    this.endPoll();
  }

  /** Throws JOB_GONE for a job that this run of the bridge was not given, or that is over; RESULT_TOO_LARGE. */
  async answer(caller: Pick<BridgeCaller, "token" | "run">, answer: JobAnswer): Promise<void> {
    const job = this.presence.isHeldBy(caller) ? this.taken.get(answer.job_id) : undefined;
    if (!job) {
      const what = `no job "${excerpt(answer.job_id)}" waits for an answer of this bridge`;
      throw new TendrilError(BRIDGE_ERRORS.JOB_GONE, what);
    }
    if (answer.outcome === "done") return this.done(job, answer.result ?? {});
    const { code = "NO_REASON", message = "the bridge gives no reason" } = answer;
    // who answered the bridge may have a say in both, and a captured bridge says what it likes
    const untrusted = isOwnFailure(code, message) ? [] : [job.kind.adapter];
    if (answer.outcome === "unknown") return this.unknown(job, `${message} (${code})`, { untrusted });
    await this.failed(job, this.failure(job, code, message, { untrusted }));
  }

  /** Tells people of the jobs that a former process had claimed and not ended. */
  async settleFormer(): Promise<void> {
    const open = new Map<number, JobRecord>();
    for await (const { id, record } of this.log.stored())
      if (record.state === "claimed") open.set(id, record);
    for (const [id, record] of open) await this.noteUnknown(id, record);
  }

  /** Nobody is answered any more; what was claimed is found at the next start. */
  close(): void {
    for (const job of this.all()) {
      this.forget(job);
      job.reject(new TendrilError("STOPPING", "the runtime is stopping"));
    }
    this.endPoll();
  }

  private handOut(): TakenJob[] {
    const now = this.house.realClock.monotonic();
    const wanted = [...this.waiting.values()].filter((job) => this.isStillWanted(job));
    return wanted.map((job) => {
      this.waiting.delete(job.id);
      this.taken.set(job.id, job);
      const { adapter, what } = job.kind;
      const within_s = Math.max(0, (job.until - now) / 1000);
      return { job_id: job.id, adapter, what, arguments: job.args, within_s };
    });
  }

  /** Whatever was forbidden since the call was admitted ends the job, and so does too long a wait. Then nothing is sent. */
  private isStillWanted(job: Job): boolean {
    try {
      job.call?.assertStands();
      job.call?.age.assertFresh();
      return true;
    } catch (refusal) {
      void this.failed(job, refusal);
      return false;
    }
  }

  private nextJob(longest: Millis, signal: AbortSignal): Promise<void> {
    return untilTold({ clock: this.house.realClock, longest, signal }, (end) => {
      this.endPoll = end;
      return () => undefined; // to end a poll that is over changes nothing
    });
  }

  private async done(job: Job, result: Arguments): Promise<void> {
    if (JSON.stringify(result).length > job.kind.most) return this.spoilt(job, "RESULT_TOO_LARGE");
    const read = job.kind.answer.safeParse(result);
    if (!read.success) return this.spoilt(job, "INVALID_ARGUMENT");
    this.forget(job);
    await this.note(job, "answered");
    job.resolve(read.data);
  }

  /** The answer cannot be used. The bridge is told; what was to happen outside has perhaps happened. */
  private async spoilt(job: Job, code: "RESULT_TOO_LARGE" | "INVALID_ARGUMENT"): Promise<never> {
    const { adapter, what, most } = job.kind;
    const found = code === "RESULT_TOO_LARGE" ? `is longer than ${most} characters` : "has not its form";
    const said = `the bridge's answer to ${adapter} ${what} ${found}`;
    const error =
      code === "RESULT_TOO_LARGE" ? new TendrilError(code, said) : this.failure(job, "ANSWER_INVALID", said);
    if (job.claim === undefined) await this.failed(job, error);
    else await this.unknown(job, said);
    throw new TendrilError(code, said);
  }

  private async failed(job: Job, error: unknown): Promise<void> {
    this.forget(job);
    await this.note(job, "failed", errorBody(error).code);
    job.reject(error);
  }

  /** Nobody knows whether it was done. For a job without effects that only means: no answer. */
  private async unknown(job: Job, why: string, said: Particulars = {}): Promise<void> {
    this.forget(job);
    const { adapter, what } = job.kind;
    if (job.claim === undefined)
      return job.reject(new TendrilError(BRIDGE_ERRORS.JOB_UNANSWERED, `${adapter} ${what}: ${why}`, said));
    await this.noteUnknownClaim(job.claim).catch(this.house.complain);
    job.reject(new TendrilError(BRIDGE_ERRORS.JOB_UNKNOWN, `${adapter} ${what}: ${why}`, said));
  }

  private tooLate(id: string): void {
    const [waiting, taken] = [this.waiting.get(id), this.taken.get(id)];
    if (waiting) void this.failed(waiting, this.away(waiting.kind));
    if (taken) void this.unknown(taken, `no answer within ${taken.kind.within / 1000} s`);
  }

  /** The bridge is gone. What it had may have been done; what it had not was not. */
  private dropAll(): void {
    for (const job of [...this.waiting.values()]) void this.failed(job, this.away(job.kind));
    for (const job of [...this.taken.values()])
      void (job.claim === undefined
        ? this.failed(job, this.away(job.kind))
        : this.unknown(job, "the bridge went away before it answered"));
  }

  private get log() {
    return this.house.journal(JOB_LOG);
  }

  private all(): Job[] {
    return [...this.waiting.values(), ...this.taken.values()];
  }

  private forget({ id, disarm }: Job): void {
    disarm();
    this.waiting.delete(id);
    this.taken.delete(id);
  }

  private async claim({ adapter, what }: JobKind<unknown>, words: string): Promise<number> {
    return (await this.log.append({ timestamp: this.house.timestamp(), adapter, what, words })).id;
  }

  /** A line that cannot be written leaves the claim open: at the next start a person is told. */
  private async note({ claim }: Job, state: "answered" | "failed", code?: string): Promise<void> {
    if (claim === undefined) return;
    const timestamp = this.house.timestamp();
    const entry = { timestamp, of: claim, state, ...(code !== undefined && { code }) };
    await this.log.append(entry).catch(this.house.complain);
  }

  private async noteUnknownClaim(id: number): Promise<void> {
    const record = await this.log.get(id);
    if (record) await this.noteUnknown(id, record);
  }

  /** Told before it is noted: a crash in between tells it again, under the same key. */
  private async noteUnknown(id: number, { adapter, what, words, timestamp }: JobRecord): Promise<void> {
    const data = { adapter, what, words, claimed_at: timestamp };
    await this.outbox.tell({ kind: "job_unknown", severity: "warning", data, key: `job ${id}` });
    await this.log.append({ timestamp: this.house.timestamp(), of: id, state: "unknown" });
  }

  private failure({ kind }: Job, code: string, message: string, said: Particulars = {}): TendrilError {
    const what = `${kind.adapter} ${kind.what}: ${message}`;
    const { JOB_FAILED } = BRIDGE_ERRORS;
    const refusal = code === "NOT_CONFIGURED" ? { ...JOB_FAILED, fix: ADD_IT } : JOB_FAILED;
    return new TendrilError(refusal, what, { details: { cause: code }, ...said });
  }

  private away({ adapter, what }: Pick<JobKind<unknown>, "adapter" | "what">): TendrilError {
    const { connected, since } = this.presence.state();
    const said = connected
      ? `the bridge did not take the job ${adapter} ${what} in its time`
      : `no bridge is connected since ${since}, and ${adapter} ${what} needs one`;
    return new TendrilError(BRIDGE_ERRORS.BRIDGE_AWAY, said);
  }
}

/** What to do for a job whose adapter the bridge's file says nothing of. */
const ADD_IT = "write it there, as docs/bridge.md shows, and restart the bridge";

export const jobs = definePart("jobs", async (house) => {
  const opened = new Jobs(house, await house.use(outbox));
  house.onClose(() => opened.close());
  return opened;
});
