import { z } from "zod";
import type { Clock } from "../../drivers/ports.js";
import { messageOf } from "../../drivers/system-error.js";
import { minutes } from "../../drivers/units.js";
import type { Log } from "../log.js";
import { TOKEN_USES_FILE } from "../places.js";
import { readIfThere, writeDurably } from "../store/durable-file.js";

import type { TokenStore } from "./tokens.js";

/** How often the file says that a token was used. A choice: a card wears out by writes. */
const NOTE_EVERY = minutes(24 * 60);
/** A choice: keys of tokens that are no more go when there are so many; a house has a handful. */
const MAX = 200;

/** By the token's key: when it was used last, in epoch milliseconds. */
const file = z.record(z.string().regex(/^[0-9a-f]+$/), z.number());

/** When each token was last used: exactly since the start, to the day before it. */
export class TokenUses {
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly path: string,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly written: Map<string, number>,
    private readonly latest = new Map(written),
  ) {}

  /** A file that cannot be read costs what it says, not the start. */
  static async open(tokens: TokenStore, clock: Clock, log: Log): Promise<TokenUses> {
    const path = tokens.beside(TOKEN_USES_FILE);
    try {
      const text = await readIfThere(path);
      const known = text === undefined ? {} : file.parse(JSON.parse(text));
      return new TokenUses(path, clock, log, new Map(Object.entries(known)));
    } catch (error) {
      log("warn", "when tokens were last used is lost", { why: messageOf(error) });
      return new TokenUses(path, clock, log, new Map());
    }
  }

  of(key: string): number | undefined {
    return this.latest.get(key);
  }

  note(key: string): void {
    const now = this.clock.now();
    this.latest.set(key, now);
    const before = this.written.get(key);
    // also after a clock that was ahead
    if (before !== undefined && Math.abs(now - before) < NOTE_EVERY) return;
    this.written.set(key, now);
    this.write();
  }

  /** Resolves once all is written. */
  settled(): Promise<void> {
    return this.writing;
  }

  /** One write after the other, each of what there is then. */
  private write(): void {
    const write = () => {
      const newest = [...this.written].sort(([, a], [, b]) => b - a).slice(0, MAX);
      return writeDurably(this.path, JSON.stringify(Object.fromEntries(newest)));
    };
    this.writing = this.writing.then(write).catch((error: unknown) => {
      this.log("warn", "the use of a token is not written down", { why: messageOf(error) });
    });
  }
}
