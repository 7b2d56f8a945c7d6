import { z } from "zod";
import { messageOf } from "../../drivers/system-error.js";
import { type Calendar, type Clock, hours, type Millis } from "../clock.js";
import type { ModelChoice } from "../cycle/cycle.js";
import type { Runtime } from "../link/runtime.js";
import type { Asked, Model, Reply, Usage } from "../models/model.js";
import { ModelError } from "../models/model-error.js";
import { tokensIn } from "../prompts/prompt.js";
import type { DurableFile } from "../state/state-folder.js";
import {
  type Limits,
  limitReached,
  NOTHING,
  type Price,
  plus,
  priceOf,
  type Spent,
  spentSchema,
} from "./limits.js";

export const spendingBook = z.strictObject({
  version: z.literal(2),
  /** The latest day that this computer's calendar has shown, UTC. */
  day: z.iso.date(),
  spent: spentSchema,
  /** Milliseconds measured since the calendar was set back to an earlier day; 0 while it is right. */
  behind: z.number().min(0),
  /** The costs of this day are unknown: it counts as used up. */
  lost: z.boolean(),
});

type Book = z.output<typeof spendingBook>;

const DAY: Millis = hours(24);

/** An estimated cost, to be replaced by the actual one. */
interface Charge {
  settle(actual: Spent): void;
}

interface CostBook {
  /** Throws a ModelError if the model must not be asked. */
  charge(estimate: Spent): Charge;
}

/**
 * Counts a day's costs against its limits. They are on disk before the model is asked, so a crash makes no call free. Days are
 * by this computer's calendar, not the plant's clock. If the calendar is set back, no new day begins until it shows a later
 * day, or 24 hours have passed: a date that was wrong once must not block the model for ever.
 */
export class Spending implements CostBook {
  private lookedAt: Millis | undefined;

  constructor(
    private readonly file: DurableFile<Book>,
    private readonly limits: Limits,
    private readonly clock: Clock & Calendar,
    private readonly warn: (text: string) => void,
  ) {}

  /** Throws a ModelError if a limit would be exceeded, or the cost cannot be saved. */
  charge(estimate: Spent): Charge {
    const book = this.today();
    this.assertWithin(book, estimate);
    this.write({ ...book, spent: plus(book.spent, estimate) });
    return { settle: (actual) => this.settle(book.day, actual, estimate) };
  }

  private assertWithin({ day, spent, lost }: Book, estimate: Spent): void {
    if (lost)
      throw limitError(`the model's cost on ${day} is unknown, since ${this.file.path} could not be read`);
    const reached = limitReached(this.limits, spent, estimate);
    if (reached) throw limitError(`the limit of ${reached} a day is reached on ${day}`);
  }

  /** If it cannot be saved now, or another day has begun, the estimate stays. */
  private settle(day: string, actual: Spent, estimate: Spent): void {
    try {
      const book = this.today();
      if (book.day === day) this.write({ ...book, spent: plus(book.spent, actual, estimate) });
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      this.warn(error.message);
    }
  }

  private today(): Book {
    const now = this.clock.monotonic();
    const passed = now - (this.lookedAt ?? now);
    this.lookedAt = now;
    const shown = new Date(this.clock.now()).toISOString().slice(0, 10);
    const book = this.read(shown);
    if (shown === book.day) return { ...book, behind: 0 };
    const behind = book.behind + passed;
    if (shown > book.day || behind >= DAY) return beginning(shown);
    this.write({ ...book, behind });
    return { ...book, behind };
  }

  private read(shown: string): Book {
    const held = this.file.read();
    if (held.is === "value") return held.value;
    if (held.is === "absent") return beginning(shown);
    this.warn(
      `${this.file.path} cannot be read: ${shown} counts as used up, since money may have been spent; delete the file to start from zero`,
    );
    const book = { ...beginning(shown), lost: true };
    this.write(book);
    return book;
  }

  private write(book: Book): void {
    try {
      this.file.write(book);
    } catch (error) {
      throw new ModelError(
        `the model's cost cannot be saved (${messageOf(error)}), so it is not asked: free some space, or name another folder with --agent-state`,
        "person",
      );
    }
  }
}

const beginning = (day: string): Book => ({ version: 2, day, spent: NOTHING, behind: 0, lost: false });

const limitError = (reached: string): ModelError =>
  new ModelError(`${reached}: no model is asked before the next day (UTC)`, "limit");

/** Counts a model's cost: an estimate before the request, the provider's counts after the reply. */
export class MeteredModel implements Model {
  readonly name: string;

  constructor(
    private readonly model: Model,
    private readonly meter: {
      /** Charged in this order: the first may refuse. */
      readonly books: readonly CostBook[];
      /** Undefined: free. */
      readonly price: Price | undefined;
      readonly clock: Clock;
    },
  ) {
    this.name = model.name;
  }

  async respond(...[conversation, tools, ...how]: Asked): Promise<Reply> {
    const { clock } = this.meter;
    const asked = { input: tokensIn(JSON.stringify([conversation, tools])), output: 0 };
    const charge = this.charge(this.costOf(asked, 0));
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

  private charge(estimate: Spent): Charge {
    const charges = this.meter.books.map((book) => book.charge(estimate));
    return {
      settle: (actual) => {
        for (const charge of charges) charge.settle(actual);
      },
    };
  }

  /** A request that no server worked on costs no tokens; for other failures without counts the estimate stays. */
  private failed(charge: Charge, error: unknown, asked: Usage, took: Millis): void {
    const { usage, kind } = error instanceof ModelError ? error : {};
    const free = kind === "away" || kind === "person";
    charge.settle(this.costOf(usage ?? (free ? { input: 0, output: 0 } : asked), took));
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

/** Estimates the counts that a provider does not give, or gives as zero. */
function counted({ usage, text = "", thinking = "", toolCalls }: Reply, asked: number): Usage {
  return {
    input: usage?.input || asked,
    cached: usage?.cached ?? 0,
    output:
      usage?.output || tokensIn(text + thinking + (toolCalls.length > 0 ? JSON.stringify(toolCalls) : "")),
  };
}

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
    if (!this.pending) return;
    const { key: idempotencyKey, spent } = this.pending;
    const { runtime, model, isPriced } = this.parts;
    const { calls, tokens, money } = spent;
    const args = { model, calls, tokens: Math.round(tokens), money: isPriced ? money : null };
    const result = await runtime.call("report_cost", args, { idempotencyKey });
    this.pending = undefined;
    if (!result.ok) this.parts.say(`the cost of ${model} was not noted: ${result.error.message}`);
  }
}
