import { z } from "zod";
import type { DurableFile } from "../durable-file.js";
import { ModelError } from "../models/model-error.js";
import { type Limits, limitReached, minus, NOTHING, plus, type Spent } from "./limits.js";

const amount = z.number().min(0);
const daySpent = z.strictObject({ calls: amount, tokens: amount, time: amount, money: amount });

/** What each day of the plant's time has cost, the day used last at the end. */
export const spendingBook = z.strictObject({
  version: z.literal(1),
  days: z.record(z.iso.date(), daySpent),
  /** Nobody knows what this day has cost: it counts as used up. */
  lost: z.iso.date().nullable(),
});

type Book = z.output<typeof spendingBook>;

/** Today, and enough of the days around it for a plant's clock that is set wrongly for a while. A choice. */
const DAYS_KEPT = 4;

/** A cost that was counted before anybody knew what it would be. */
export interface Charge {
  settle(actual: Spent): void;
}

/** The days' costs against their limits, on disk before anything is asked of a model: a crash makes no call free. */
export class Spending {
  constructor(
    private readonly file: DurableFile<Book>,
    private readonly limits: Limits,
    private readonly warn: (text: string) => void,
  ) {}

  /**
   * `day` is the plant's, as 2026-06-01; where nobody can tell, the day used last counts on. Throws a ModelError if a limit
   * would be passed, or if the cost cannot be written down.
   */
  charge(day: string | undefined, estimate: Spent): Charge {
    const book = this.read(day);
    const today = day ?? Object.keys(book.days).at(-1) ?? UNKNOWN_DAY;
    this.assertWithin(book, today, estimate);
    this.add(book, today, estimate);
    return { settle: (actual) => this.settle(today, minus(actual, estimate)) };
  }

  private assertWithin({ days, lost }: Book, today: string, estimate: Spent): void {
    if (lost === today)
      throw limitError(
        `what the model has cost on ${today} is not known, since ${this.file.path} could not be read`,
      );
    const reached = limitReached(this.limits, days[today] ?? NOTHING, estimate);
    if (reached) throw limitError(`the limit of ${reached} a day is reached on ${today}`);
  }

  /** What cannot be written down now was counted by estimate, and stays so. */
  private settle(day: string, difference: Spent): void {
    try {
      this.add(this.read(day), day, difference);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      this.warn(error.message);
    }
  }

  private add({ days, lost }: Book, day: string, cost: Spent): void {
    const { [day]: before = NOTHING, ...others } = days;
    const kept = Object.entries(others).slice(1 - DAYS_KEPT);
    const sum = notNegative(plus(before, cost));
    this.write({ version: 1, days: Object.fromEntries([...kept, [day, sum]]), lost });
  }

  private read(day: string | undefined): Book {
    const held = this.file.read();
    if (held.is === "value") return held.value;
    if (held.is === "absent") return { version: 1, days: {}, lost: null };
    const lost = day ?? UNKNOWN_DAY;
    this.warn(
      `${this.file.path} cannot be read: ${lost} counts as used up, since it may hold money spent; delete the file to begin from nothing`,
    );
    const book = { version: 1 as const, days: { [lost]: NOTHING }, lost };
    this.write(book);
    return book;
  }

  private write(book: Book): void {
    try {
      this.file.write(book);
    } catch (error) {
      const happened = error instanceof Error ? error.message : String(error);
      throw new ModelError(
        `what the model costs cannot be written down (${happened}), so it is not asked: make room, or name another folder with --agent-state`,
        "person",
      );
    }
  }
}

const UNKNOWN_DAY = "1970-01-01";

const limitError = (reached: string): ModelError =>
  new ModelError(`${reached}: no model is asked before the plant's next day (UTC)`, "limit");

/** A file deleted between a charge and its settling knows nothing of the charge. */
const notNegative = ({ calls, tokens, time, money }: Spent): Spent => ({
  calls: Math.max(0, calls),
  tokens: Math.max(0, tokens),
  time: Math.max(0, time),
  money: Math.max(0, money),
});
