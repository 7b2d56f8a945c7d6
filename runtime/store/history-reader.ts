import { Mutex } from "../../drivers/mutex.js";
import { Database, inOneText, type Queries } from "./database.js";
import { numbersTable } from "./rollup-schema.js";

/** A choice: 16 MB hold the pages of one question over five years (docs/performance.md). */
const CACHE = "PRAGMA cache_size = -16000";

/**
 * A connection of its own for questions about measurements, so that neither a dose nor a commit waits for a long one. It is opened at
 * the first question, and closed when nobody has asked for a while, which frees its memory.
 */
export class HistoryReader {
  private database: Promise<Database> | undefined;
  private readonly turns = new Mutex();
  private wasAsked = false;
  /** The last number in the connection's table of them. */
  private lastNumber = -1;

  constructor(private readonly file: string) {}

  /**
   * Several queries, about so many buckets. What changes the answer meanwhile waits its turn: a transaction would cost two more ways to
   * a thread.
   */
  ask<T>(work: (queries: Queries) => Promise<T>, buckets?: number): Promise<T> {
    this.wasAsked = true;
    return this.inTurn(async () => {
      const database = await this.opened();
      if (buckets !== undefined) await this.number(database, buckets);
      return work(database);
    });
  }

  /**
   * Runs `work` while no question is being answered: a commit, so that each row is in the database or beside it, never in both; and
   * the mark of a thinning, so that no row goes that a question has still to read.
   */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.turns.run(work);
  }

  /** To be called now and then: closes what nobody has asked since the last time. */
  async rest(): Promise<void> {
    if (!this.wasAsked) await this.close();
    this.wasAsked = false;
  }

  /** Waits for what is under way. The next question opens it again. */
  close(): Promise<void> {
    return this.inTurn(async () => {
      const { database } = this;
      this.database = undefined;
      this.lastNumber = -1;
      await (await database)?.close();
    });
  }

  /** Numbers are made up to what was asked for: 10,000 of them take longer than most questions. */
  private async number(database: Database, last: number): Promise<void> {
    if (last <= this.lastNumber) return;
    await database.script(inOneText(numbersTable(last)));
    this.lastNumber = last;
  }

  private opened(): Promise<Database> {
    this.database ??= Database.open({
      file: this.file,
      setup: ["PRAGMA busy_timeout = 2000", CACHE, "PRAGMA temp_store = MEMORY"],
      readOnly: true,
    }).catch((error: unknown) => {
      this.database = undefined;
      throw error;
    });
    return this.database;
  }
}
