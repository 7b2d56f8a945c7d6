import { z } from "zod";
import { type Clock, hours, type Millis, minutes } from "../clock.js";
import type { CycleOutcome, Failure, ModelChoice } from "../cycle/cycle.js";
import type { DurableFile } from "../state/state-folder.js";
import type { Model } from "./model.js";
import type { FailureKind } from "./model-error.js";
import type { RetryingModel } from "./retrying-model.js";

/** What the person was told about the model, so that a restart does not repeat it. */
export const modelStateFile = z.strictObject({
  version: z.literal(1),
  model: z.string(),
  /** Cycles in a row that the model failed. */
  failures: z.int().min(0),
  /** Out of service: it failed too often, or in a way that only a person can fix. */
  isOut: z.boolean(),
  /** The reason that the person was told. */
  told: z.string().nullable(),
  /** The last daily limit that the person was told of. */
  toldLimit: z.string().nullable(),
});

type State = z.output<typeof modelStateFile>;

export interface FailoverOptions {
  /** Failed cycles in a row after which the model is out. */
  readonly failedCycles: number;
  readonly file: DurableFile<State>;
  /** Sends a message to the person; true if it was sent. */
  readonly tell: (message: string) => Promise<boolean>;
  readonly say: (text: string) => void;
  readonly model: Model;
  /** The retries of `model`: they begin anew with each cycle. */
  readonly patience: Pick<RetryingModel, "beginCycle">;
  /** Takes over the cycles that the model fails. */
  readonly fallback: Model | undefined;
  readonly clock: Clock;
}

/** Failures that cost time or money. All others are quick refusals. */
const COSTLY: ReadonlySet<FailureKind> = new Set(["broken", "garbled", "cycle", "incomplete"]);

/**
 * Chooses the model of each cycle. The model is asked first. If it fails before a status was cleared, nothing was done to the
 * plant, and the fallback takes the same cycle. A model that is out of service is still asked first, but without retries and
 * at growing intervals; it is back in service once it completes a cycle.
 */
export class Failover implements ModelChoice {
  private readonly notices: OutageNotices;
  private readonly pauses: Pauses;
  private plant = "";
  /** The model's result in this cycle. Undefined: it was not asked. */
  private outcome: CycleOutcome | undefined;
  /** The fallback's result in this cycle. Undefined: it was not asked. */
  private takenOver: CycleOutcome | undefined;
  private fallbackDecides = false;
  /** Why the model last failed. */
  private last: Failure | undefined;
  /** The daily limit that the log has already shown in full. */
  private saidLimit: string | undefined;

  constructor(private readonly parts: FailoverOptions) {
    this.notices = new OutageNotices(parts);
    this.pauses = new Pauses(parts.clock);
  }

  first(plant: string): Model {
    const { model, fallback, patience } = this.parts;
    this.plant = plant;
    this.outcome = undefined;
    this.takenOver = undefined;
    this.fallbackDecides = false;
    const asksOnce = fallback !== undefined && this.notices.isOut;
    if (asksOnce && this.last && this.pauses.covers(plant))
      return this.handOver(fallback, `${this.last.message} (it is left alone for a while)`);
    patience.beginCycle({ asksOnce });
    return model;
  }

  next(outcome: CycleOutcome): Model | undefined {
    if (this.fallbackDecides) {
      this.takenOver = outcome;
      return undefined;
    }
    this.outcome = outcome;
    const { fallback } = this.parts;
    if (!fallback || !outcome.failure || outcome.cleared) return undefined;
    return this.handOver(fallback, this.reasonOf(outcome.failure));
  }

  async over(): Promise<void> {
    const { outcome } = this;
    if (outcome?.completed) return this.completed();
    const failure = outcome ? outcome.failure : this.last;
    if (!failure) return; // the link to the runtime broke, which is not the model's failure
    if (failure.kind === "limit") await this.notices.limitReached(failure.message);
    else if (!this.isNobodysFault(failure)) await this.failed(failure);
  }

  private handOver(fallback: Model, reason: string): Model {
    this.fallbackDecides = true;
    this.parts.say(`${reason}; ${fallback.name} takes this cycle`);
    return fallback;
  }

  /** A limit lasts until the next day, so the log shows it in full only once. */
  private reasonOf({ kind, message }: Failure): string {
    if (kind !== "limit") return message;
    const isKnown = this.saidLimit === message;
    this.saidLimit = message;
    return isKnown ? "the day's limit" : message;
  }

  /** If the fallback cannot complete the cycle either, the runtime clears no status now. */
  private isNobodysFault({ kind }: Failure): boolean {
    return kind === "incomplete" && this.takenOver?.completed === false;
  }

