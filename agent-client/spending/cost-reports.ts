import type { ModelChoice } from "../cycle/cycle.js";
import type { Runtime } from "../link/runtime.js";
import { NOTHING, plus, type Spent } from "./limits.js";
import type { CostBook } from "./spending.js";

interface ReportParts {
  readonly runtime: Pick<Runtime, "call">;
  readonly model: string;
  readonly isPriced: boolean;
  readonly newKey: () => string;
  readonly say: (text: string) => void;
}

interface Report {
  readonly key: string;
  readonly spent: Spent;
}

/**
 * What a model has cost, for the runtime: it asks no model itself, and tells people in its letter about the week. In memory: a
 * program that is killed has not reported its last turn.
 */
export class CostReports implements CostBook {
  private spent = NOTHING;
  /** On its way, perhaps arrived: it is sent again with its key, so that it counts once. */
  private pending: Report | undefined;
  private isKnown = true;

  constructor(private readonly parts: ReportParts) {}

  /** Nothing is charged before a reply, since nothing is limited here. */
  charge() {
    return {
      settle: (actual: Spent) => {
        this.spent = plus(this.spent, actual);
      },
    };
  }

  /** The same choice, with a report after each turn. Rejects with a LinkError; then it is sent after the next one. */
  around(models: ModelChoice): ModelChoice {
    return {
      first: (plant) => models.first(plant),
      next: (outcome) => models.next(outcome),
      over: async () => {
        await models.over();
        await this.report();
      },
    };
  }

  private async report(): Promise<void> {
    if (!this.pending && this.spent.calls > 0) {
      this.pending = { key: this.parts.newKey(), spent: this.spent };
      this.spent = NOTHING;
    }
    if (!this.pending || !this.isKnown) return;
    const { key: idempotencyKey, spent } = this.pending;
    const { runtime, model, isPriced } = this.parts;
    const { calls, tokens, money } = spent;
    const args = { model, calls, tokens: Math.round(tokens), money: isPriced ? money : null };
    const result = await runtime.call("report_cost", args, { idempotencyKey });
    this.pending = undefined;
    if (result.ok) return;
    // a runtime of an earlier version has no such tool
    if (result.error.code === "UNKNOWN_TOOL") this.isKnown = false;
    else this.parts.say(`the cost of ${model} was not noted: ${result.error.message}`);
  }
}
