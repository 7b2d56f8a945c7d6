import { createHash, createHmac, randomBytes, timingSafeEqual, type X509Certificate } from "node:crypto";
import { z } from "zod";
import { PATHS } from "./names.js";
import { parseJson } from "./refusal.js";

/** human ⊃ agent ⊃ observer: a role may do whatever a lesser one may. */
export const ROLES = ["observer", "agent", "human"] as const;
export type Role = (typeof ROLES)[number];

/**
 * What a token may be for that has no role. Each does one thing, which the tools and routes concerned name: `bridge` delivers
 * notifications and brings people's answers, `metrics` reads the metrics.
 */
export const SCOPES = ["bridge", "metrics"] as const;
export type Scope = (typeof SCOPES)[number];

/** A token's kind. Its file's name begins with it. */
export type Kind = Role | Scope;
export const KINDS: readonly Kind[] = [...ROLES, ...SCOPES];

/** A scope is no role: it may act as none. */
export const mayActAs = (kind: Kind, needed: Role): boolean =>
  (ROLES as readonly Kind[]).indexOf(kind) >= ROLES.indexOf(needed);

/** Who may do something. */
export interface Allowed {
  /** The least role. */
  readonly role: Role;
  /** Scopes that may, beside the roles. */
  readonly scopes?: readonly Scope[];
}

export const isAllowed = (kind: Kind, { role, scopes = [] }: Allowed): boolean =>
  mayActAs(kind, role) || scopes.some((scope) => scope === kind);

/** "the role human, or the scope metrics" */
export const neededWords = ({ role, scopes = [] }: Allowed): string =>
  [`the role ${role}`, ...scopes.map((scope) => `the scope ${scope}`)].join(", or ");

/** Who is calling: the token, never the connection. `name` is the token's file name. */
export interface Identity {
  readonly name: string;
  readonly role: Kind;
}

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();

/**
 * What clients remember a key by: `sha256:` and the base64 of the SHA-256 of its SubjectPublicKeyInfo (RFC 7469,
 * section 2.4). A renewed certificate with the same key has the same pin.
 */
export const pinOf = ({ publicKey }: X509Certificate): string =>
  `sha256:${sha256(publicKey.export({ type: "spki", format: "der" })).toString("base64")}`;

const PIN = /^sha256:[A-Za-z0-9+/]{43}=$/;

/** Throws for a text that is no pin. */
export function asPin(text: string): string {
  if (PIN.test(text)) return text;
  throw new Error("must be a runtime's key as it says it: sha256: and 44 characters of base64");
}

/** What a client needs to know of a TLS port that is up. */
export interface TlsAddress {
  /** The address it is bound to; the configuration may have a name. */
  readonly address: string;
  readonly port: number;
  readonly pin: string;
}

/** What both sides compute with instead of the token: its SHA-256. */
export const secretOf = (token: string): Buffer => sha256(token);

/** Takes the same time for every wrong text. */
export const sameText = (given: string, right: string): boolean =>
  timingSafeEqual(sha256(given), sha256(right));

/**
 * Anybody on a network can answer in a runtime's name, and any program can take the port of a runtime that is gone. So
 * before a client sends its token to such an address, whoever answers there proves that it knows the token. The proof
 * holds what was asked, and of whom: an impostor that passes the question on is called at another address, or by another key.
 */
export interface Asked {
  /** 64 hexadecimal digits, made by the client. */
  readonly challenge: string;
  /** Where the connection goes: the runtime's address and port, as each side sees them. */
  readonly address: string;
  readonly port: number;
  /** Of the runtime's key on this connection; undefined without TLS. */
  readonly pin: string | undefined;
}

/** Hexadecimal digits of a token's key: enough to tell tokens apart. A choice. */
const KEY_DIGITS = 16;
const CHALLENGE_BYTES = 32;
const CHALLENGE = /^[0-9a-f]{64}$/;

export const isChallenge = (text: string | null): text is string => CHALLENGE.test(text ?? "");

/** Names a token to whoever has it, and tells nobody else anything. */
export const tokenKeyOf = (secret: Buffer): string => tagOf(secret, ["tendril key 1"]).slice(0, KEY_DIGITS);

/** `runtime` tells this run of a runtime from any other, whatever names and addresses it is known by. */
export const proofOf = (
  secret: Buffer,
  { challenge, address, port, pin = "none" }: Asked,
  runtime: string,
): string => tagOf(secret, ["tendril proof 1", challenge, address, port, pin, runtime]);

const tagOf = (secret: Buffer, said: readonly (string | number)[]): string =>
  createHmac("sha256", secret).update(JSON.stringify(said)).digest("hex");

const proofAnswer = z.object({ runtime: z.string(), proof: z.string() });
export type ProofAnswer = z.output<typeof proofAnswer>;

/** Characters of an answer that a client reads; a proof is shorter. */
export const LONGEST_PROOF = 1024;

/** One question to whoever is at an address: does it know this token? */
export class ProofQuestion {
  private readonly secret: Buffer;
  private readonly challenge = randomBytes(CHALLENGE_BYTES).toString("hex");

  constructor(token: string) {
    this.secret = secretOf(token);
  }

  /** The address to ask. `base`: any http or https address of the runtime. */
  at(base: string): URL {
    const url = new URL(PATHS.proof, base);
    url.search = new URLSearchParams({ key: tokenKeyOf(this.secret), challenge: this.challenge }).toString();
    return url;
  }

  /** Which run of a runtime answered; undefined if this is no proof of the token. */
  runtimeIn(text: string, place: Omit<Asked, "challenge">): string | undefined {
    const answer = proofAnswer.safeParse(parseJson(text)).data;
    if (!answer) return undefined;
    const right = proofOf(this.secret, { challenge: this.challenge, ...place }, answer.runtime);
    return sameText(answer.proof, right) ? answer.runtime : undefined;
  }
}
