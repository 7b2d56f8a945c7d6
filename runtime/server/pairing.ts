import type { Clock } from "../../drivers/ports.js";
import { type Millis, minutes, plus } from "../../drivers/units.js";
import { invalidArgument, notAllowed, TendrilError } from "../errors.js";
import type { Log } from "../log.js";
import type { RuntimeApi } from "../tools/host.js";
import { OWNER, type Role } from "../wire/identity.js";
import { PATHS } from "../wire/names.js";
import {
  type Claim,
  claimBody,
  clientProof,
  type Grant,
  newCode,
  type OpenCode,
  type OpenCodes,
  openingBody,
  serverProof,
  spelled,
  type VoidedCode,
} from "../wire/pairing.js";
import { pinOf, sameText, type TlsAddress } from "../wire/proof.js";
import type { Admission } from "./authenticator.js";
import { parsedBody, tlsSocketOf } from "./http-message.js";
import { type Entry, type Exchange, forAnybody, forPerson, privately } from "./router.js";
import type { TokenStore } from "./tokens.js";

/** A choice: time to walk to the other computer. */
const CODE_LASTS: Millis = minutes(10);
/** A choice: people mistype. Nobody guesses 75 bits in any number of tries, but the limit makes an attempt visible. */
export const MAX_TRIES = 5;

/** A code that waits for its client. */
interface Open {
  readonly code: string;
  readonly role: Role;
  /** The name for the token; undefined if the client chooses it. */
  readonly name: string | undefined;
  readonly until: Millis;
  triesLeft: number;
}

/** Gives a token for a code that a person reads on this machine: one code at a time, each works once, for 10 minutes. */
export class Pairing {
  private open: Open | undefined;

  constructor(
    private readonly tokens: TokenStore,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** A new code; it replaces the one before. Throws INVALID_ARGUMENT for a bad name, or one that is taken. */
  async begin(role: Role, name?: string): Promise<{ code: string } & OpenCode> {
    if (name !== undefined) await this.tokens.assertFree(role, name);
    const until = plus(this.clock.monotonic(), CODE_LASTS);
    this.open = { code: newCode(), role, name, until, triesLeft: MAX_TRIES };
    this.log("info", "a pairing code waits for its client", { role });
    return { code: spelled(this.open.code), ...this.viewOf(this.open) };
  }

  view(): OpenCode | undefined {
    const open = this.current();
    return open && this.viewOf(open);
  }

  /** Voids the code. Returns whether there was one. */
  cancel(): boolean {
    const open = this.current();
    this.open = undefined;
    if (open) this.log("info", "the pairing code was voided");
    return open !== undefined;
  }

  /**
   * The token for a client that proves to know the code, over a connection whose key has this `pin`. Throws
   * PAIRING_REFUSED, in the same words for every cause, and INVALID_ARGUMENT for a role that the code is not for. The
   * code is spent before the first wait: of two clients at once, one gets the token.
   */
  async claim(claim: Claim, proof: string, pin: string): Promise<Grant & { proof: string }> {
    const open = this.current();
    if (!open || !sameText(proof, clientProof(open.code, pin, claim))) {
      this.miss(open);
      throw new TendrilError("PAIRING_REFUSED", "the code is wrong, used or expired");
    }
    if (claim.role !== open.role) {
      throw invalidArgument(`this code is for the role ${open.role}, not for ${claim.role}`);
    }
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
    const why = `the pairing code is void after ${MAX_TRIES} wrong tries: somebody guesses, or it is another runtime's`;
    this.log("warn", why);
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

/** `/pairing`: a person on this machine makes, sees and voids a code. `/pair`: the client gets its token. */
export function pairingRoutes(
  pairing: Pairing,
  tlsAddress: () => TlsAddress | undefined,
  personOf: RuntimeApi["personOf"],
): Entry[] {
  const begin = async ({ request }: Exchange, { identity }: Admission) => {
    const tls = tlsAddress();
    if (!tls) throw new TendrilError("PAIRING_UNAVAILABLE", "a token is sent over TLS only, and TLS is off");
    const { role, name } = await parsedBody(openingBody, request);
    const person = personOf(identity.name);
    if (identity.name !== OWNER && person !== undefined && role !== "observer")
      throw notAllowed(
        `the token ${identity.name} belongs to ${person}, and pairs observers alone: a new token would be nobody's, and see what is other people's`,
      );
    return { ...(await pairing.begin(role, name)), tls };
  };
  const claim = async ({ request }: Exchange) => {
    const own = tlsSocketOf(request)?.getX509Certificate();
    if (!own) throw new TendrilError("PAIRING_UNAVAILABLE", "a token is sent over TLS only");
    const { proof, ...claimed } = await parsedBody(claimBody, request);
    return pairing.claim(claimed, proof, pinOf(own));
  };
  return [
    { ...forAnybody("POST", PATHS.pair, privately(claim)), may: "pairing code" },
    forPerson("POST", PATHS.pairing, begin),
    forPerson("GET", PATHS.pairing, (): OpenCodes => ({ open: pairing.view() ?? null })),
    forPerson("DELETE", PATHS.pairing, (): VoidedCode => ({ voided: pairing.cancel() })),
  ];
}
