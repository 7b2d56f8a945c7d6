import { randomBytes } from "node:crypto";
import type { Clock } from "../../drivers/ports.js";
import { type Millis, minutes, plus } from "../../drivers/units.js";
import { TendrilError } from "../errors.js";
import type { Log } from "../log.js";
import { RateLimit } from "../tools/rate-limit.js";
import { sameText } from "../wire/proof.js";

/** A choice: time to walk to the tablet on the wall. */
const LINK_LASTS: Millis = minutes(10);
/** 128 bits: nobody guesses them, and a QR code of the link fits a terminal. */
const CODE_BYTES = 16;
/** Links that wait at once. A choice: the devices of a house, one after the other. A new one ends the oldest. */
const MAX_LINKS = 8;
/** Wrong codes a second. The right one is never refused for others' guesses. */
const GUESSES_PER_SECOND = 1;

/** The token that a link's session acts as. */
export interface LinkedToken {
  readonly token: string;
  /** Of the token's secret: a link dies when the token is renewed. */
  readonly key: string;
}

interface Link extends LinkedToken {
  readonly code: string;
  readonly until: Millis;
}

/** Codes that each begin one session, within ten minutes. They are in memory only. */
export class SessionLinks {
  private links: readonly Link[] = [];
  private readonly guesses: RateLimit;

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.guesses = new RateLimit(GUESSES_PER_SECOND, clock);
  }

  /** A new code for sessions of this token. */
  make({ token, key }: LinkedToken): { readonly code: string; readonly expires_in_s: number } {
    const code = randomBytes(CODE_BYTES).toString("base64url");
    const link = { code, token, key, until: plus(this.clock.monotonic(), LINK_LASTS) };
    this.links = [...this.open(), link].slice(-MAX_LINKS);
    return { code, expires_in_s: LINK_LASTS / 1000 };
  }

  /**
   * The token that the code is for; the code is spent before anybody waits. Throws SESSION_REFUSED, in the same words for
   * every cause, and RATE_LIMITED for guesses.
   */
  spend(given: string): LinkedToken {
    const found = this.open().filter(({ code }) => sameText(code, given))[0];
    if (!found) throw this.miss();
    this.links = this.links.filter((link) => link !== found);
    return found;
  }

  /** Takes back the links that were made for these tokens. */
  forget(isTheirs: (token: string) => boolean): void {
    this.links = this.links.filter(({ token }) => !isTheirs(token));
  }

  private open(): readonly Link[] {
    const now = this.clock.monotonic();
    return this.links.filter(({ until }) => now < until);
  }

  private miss(): TendrilError {
    const times = this.guesses.refusalsToTell("code");
    if (times > 0) this.log("warn", "a link to the page that is wrong, used or expired", { times });
    try {
      this.guesses.take("code");
    } catch (error) {
      if (error instanceof TendrilError) return error;
      throw error;
    }
    return new TendrilError("SESSION_REFUSED", "the link is wrong, used or expired");
  }
}
