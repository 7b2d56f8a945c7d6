import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { within } from "../../drivers/clock/waiting.js";
import type { Clock } from "../../drivers/ports.js";
import { millis, seconds } from "../../drivers/units.js";
import { visible } from "../wire/approval-words.js";
import {
  jobName,
  LONGEST_ANSWER,
  LONGEST_FAILURE,
  LONGEST_WAIT,
  type TakenJob,
  takenJobs,
} from "../wire/bridge.js";
import { exponentialBackoff, VERSION } from "../wire/program.js";
import { type Adapter, type BridgeContext, JobFailure, type JobHandler, type JobResult } from "./adapter.js";
import { reportUseless } from "./channel-reports.js";
import { type Link, LinkDown, Refused } from "./link.js";
import { Redactor, type Secrets } from "./secrets.js";

interface BridgeParts {
  readonly link: Link;
  readonly adapters: readonly Adapter[];
  readonly secrets: Secrets;
  readonly clock: Clock;
  /** [0, 1), for the jitter of the waits. */
  readonly random: () => number;
  /** A line for a person. */
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Refusals that only a person can mend. */
const FINAL: readonly string[] = ["UNAUTHORIZED", "FORBIDDEN", "UNKNOWN_TOOL"];
/** The bridge has its answer ready so long before the runtime stops waiting. A choice. */
const MARGIN = seconds(2);
/** Above this Node warns of a leak. The runtime hands out at most 32 jobs at once, and each listens twice at most. */
const MAX_LISTENERS = 80;
/** How often an answer is sent if the link breaks meanwhile. A choice: for about three seconds. */
const ATTEMPTS = 5;
const MEND = " (correct the file, then restart the bridge)";
/** Characters of a line of the log. A choice: a few lines of a terminal. */
const LONGEST_LINE = 1000;

/** Takes jobs from the runtime, has the adapters do them, and brings the answers. Keeps nothing of them. */
export class Bridge {
  private readonly run = randomUUID();
  private readonly handlers = new Map<string, Readonly<Record<string, JobHandler>>>();
  private readonly redactor: Redactor;
  /** What channels have found out about the files, by channel. */
  private readonly found = new Map<string, string>();
  private readonly connectedListeners: (() => void)[] = [];
  /** What the runtime may ask for, once it has said so. */
  private asks: readonly string[] | undefined;

  constructor(private readonly parts: BridgeParts) {
    const { adapters, secrets, clock, signal, link } = parts;
    setMaxListeners(MAX_LISTENERS, signal);
    const { values, problems } = secrets;
    const working = adapters.filter(({ key }) => problems[key] === undefined);
    this.redactor = new Redactor(working.flatMap(({ key, ...each }) => each.secrets(values[key])));
    const call = (tool: string, args: JobResult) => link.call(tool, args);
    const upload: BridgeContext["upload"] = (query, bytes, ends) => link.upload(query, bytes, ends);
    const onConnected = (listener: () => void) => void this.connectedListeners.push(listener);
    const context = {
      ...{ clock, signal, call, upload, onConnected, say: (text: string) => this.say(text) },
      isAsked: (adapter: string, what: string) => this.asks?.includes(jobName(adapter, what)),
      tellProblem: (channel: string, problem: string | undefined) => this.noteProblem(channel, problem),
    };
    for (const { name, key, ...adapter } of working)
      this.handlers.set(name, adapter.open(values[key], context));
    for (const problem of Object.values(problems)) this.say(problem);
    for (const { name, key } of adapters)
      if (problems[key] !== undefined) reportUseless(name, `${problems[key]}${MEND}`, context);
  }

  /** Why an adapter cannot work, by its name. */
  private problemOf(adapter: string): string | undefined {
    const { adapters, secrets } = this.parts;
    const { key = "" } = adapters.find(({ name }) => name === adapter) ?? {};
    return secrets.problems[key];
  }

  /** What no channel tells itself. */
  private fileProblems(): readonly string[] {
    const { adapters, secrets } = this.parts;
    const untold = adapters.filter(({ name }) => !this.asks?.includes(jobName(name, "deliver")));
    return untold.flatMap(({ key }) => secrets.problems[key] ?? []);
  }

  private noteProblem(channel: string, problem: string | undefined): void {
    if (problem === undefined) this.found.delete(channel);
    else this.found.set(channel, problem);
  }

  /** Runs until the signal. Rejects with Refused if the runtime does not let this token in. */
  async serve(): Promise<void> {
    const { signal } = this.parts;
    try {
      while (!signal.aborted) await this.connected();
    } finally {
      await this.take({ wait_s: 0, leaving: true }).catch(() => undefined);
      await this.parts.link.close();
    }
  }

