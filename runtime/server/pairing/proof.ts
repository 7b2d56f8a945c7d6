import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Role } from "../../wire/identity.js";

/** What a client asks for, over a TLS connection whose server's key has this `pin`. */
export interface Claim {
  /** 32 random bytes in base64url, of the client's. */
  readonly nonce: string;
  /** What the client would call its token; "" where it does not mind. */
  readonly name: string;
  /** What it can do with: a code for another role is not for it. */
  readonly role: Role;
}

export interface Grant {
  readonly token: string;
  /** What the token is called, its role first: agent.attic */
  readonly name: string;
}

/**
 * Both sides prove that they know the code, and neither says it: the client by a MAC over the key that it sees and what it
 * asks for, the server by one over the same key and what it grants. So who sits in between, with another key, learns
 * nothing that is of use to either side. docs/security.md has the lines.
 */
export const clientProof = (code: string, pin: string, { nonce, name, role }: Claim): string =>
  proof(code, ["tendril pairing 1, client", pin, nonce, name, role]);

export const serverProof = (code: string, pin: string, { nonce }: Claim, { token, name }: Grant): string =>
  proof(code, ["tendril pairing 1, server", pin, nonce, token, name]);

const proof = (code: string, said: readonly string[]): string =>
  createHmac("sha256", code).update(JSON.stringify(said)).digest("base64url");

/** In the same time for every wrong proof. */
export function sameProof(given: string, right: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(given), hash(right));
}
