import { closedOnFailure, readIfThere, storeFailed } from "./durable-file.js";
import { type JournalFile, type OpenedFile, type OpenJournalFile, openOrCreate, writeAt } from "./journal.js";
import { readBytes } from "./journal-lines.js";

interface JournalEndOptions {
  readonly openFile?: OpenJournalFile;
  readonly relaxed?: boolean;
}

/** As many as the largest number of bytes that is exact has, so that a new number takes the place of the old one. */
const DIGITS = 16;
const BYTES = DIGITS + 1;

const endOf = (journal: string): string => `${journal}.end`;

/** What the text of such a file says; undefined where that is no number. */
const numberIn = (text: string): number | undefined =>
  text.length === BYTES && /^\d+\n$/.test(text) ? Number(text) : undefined;

/** How far a journal that nobody writes to has reached, without opening it; 0 if unknown. */
export const reachNoted = async (journal: string): Promise<number> =>
  numberIn((await readIfThere(endOf(journal))) ?? "") ?? 0;

/**
 * How far a journal has reached, in a small file beside it: one that was cut short is known by it, also without the database.
 * Written in place: a power cut leaves the old number or the new one, as both are in one sector.
 */
export class JournalEnd {
  private wanted = 0;
  private turn: Promise<void> = Promise.resolve();

  private constructor(
    private readonly file: string,
    private readonly handle: JournalFile,
    private syncName: OpenedFile["syncName"],
    private readonly relaxed: boolean,
    /** Undefined where no number can be read. */
    private known: number | undefined,
    private readonly found: "missing" | "damaged" | "sound",
  ) {}

  /** Throws STORE_FAILED. */
  static async open(
    journal: string,
    { openFile = openOrCreate, relaxed = false }: JournalEndOptions,
  ): Promise<JournalEnd> {
    const file = endOf(journal);
    try {
      const { handle, created, syncName } = await openFile(file);
      return await closedOnFailure(handle, async () => {
        const { size } = await handle.stat();
        const text = (await readBytes(handle, 0, Math.min(size, BYTES + 1))).toString("latin1");
        // a power cut may have cut off the first number
        const found = /^\d*\n?$/.test(text) ? "sound" : "damaged";
        return new JournalEnd(file, handle, syncName, relaxed, numberIn(text), created ? "missing" : found);
      });
    } catch (cause) {
      throw storeFailed(`the file ${file}`, cause);
    }
  }

  /**
   * Whether a journal of so many bytes has lost its last lines, or may have: where its index is lost too, and the number was. States
   * of before 2026-11-27 have no number.
   */
  isMissedBy(bytes: number, { isIndexed, isNameless }: { isIndexed: boolean; isNameless: boolean }): boolean {
    if (this.known !== undefined) return this.known > bytes;
    return !isIndexed && (this.found === "damaged" || (this.found === "missing" && isNameless));
  }

  /** Durable when it resolves. Only for what is on the disk itself. Rejects with STORE_FAILED. */
  keep(bytes: number): Promise<void> {
    this.wanted = bytes;
    this.turn = this.turn.catch(() => undefined).then(() => this.write());
    return this.turn;
  }

  async close(): Promise<void> {
    await this.turn.catch(() => undefined);
    await this.handle.close();
  }

  private async write(): Promise<void> {
    const { wanted, handle } = this;
    if (wanted === this.known) return;
    try {
      if (this.known === undefined) await handle.truncate(0); // there may be more than a number
      await writeAt(handle, Buffer.from(`${String(wanted).padStart(DIGITS, "0")}\n`), 0);
      if (!this.relaxed) await handle.datasync();
      if (!this.relaxed) await this.syncName?.();
      this.syncName = undefined;
      this.known = wanted;
    } catch (cause) {
      throw storeFailed(`the file ${this.file}`, cause);
    }
  }
}
