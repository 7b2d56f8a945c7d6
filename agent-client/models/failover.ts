import type { Clock } from "../clock.js";
import type { CycleOutcome } from "../cycle.js";
import { plantInPrompt } from "../plant-info.js";
import { isBeginning } from "./conversation.js";
import type { Message, Model, Reply } from "./model.js";
import { ModelError } from "./model-error.js";
import { Pauses } from "./pauses.js";
import { type Failure, Standing, type StandingParts } from "./standing.js";

export interface FailoverParts extends StandingParts {
  /** The model, with all patience. */
  readonly model: Model;
  /** The same model, asked once: whether it is back. */
  readonly probe: Model;
  /** Takes the cycles that the model cannot. */
  readonly fallback: Model | undefined;
  readonly clock: Clock;
}

type Asked = Parameters<Model["respond"]>;

/**
 * Who decides in each cycle: the model, or while that is out the fallback, if there is one. A model that is out is asked
 * first at the beginning of a cycle: its reply is as good as any, and one that is refused costs nothing. After failures
 * that do cost something it is asked more and more rarely.
 */
export class Failover implements Model {
  private readonly standing: Standing;
  private readonly pauses: Pauses;
  private current: Model;
  private plant = "";
  /** Why the fallback has this cycle. */
  private stoodIn: Failure | undefined;
  private wasAsked = false;
  /** The day's limit that was said in full. */
  private saidLimit: string | undefined;
  /** Why the model last failed. */
  private last: Failure | undefined;

  constructor(private readonly parts: FailoverParts) {
    this.current = parts.model;
    this.standing = new Standing(parts.model.name, parts.fallback?.name, parts);
    this.pauses = new Pauses(parts.clock);
  }

  /** Of whoever replies just now. */
  get name(): string {
    return this.current.name;
  }

  get toolSet() {
    return this.current.toolSet;
  }

  respond(...asked: Asked): Promise<Reply> {
    return isBeginning(asked[0]) ? this.begin(asked) : this.current.respond(...asked);
  }

  /** Draws the consequences of a cycle and tells the person. Rejects with a LinkError. */
  async ended({ failure }: Pick<CycleOutcome, "failure">): Promise<void> {
    const failed = this.stoodIn ?? failure;
    const spoiled = this.stoodIn === undefined;
    const { wasAsked } = this;
    this.forget();
    if (failed?.kind === "limit") await this.standing.limitReached(failed.message);
    else if (failed) await this.failed(failed, wasAsked, spoiled);
    else if (wasAsked) await this.recovered();
  }

  /** The next cycle may end before anybody was asked. */
  private forget(): void {
    this.stoodIn = undefined;
    this.wasAsked = false;
  }

  private async begin(asked: Asked): Promise<Reply> {
    const { model, probe, fallback } = this.parts;
    this.current = model;
    this.plant = plantIn(asked[0]);
    this.forget();
    if (!fallback || !this.standing.isOut) return this.ask(model, asked);
    if (!this.last || !this.pauses.covers(this.plant)) return this.ask(probe, asked);
    return this.standIn(fallback, asked, this.last);
  }

  private async ask(model: Model, asked: Asked): Promise<Reply> {
    const { fallback } = this.parts;
    this.wasAsked = true;
    try {
      return await model.respond(...asked);
    } catch (error) {
      if (!(error instanceof ModelError) || !fallback) throw error;
      return this.standIn(fallback, asked, error);
    }
  }

  private standIn(fallback: Model, asked: Asked, failure: Failure): Promise<Reply> {
    this.stoodIn = failure;
    this.current = fallback;
    const rests = this.wasAsked ? "" : " (it is left alone for a while)";
    this.parts.say(`${this.reasonOf(failure)}${rests}; ${fallback.name} takes this cycle`);
    return fallback.respond(...asked);
  }

  /** A limit is the same until the next day: in full it is said once. */
  private reasonOf({ kind, message }: Failure): string {
    if (kind !== "limit") return message;
    const known = this.saidLimit === message;
    this.saidLimit = message;
    return known ? "the day's limit" : message;
  }

  /** `spoiled`: the plant got no cycle by it. */
  private async failed(failure: Failure, wasAsked: boolean, spoiled: boolean): Promise<void> {
    this.last = failure;
    await this.standing.failed(failure);
    if (!wasAsked || !this.standing.isOut) return;
    if (spoiled) this.pauses.grow(this.plant);
    else if (isCostly(failure)) this.pauses.grow();
  }

  private async recovered(): Promise<void> {
    this.pauses.reset();
    await this.standing.works();
  }
}

/** It may have been waited for long, and paid for. */
const isCostly = ({ kind }: Failure): boolean => kind === "broken" || kind === "cycle";

const plantIn = (conversation: readonly Message[]): string => plantInPrompt(conversation).plant ?? "";