  /** Waits until the runtime answers, then takes jobs until it does not. */
  private async connected(): Promise<void> {
    const { signal, clock, random } = this.parts;
    let told = "";
    for (const wait of exponentialBackoff(random)) {
      const trouble = await this.trouble({ wait_s: 0 });
      if (trouble === undefined || signal.aborted) break;
      if (trouble !== told) this.say(`waiting: ${trouble}`);
      told = trouble;
      await clock.sleep(millis(wait), signal).catch(() => undefined);
    }
    if (signal.aborted) return;
    this.say("connected: jobs are taken");
    for (const listener of this.connectedListeners) listener();
    let lost: string | undefined;
    while (lost === undefined && !signal.aborted) lost = await this.trouble({ wait_s: LONGEST_WAIT });
    if (!signal.aborted) this.say(`the link is lost: ${lost}`);
  }

  /** Takes jobs once and begins them. Returns why it could not; throws for what only a person can mend. */
  private async trouble(options: { readonly wait_s: number }): Promise<string | undefined> {
    try {
      for (const job of await this.take(options)) void this.work(job);
      return undefined;
    } catch (error) {
      if (error instanceof LinkDown) return error.message;
      if (error instanceof Refused && !FINAL.includes(error.code)) return error.message;
      if (this.parts.signal.aborted) return "stopping";
      throw error;
    }
  }

  private async take(options: {
    readonly wait_s: number;
    readonly leaving?: boolean;
  }): Promise<readonly TakenJob[]> {
    const { link, signal } = this.parts;
    const all = [...this.fileProblems(), ...this.found.values()];
    const problems = all.map((each) => each.slice(0, LONGEST_FAILURE));
    const args = { bridge: this.run, version: VERSION, problems, ...options };
    const within = seconds(options.wait_s + LONGEST_WAIT);
    const answer = await link.call("take_jobs", args, { within, ...(!options.leaving && { signal }) });
    const read = takenJobs.safeParse(answer);
    if (!read.success) throw new LinkDown("the runtime's jobs are not understood: has it another version?");
    this.asks = read.data.asks;
    return read.data.jobs;
  }

  /** Never rejects. */
  private async work(job: TakenJob): Promise<void> {
    const { clock, signal } = this.parts;
    const longest = millis(Math.max(0, seconds(job.within_s) - MARGIN));
    await within({ clock, longest, signal }, async (ends) => this.send(job, await this.done(job, ends)));
  }

  private async done({ adapter, what, arguments: args }: TakenJob, signal: AbortSignal): Promise<JobResult> {
    try {
      const problem = this.problemOf(adapter);
      if (problem !== undefined) throw new JobFailure("NOT_CONFIGURED", problem);
      const handler = this.handlers.get(adapter)?.[what];
      if (!handler) throw new JobFailure("NO_ADAPTER", `this bridge cannot do ${adapter} ${what}`);
      const text = this.redactor.clean(JSON.stringify(await handler(args, signal)));
      if (text.length > LONGEST_ANSWER) throw new JobFailure("TOO_LARGE", "the answer is too long");
      return { outcome: "done", result: JSON.parse(text) };
    } catch (error) {
      return this.failed(error);
    }
  }

  private failed(error: unknown): JobResult {
    if (!(error instanceof JobFailure)) {
      this.parts.say(this.redactor.clean(`a defect: ${error instanceof Error ? error.stack : error}`));
      return { outcome: "unknown", code: "DEFECT", message: "the bridge failed unexpectedly: see its log" };
    }
    const { outcome, code, message } = error;
    return { outcome, code, message: this.redactor.clean(message).slice(0, LONGEST_FAILURE) };
  }

  private async send({ job_id, adapter, what }: TakenJob, answer: JobResult): Promise<void> {
    const { link, clock, random } = this.parts;
    const waits = exponentialBackoff(random);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1)
      try {
        await link.call("answer_job", { bridge: this.run, job_id, ...answer });
        return;
      } catch (error) {
        const isLost = error instanceof LinkDown && attempt < ATTEMPTS;
        if (!isLost) return this.say(`the answer to ${adapter} ${what} was not taken: ${String(error)}`);
        await clock.sleep(millis(waits.next().value));
      }
  }

  /** On one line: servers outside have a say in it. */
  private say(text: string): void {
    const line = visible(this.redactor.clean(text));
    this.parts.say(
      line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}… (${line.length} characters)` : line,
    );
  }
}
