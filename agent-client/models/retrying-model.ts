import { exponentialBackoff } from "../../runtime/wire/program.js";
import { ChildSignal, type Clock, type Millis, minutes, seconds } from "../clock.js";
import { SAMPLING } from "./conversation.js";
import type { Asked, AskOptions, Model, Reply } from "./model.js";
import { type FailureKind, ModelError } from "./model-error.js";

export interface Bounds {
  readonly reply: Millis;
  /** Time for a whole cycle, from its first request. */
  readonly cycle: Millis;
}

interface RetryOptions {
  readonly bounds: Bounds;
  /** How long after the request a server that is away is asked again. */
  readonly retryFor: Millis;
  readonly clock: Clock;
  /** [0, 1), for the jitter of the waits. */
  readonly random: () => number;
  /** Called when a reply takes long, to show that the program still runs. */
  readonly onSlow: () => void;
  readonly onWait: (error: ModelError, wait: Millis) => void;
}

/** A choice: a restarted server has loaded its model by then. */
export const RETRY_FOR: Millis = minutes(2);
/** A choice, for a person who waits for the result. */
export const RETRY_FOR_ONCE: Millis = seconds(30);

export const waitInWords = ({ message }: ModelError, wait: Millis): string =>
  `${message}; asked again in ${(wait / seconds(1)).toFixed(1)} s`;

/** A choice: longer than a quick reply, and soon enough that a person does not worry. */
const SLOW: Millis = seconds(5);
/** New seeds after answers that cannot be parsed. A choice: each may take minutes on a small computer. */
const MAX_NEW_SEEDS = 2;
/** Repeats after broken replies. A choice: each may have been computed, and paid for. */
const MAX_BROKEN = 3;
/** Failures that time may cure. */
const PASSING: ReadonlySet<FailureKind> = new Set(["away", "broken"]);

/**
 * A model with time limits and retries. It fails if a reply or a cycle takes too long. It is asked again if time or another
 * seed may help; this is safe, since nothing is carried out before a reply is complete.
 */
export class RetryingModel implements Model {
  readonly name: string;
  /** Undefined until the first request of the cycle. */
  private cycleEndsAt: Millis | undefined;
  private asksOnce = false;
  private replied = false;

  constructor(
    private readonly model: Model,
    private readonly parts: RetryOptions,
  ) {
    this.name = model.name;
  }

  /** Call before each cycle. `asksOnce`: no retries of its first request. */
  beginCycle({ asksOnce = false } = {}): void {
    this.cycleEndsAt = undefined;
    this.asksOnce = asksOnce;
  }

  get hasReplied(): boolean {
    return this.replied;
  }

  async respond(...[conversation, tools, signal, options]: Asked): Promise<Reply> {
    const { bounds, clock, onWait } = this.parts;
    this.cycleEndsAt ??= clock.monotonic() + bounds.cycle;
    const retries = this.asksOnce ? undefined : new Retries(this.parts);
    this.asksOnce = false;
    for (;;) {
      try {
        const how = retries?.optionsFrom(options) ?? options;
        const reply = await this.bounded([conversation, tools, signal, how]);
        this.replied = true;
        return reply;
      } catch (error) {
        const wait = retries?.waitAfter(error);
        if (!(error instanceof ModelError) || wait === undefined) throw givenUp(error);
        onWait(error, wait);
        await clock.sleep(wait, signal);
      }
    }
  }

  private async bounded([conversation, tools, signal, options]: Asked): Promise<Reply> {
    const { clock, onSlow } = this.parts;
    const [asking, waiting] = [new ChildSignal(signal), new ChildSignal(signal)];
    const after = (time: Millis, what: () => void) =>
      void clock.sleep(time, waiting.signal).then(what, () => undefined);
    try {
      return await new Promise((resolve, reject) => {
        const { left, late } = this.timeLeft();
        if (left <= 0) return reject(late);
        after(SLOW, onSlow);
        after(left, () => reject(late));
        this.model.respond(conversation, tools, asking.signal, options).then(resolve, reject);
      });
    } finally {
      waiting.abort();
      asking.abort();
    }
  }

  private timeLeft(): { left: Millis; late: ModelError } {
    const { bounds, clock } = this.parts;
    const ofCycle = (this.cycleEndsAt ?? Number.POSITIVE_INFINITY) - clock.monotonic();
    if (bounds.reply <= ofCycle) return { left: bounds.reply, late: this.tooLate(REPLY, bounds.reply) };
    return { left: ofCycle, late: this.tooLate(CYCLE, bounds.cycle) };
  }

  private tooLate([what, option]: readonly [string, string], limit: Millis): ModelError {
    return new ModelError(
      `${this.name} ${what} ${inWords(limit)}: take a smaller model or a faster computer, or see ${option}`,
      "cycle",
    );
  }
}

/** How often, when and with which seed one request is repeated. */
class Retries {
  private readonly waits: Iterator<Millis, never>;
  private readonly until: Millis;
  private garbled = 0;
  private broken = 0;

  constructor(private readonly parts: RetryOptions) {
    this.waits = exponentialBackoff(parts.random);
    this.until = parts.clock.monotonic() + parts.retryFor;
  }

  /** After an unreadable answer another seed, since the same one would give the same answer. */
  optionsFrom(options: AskOptions | undefined): AskOptions | undefined {
    if (this.garbled === 0) return options;
    return { ...options, seed: (options?.seed ?? SAMPLING.seed) + this.garbled };
  }

  /** The wait before the next try; undefined: no more tries. */
  waitAfter(error: unknown): Millis | undefined {
    if (!(error instanceof ModelError)) return undefined;
    const wait = Math.max(this.waits.next().value, error.retryAfter ?? 0);
    if (error.kind === "garbled") return ++this.garbled <= MAX_NEW_SEEDS ? wait : undefined;
    if (error.kind === "broken" && ++this.broken > MAX_BROKEN) return undefined;
    const isInTime = this.parts.clock.monotonic() + wait <= this.until;
    return PASSING.has(error.kind) && isInTime ? wait : undefined;
  }
}

/** If no seed helps, a new conversation may. */
const givenUp = (error: unknown): unknown =>
  error instanceof ModelError && error.kind === "garbled" ? new ModelError(error.message, "cycle") : error;

const inWords = (time: Millis): string =>
  time < minutes(1) ? `${time / seconds(1)} s` : `${time / minutes(1)} minutes`;

const REPLY = ["did not answer within", "--reply-within"] as const;
const CYCLE = ["was not done with a cycle within", "--cycle-within"] as const;
