import type { Clock } from "../../../drivers/ports.js";
import { type Millis, minutes, plus } from "../../../drivers/units.js";
import { TendrilError } from "../../errors.js";
import type { Log } from "../../log.js";
import type { Role } from "../../wire/identity.js";
import {
  type Claim,
  clientProof,
  type Grant,
  newCode,
  type OpenCode,
  serverProof,
  spelled,
} from "../../wire/pairing.js";
import { sameText } from "../../wire/proof.js";
import type { TokenStore } from "../auth.js";

/** A choice: time to walk to the other computer. */
export const CODE_LASTS: Millis = minutes(10);
/** A choice: a person mistypes; who guesses 75 bits does not get there either way, but is noticed. */
export const MOST_TRIES = 5;

/** A code that waits for its client. */
interface Open {
  readonly code: string;
  readonly role: Role;
  /** What the token is to be called; undefined leaves it to the client. */
  readonly name: string | undefined;
  readonly until: Millis;
  triesLeft: number;
}

/** Hands out tokens for codes that a person reads off this machine: one at a time, each once, for ten minutes of this process. */
export class Pairing {
  private open: Open | undefined;

  constructor(
    private readonly tokens: TokenStore,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** A new code in place of the one before. Throws INVALID_ARGUMENT for a name that is no token's, or is taken. */
  async begin(role: Role, name?: string): Promise<{ code: string } & OpenCode> {
    if (name !== undefined) await this.tokens.assertFree(role, name);
    const until = plus(this.clock.monotonic(), CODE_LASTS);
    this.open = { code: newCode(), role, name, until, triesLeft: MOST_TRIES };
    this.log("info", "a pairing code waits for its client", { role });
    return { code: spelled(this.open.code), ...this.viewOf(this.open) };
  }

  view(): OpenCode | undefined {
    const open = this.current();
    return open && this.viewOf(open);
  }

  /** Whether there was a code to void. */
  cancel(): boolean {
    const open = this.current();
    this.open = undefined;
    if (open) this.log("info", "the pairing code was voided");
    return open !== undefined;
  }

  /**
   * The token for who proves to know the code, over a connection whose key has this `pin`. Throws PAIRING_REFUSED, in the
   * same words whatever was wrong, and INVALID_ARGUMENT for a role that the code is not for. Of two at once one gets it: the code is spent before anything is waited for.
   */
  async claim(claim: Claim, proof: string, pin: string): Promise<Grant & { proof: string }> {
    const open = this.current();
    if (!open || !sameText(proof, clientProof(open.code, pin, claim))) {
      this.miss(open);
      throw new TendrilError("PAIRING_REFUSED", "no code that is open fits");
    }
    if (claim.role !== open.role)
      throw new TendrilError(
        "INVALID_ARGUMENT",
        `this code is for the role ${open.role}, not for ${claim.role}`,
      );
    this.open = undefined;
    const grant = await this.tokens.issue(open.role, open.name ?? claim.name);
    this.log("info", "paired", { token: grant.name });
    return { ...grant, proof: serverProof(open.code, pin, claim, grant) };
  }

  private miss(open: Open | undefined): void {
    if (!open) return;
    open.triesLeft -= 1;
    if (open.triesLeft > 0) return;
    this.open = undefined;
    this.log(
      "warn",
      `the pairing code is void after ${MOST_TRIES} wrong tries: somebody guesses, or it is not this runtime's`,
    );
  }

  private current(): Open | undefined {
    if (this.open && this.clock.monotonic() >= this.open.until) this.open = undefined;
    return this.open;
  }

  private viewOf({ role, name, until, triesLeft }: Open): OpenCode {
    const left = until - this.clock.monotonic();
    return {
      role,
      ...(name !== undefined && { name }),
      expires_in_s: Math.ceil(left / 1000),
      tries_left: triesLeft,
    };
  }
}