  private async failed(failure: Failure): Promise<void> {
    const { outcome, takenOver } = this;
    this.last = failure;
    await this.notices.failed(failure);
    if (!outcome || !this.notices.isOut) return;
    if (!takenOver) this.pauses.grow(this.plant);
    else if (COSTLY.has(failure.kind)) this.pauses.grow();
  }

  private async completed(): Promise<void> {
    this.pauses.reset();
    await this.notices.works();
  }
}

/** Whether a model is out of service, and messages about it: each only once, also after restarts. */
class OutageNotices {
  private state: State;
  private readonly model: string;
  private readonly fallback: string | undefined;

  constructor(private readonly parts: FailoverOptions) {
    this.model = parts.model.name;
    this.fallback = parts.fallback?.name;
    this.state = this.read();
  }

  get isOut(): boolean {
    return this.state.isOut;
  }

  /** Counts a failed cycle. Rejects with a LinkError, like all methods that send messages. */
  async failed({ kind, message }: Failure): Promise<void> {
    const failures = this.state.failures + 1;
    if (!this.isOut) this.keep({ failures });
    if (this.isOut || kind === "person" || failures >= this.parts.failedCycles) await this.tellOut(message);
  }

  async limitReached(reason: string): Promise<void> {
    if (this.state.toldLimit === reason) return;
    if (await this.parts.tell(`**A limit of the day.** ${reason}. ${this.until("Until then")}. ${SENDER}`))
      this.keep({ toldLimit: reason });
  }

  async works(): Promise<void> {
    const { tell, say } = this.parts;
    const { isOut, told, failures } = this.state;
    if (failures > 0 || isOut) this.keep({ failures: 0, isOut: false });
    const takesOver = this.fallback ? ` and takes over from ${this.fallback}` : "";
    const back = `${this.model} works again${takesOver}: it has completed a cycle`;
    if (isOut) say(back);
    if (told !== null && (await tell(`**All is well again.** ${back}. ${SENDER}`))) this.keep({ told: null });
  }

  private async tellOut(reason: string): Promise<void> {
    const { tell, say } = this.parts;
    const wasOut = this.isOut;
    this.keep({ isOut: true });
    const then = this.until("Until it completes a cycle");
    if (!wasOut) say(`${this.model} is out of service. ${then}`);
    if (this.state.told !== null) return;
    if (
      await tell(`**The model ${this.model} is out of service.** The reason: ${reason}. ${then}. ${SENDER}`)
    )
      this.keep({ told: reason });
  }

  private until(when: string): string {
    return this.fallback
      ? `${when}, ${this.fallback} looks after the plants`
      : `${when}, nobody looks after the plants; with --fallback caretaker, a set of rules would`;
  }

  private read(): State {
    const { file, say } = this.parts;
    const held = file.read();
    if (held.is === "value" && held.value.model === this.model) return held.value;
    if (held.is === "unreadable") say(`${file.path} cannot be read: what the person was told is told again`);
    return { version: 1, model: this.model, failures: 0, isOut: false, told: null, toldLimit: null };
  }

  /** Takes effect at once; if the write fails, a restart repeats a message. */
  private keep(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    try {
      this.parts.file.write(this.state);
    } catch (error) {
      this.parts.say(`${this.parts.file.path} cannot be written: ${String(error)}`);
    }
  }
}

/** Marks what no model has said. */
export const SENDER = "(Written by the agent program, not by a model.)";

/** Choices: half of the default time between cycles; and a time that a person who fixed a server can wait. */
const FIRST_PAUSE: Millis = minutes(15);
const LONGEST_PAUSE: Millis = hours(2);

/**
 * Pauses of a model that is out of service, after costly failures: twice as long each time. The next cycle of a plant whose
 * cycle it failed is always without it, however rare cycles are.
 */
class Pauses {
  private pause = FIRST_PAUSE;
  private until: Millis = 0;
  private readonly spoiled = new Set<string>();

  constructor(private readonly clock: Clock) {}

  /** After a failure. `plant`: the plant whose cycle was not completed. */
  grow(plant?: string): void {
    this.until = this.clock.monotonic() + this.pause;
    this.pause = Math.min(LONGEST_PAUSE, this.pause * 2);
    if (plant !== undefined) this.spoiled.add(plant);
  }

  /** Whether the model pauses in this cycle of the plant. */
  covers(plant: string): boolean {
    return this.spoiled.delete(plant) || this.clock.monotonic() < this.until;
  }

  reset(): void {
    this.pause = FIRST_PAUSE;
    this.until = 0;
    this.spoiled.clear();
  }
}
