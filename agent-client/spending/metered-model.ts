import type { Clock } from "../clock.js";
import type { Model, Reply, Usage } from "../models/model.js";
import { ModelError } from "../models/model-error.js";
import { isCount } from "../models/retrying-model.js";
import { tokensIn } from "../tokens.js";
import type { Millis } from "../units.js";
import { type Price, priceOf, type Spent } from "./limits.js";
import type { Charge, Spending } from "./spending.js";

export interface Meter {
  readonly spending: Spending;
  /** Undefined: free. */
  readonly price: Price | undefined;
  readonly clock: Clock;
}

/** Counts what a model costs before it is asked, by estimate, and after its reply, by the provider's own counts. */
export class MeteredModel implements Model {
  readonly name: string;

  constructor(
    private readonly model: Model,
    private readonly meter: Meter,
  ) {
    this.name = model.name;
  }

  async respond(...[conversation, tools, ...how]: Parameters<Model["respond"]>): Promise<Reply> {
    const { spending, clock } = this.meter;
    const asked = { input: tokensIn(JSON.stringify([conversation, tools])), output: 0 };
    const charge = spending.charge(this.costOf(asked, 0));
    const began = clock.monotonic();
    try {
      const reply = await this.model.respond(conversation, tools, ...how);
      charge.settle(this.costOf(counted(reply, asked.input), clock.monotonic() - began));
      return reply;
    } catch (error) {
      this.failed(charge, error, asked, clock.monotonic() - began);
      throw error;
    }
  }

  /** What no server has worked on costs no tokens; of anything else that is not told nobody knows, so the estimate stays. */
  private failed(charge: Charge, error: unknown, asked: Usage, took: Millis): void {
    const { usage, kind } = error instanceof ModelError ? error : {};
    const isTold = usage && isCount(usage.input) && isCount(usage.output);
    const free = kind === "away" || kind === "person";
    const unknown = free ? { input: 0, output: 0 } : asked;
    charge.settle(this.costOf(isTold ? usage : unknown, took));
  }

  private costOf(tokens: Usage, time: Millis): Spent {
    return {
      calls: 1,
      tokens: tokens.input + tokens.output,
      time,
      money: priceOf(tokens, this.meter.price),
    };
  }
}

/** A provider that counts none, or nothing but zeros, leaves the estimate. */
function counted({ usage, text = "", thinking = "", toolCalls }: Reply, asked: number): Usage {
  return {
    input: usage?.input || asked,
    cached: usage?.cached ?? 0,
    output:
      usage?.output || tokensIn(text + thinking + (toolCalls.length > 0 ? JSON.stringify(toolCalls) : "")),
  };
}
