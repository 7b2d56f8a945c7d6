import type { Clock } from "../clock.js";
import { ChildSignal, exponentialBackoff } from "../clock.js";
import { type Millis, minutes, seconds } from "../units.js";
import { SAMPLING } from "./conversation.js";
import type { AskOptions, Model, Reply, Usage } from "./model.js";
import { type FailureKind, ModelError } from "./model-error.js";

export interface Bounds {
  /** For one reply. */
  readonly reply: Millis;
  /** For a whole cycle, from its first question on. */
  readonly cycle: Millis;
}

export interface RetryOptions {
  readonly bounds: Bounds;
  /** A server that is away is asked again until so long after the question. */
  readonly retryFor: Millis;
  readonly clock: Clock;
  /** [0, 1), for the jitter of the waits. */
  readonly random: () => number;
  /** Told when a reply takes a while, so that a person who watches does not think that the program hangs. */
  readonly onSlow: () => void;
  /** Told before each wait. */
  readonly onWait: (error: ModelError, wait: Millis) => void;
}

/** A choice: a server that restarts has loaded its model by then. */
export const RETRY_FOR: Millis = minutes(2);
/** Where a person watches and waits. */
export const RETRY_FOR_ONCE: Millis = seconds(30);

export const waitInWords = ({ message }: ModelError, wait: Millis): string =>
  `${message}; asked again in ${(wait / seconds(1)).toFixed(1)} s`;

type Asked = Parameters<Model["respond"]>;

/** A choice: longer than a quick model takes, shorter than it takes a person to worry. */
const SLOW: Millis = seconds(5);
/** Of an answer that nobody can parse. A choice: each one may take minutes on a small computer. */
const MAX_NEW_SEEDS = 2;
/** Of replies that break off or are none. A choice: each one may have been worked out, and paid for. */
const MAX_BROKEN = 3;
/** Failures that time may mend. */
const PASSING: ReadonlySet<FailureKind> = new Set(["away", "broken"]);

/**
 * A model with bounds and patience. It gets so long for a reply and so long for a cycle; then it has failed. It is asked
 * again where time or another seed may help: nothing acts before a reply is whole, so asking again is safe.
 */
export class RetryingModel implements Model {
  readonly name: string;
  /** Undefined: the time of the cycle begins with its first question. */
  private cycleEndsAt: Millis | undefined;
  private asksOnce = false;
  private replied = false;

  constructor(
    private readonly model: Model,
    private readonly parts: RetryOptions,
  ) {
    this.name = model.name;
  }

  /** To be called before each cycle. `asksOnce`: its first question is asked once, whatever comes of it. */
  beginCycle({ asksOnce = false } = {}): void {
    this.cycleEndsAt = undefined;
    this.asksOnce = asksOnce;
  }

  /** Whether it has ever given a reply. */
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

/** How often, when and with which seed one question is asked again. */
class Retries {
  private readonly waits: Iterator<Millis, never>;
  private readonly until: Millis;
  private garbled = 0;
  private broken = 0;

  constructor(private readonly parts: RetryOptions) {
    this.waits = exponentialBackoff(parts.random);
    this.until = parts.clock.monotonic() + parts.retryFor;
  }

  /** The same seed would bring the same answer that nobody can parse. */
  optionsFrom(options: AskOptions | undefined): AskOptions | undefined {
    if (this.garbled === 0) return options;
    return { ...options, seed: (options?.seed ?? SAMPLING.seed) + this.garbled };
  }

  /** Undefined: it is not asked again. */
  waitAfter(error: unknown): Millis | undefined {
    if (!(error instanceof ModelError)) return undefined;
    const wait = Math.max(this.waits.next().value, error.retryAfter ?? 0);
    if (error.kind === "garbled") return ++this.garbled <= MAX_NEW_SEEDS ? wait : undefined;
    if (error.kind === "broken" && ++this.broken > MAX_BROKEN) return undefined;
    const isInTime = this.parts.clock.monotonic() + wait <= this.until;
    return PASSING.has(error.kind) && isInTime ? wait : undefined;
  }
}

/** An answer that no seed mends needs another conversation. */
const givenUp = (error: unknown): unknown =>
  error instanceof ModelError && error.kind === "garbled" ? new ModelError(error.message, "cycle") : error;

const inWords = (time: Millis): string =>
  time < minutes(1) ? `${time / seconds(1)} s` : `${time / minutes(1)} minutes`;

const REPLY = ["did not answer within", "--reply-within"] as const;
const CYCLE = ["was not done with a cycle within", "--cycle-within"] as const;

/** A choice: ten million is the longest context that any model is sold with (Llama 4 Scout, 2025). */
const MAX_TOKENS = 10_000_000;

/** The same model without counts of tokens that cannot be true: whoever needs them estimates. Said once. */
export function withPlausibleUsage(model: Model, say: (text: string) => void): Model {
  let isSaid = false;
  const doubt = (usage: Usage, then: string) => {
    if (!isSaid) say(`${model.name} says that a reply took ${countsIn(usage)}, which cannot be: ${then}`);
    isSaid = true;
  };
  return {
    name: model.name,
    respond: async (...asked) => {
      const reply = await model.respond(...asked);
      return reply.usage ? withTrueCounts(reply, reply.usage, doubt) : reply;
    },
  };
}

function withTrueCounts(reply: Reply, usage: Usage, doubt: (usage: Usage, then: string) => void): Reply {
  const { input, output, cached = 0 } = usage;
  if (!isCount(input) || !isCount(output)) {
    doubt(usage, "such counts are estimated");
    const { usage: _, ...rest } = reply;
    return rest;
  }
  if (isCount(cached) && cached <= input) return reply;
  doubt(usage, "how many were cached is left out");
  return { ...reply, usage: { input, output } };
}

const countsIn = ({ input, output, cached }: Usage): string =>
  `${input} tokens in${cached === undefined ? "" : ` (${cached} cached)`} and ${output} out`;

export const isCount = (tokens: number): boolean =>
  Number.isInteger(tokens) && tokens >= 0 && tokens <= MAX_TOKENS;
