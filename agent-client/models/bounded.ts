import { ChildSignal } from "../child-signal.js";
import type { Clock } from "../clock.js";
import type { ToolInfo } from "../connect.js";
import { type Millis, minutes, seconds } from "../units.js";
import { isBeginning } from "./conversation.js";
import type { Message, Model, Reply } from "./model.js";
import { ModelError } from "./model-error.js";

export interface Bounds {
  /** For one reply. */
  readonly reply: Millis;
  /** For a whole cycle, from its first question on. */
  readonly cycle: Millis;
}

export interface BoundedParts {
  readonly bounds: Bounds;
  readonly clock: Clock;
  /** Told when a reply takes a while, so that somebody who watches does not take it for a hang. */
  readonly onSlow: () => void;
}

/** A choice: longer than a quick model takes, shorter than a person's doubt. */
const SLOW: Millis = seconds(5);

/** Gives a model so long for a reply, and so long for a cycle: one that hangs fails, and somebody else can take over. */
export class BoundedModel implements Model {
  readonly name: string;
  private cycleEndsAt: Millis = Number.POSITIVE_INFINITY;

  constructor(
    private readonly model: Model,
    private readonly parts: BoundedParts,
  ) {
    this.name = model.name;
  }

  async respond(
    conversation: readonly Message[],
    tools: readonly ToolInfo[],
    signal: AbortSignal,
  ): Promise<Reply> {
    const { bounds, clock, onSlow } = this.parts;
    if (isBeginning(conversation)) this.cycleEndsAt = clock.monotonic() + bounds.cycle;
    const [asking, waiting] = [new ChildSignal(signal), new ChildSignal(signal)];
    const after = (time: Millis, what: () => void) =>
      void clock.sleep(time, waiting.signal).then(what, () => undefined);
    try {
      return await new Promise((resolve, reject) => {
        const { left, late } = this.patience();
        if (left <= 0) return reject(late);
        after(SLOW, onSlow);
        after(left, () => reject(late));
        this.model.respond(conversation, tools, asking.signal).then(resolve, reject);
      });
    } finally {
      waiting.abort();
      asking.abort();
    }
  }

  private patience(): { left: Millis; late: ModelError } {
    const { bounds, clock } = this.parts;
    const ofCycle = this.cycleEndsAt - clock.monotonic();
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

const inWords = (time: Millis): string =>
  time < minutes(1) ? `${time / seconds(1)} s` : `${time / minutes(1)} minutes`;

const REPLY = ["did not answer within", "--reply-within"] as const;
const CYCLE = ["was not done with a cycle within", "--cycle-within"] as const;
