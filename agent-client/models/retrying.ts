import type { Clock } from "../clock.js";
import type { ToolInfo } from "../connect.js";
import { growingWaits } from "../growing-waits.js";
import type { Millis } from "../units.js";
import type { Message, Model, Reply } from "./model.js";
import { type FailureKind, ModelError } from "./model-error.js";

export interface Persistence {
  readonly clock: Clock;
  /** [0, 1), for the jitter of the waits. */
  readonly random: () => number;
  /** From the first question: after it a failed reply is not asked for again. */
  readonly patience: Millis;
  /** Told before each wait. */
  readonly onWait: (error: ModelError, wait: Millis) => void;
}

const PASSING: ReadonlySet<FailureKind> = new Set(["away", "broken"]);

/** Asks again, with growing waits, where time may help. Nothing acts before a reply is whole, so asking again is safe. */
export class RetryingModel implements Model {
  readonly name: string;

  constructor(
    private readonly model: Model,
    private readonly how: Persistence,
  ) {
    this.name = model.name;
  }

  async respond(
    conversation: readonly Message[],
    tools: readonly ToolInfo[],
    signal: AbortSignal,
  ): Promise<Reply> {
    const { clock, random, patience, onWait } = this.how;
    const waits = growingWaits(random);
    const giveUpAt = clock.monotonic() + patience;
    for (;;) {
      try {
        return await this.model.respond(conversation, tools, signal);
      } catch (error) {
        const wait = waits.next().value;
        if (!isPassing(error) || clock.monotonic() + wait > giveUpAt) throw error;
        onWait(error, wait);
        await clock.sleep(wait, signal);
      }
    }
  }
}

const isPassing = (error: unknown): error is ModelError =>
  error instanceof ModelError && PASSING.has(error.kind);
