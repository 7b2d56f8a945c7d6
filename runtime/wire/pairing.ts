import { createHash, createHmac, randomBytes, randomInt } from "node:crypto";
import { z } from "zod";
import { ROLES, type Role } from "./identity.js";
import type { TlsAddress } from "./proof.js";

/** Crockford's base 32: no I, L, O or U, which people misread (https://www.crockford.com/base32.html). */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** What a person means by a letter that the alphabet leaves out. */
const MEANT: Readonly<Record<string, string>> = { O: "0", I: "1", L: "1" };
/** 15 letters are 75 bits: nobody guesses them, not even offline with a recorded proof. */
const LETTERS = 15;
const CODE = new RegExp(`^[${ALPHABET}]{${LETTERS + 1}}$`);

/** A new pairing code: 75 random bits, then a letter that shows a typing mistake. */
export function newCode(): string {
  const letters = Array.from({ length: LETTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  return letters + checkOf(letters);
}

/** The letter for the first five bits of the SHA-256. */
const checkOf = (letters: string): string =>
  ALPHABET[(createHash("sha256").update(letters).digest()[0] ?? 0) >> 3] ?? "";

/** A typed code in its standard spelling. Throws for a text that no runtime has shown. */
export function pairingCode(typed: string): string {
  const code = typed
    .toUpperCase()
    .replaceAll(/[\s-]/g, "")
    .replaceAll(/[OIL]/g, (letter) => MEANT[letter] ?? letter);
  if (!CODE.test(code))
    throw new Error("must be 16 letters and digits as `tendril pair` shows them: K7QF-2M9X-RT4B-WC3T");
  if (checkOf(code.slice(0, LETTERS)) !== code.at(-1))
    throw new Error("has a typing mistake: compare it with what `tendril pair` shows");
  return code;
}

/** In groups of four, as it is shown: K7QF-2M9X-RT4B-WC3T. */
export const spelled = (code: string): string => code.match(/.{4}/g)?.join("-") ?? code;

/** A person's request for a code, on the runtime's own machine. */
export const openingBody = z.strictObject({
  role: z.enum(ROLES).default("agent"),
  name: z.string().optional(),
});

/** All that may be shown of an open code: everything but the code. */
export interface OpenCode {
  readonly role: Role;
  /** The name for the token; absent if the client chooses it. */
  readonly name?: string;
  readonly expires_in_s: number;
  readonly tries_left: number;
}

/** The answer to a person who asks; null without a code. */
export interface OpenCodes {
  readonly open: OpenCode | null;
}

/** The answer to a person who cancels it. */
export interface VoidedCode {
  readonly voided: boolean;
}

/** The answer to a person who made a code. */
export type OpenedCode = OpenCode & { readonly code: string; readonly tls: TlsAddress };

/** A MAC, or 32 random bytes, in base64url. */
const digest = z.string().regex(/^[\w-]{43}$/);

/** Characters of the name that a client asks for. A choice. */
const LONGEST_NAME = 64;

/** The client's request to `/pair`. */
export const claimBody = z.strictObject({
  nonce: digest,
  /** The name that the client would like for its token; "" for none. */
  name: z.string().max(LONGEST_NAME),
  /** The role that the client needs. It must be the code's role. */
  role: z.enum(ROLES),
  proof: digest,
});

/** What a client asks for, over a TLS connection whose server's key has this `pin`. */
export type Claim = Readonly<Omit<z.output<typeof claimBody>, "proof">>;

/** A claim with a new nonce. `host` is the client's computer. */
export const newClaim = (host: string, role: Role): Claim => ({
  nonce: randomBytes(32).toString("base64url"),
  name: host.slice(0, LONGEST_NAME),
  role,
});

/** The answer to a client. */
export const grantBody = z.object({
  token: z.string().regex(/^[\w-]{32,}$/),
  /** The token's name, which begins with its role: agent.attic */
  name: z.string(),
  proof: z.string(),
});

export type Grant = Readonly<Omit<z.output<typeof grantBody>, "proof">>;

/** Bytes of a grant that a client reads; it has about two hundred. */
export const LONGEST_GRANT = 4096;

/**
 * Both sides prove that they know the code without sending it. The client sends a MAC over the key that it sees and
 * what it asks for; the server a MAC over the same key and what it grants. A man in the middle has another key, so what
 * he reads is of no use to him. docs/security.md has the lines.
 */
export const clientProof = (code: string, pin: string, { nonce, name, role }: Claim): string =>
  proof(code, ["tendril pairing 1, client", pin, nonce, name, role]);

export const serverProof = (code: string, pin: string, { nonce }: Claim, { token, name }: Grant): string =>
  proof(code, ["tendril pairing 1, server", pin, nonce, token, name]);

const proof = (code: string, said: readonly string[]): string =>
  createHmac("sha256", code).update(JSON.stringify(said)).digest("base64url");
