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
  /** How long a reply is asked for again after its first failure; a request that is under way is never cut short. */
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
    let giveUpAt: Millis | undefined;
    for (;;) {
      const reply = await this.attempt(conversation, tools, signal);
      if (!(reply instanceof ModelError)) return reply;
      giveUpAt ??= clock.monotonic() + patience;
      const wait = waits.next().value;
      if (!PASSING.has(reply.kind) || clock.monotonic() + wait > giveUpAt) throw reply;
      onWait(reply, wait);
      await clock.sleep(wait, signal);
    }
  }

  private async attempt(...asked: Parameters<Model["respond"]>): Promise<Reply | ModelError> {
    try {
      return await this.model.respond(...asked);
    } catch (error) {
      if (error instanceof ModelError) return error;
      throw error;
    }
  }
}
