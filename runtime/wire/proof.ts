import { createHash, createHmac, randomBytes, timingSafeEqual, type X509Certificate } from "node:crypto";
import { type IncomingMessage, type RequestOptions, request } from "node:http";
import type { Duplex } from "node:stream";
import { z } from "zod";
import { PATHS } from "./names.js";
import { parseJson } from "./refusal.js";

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();

/**
 * By this a client remembers a key: `sha256:` and the base64 of the SHA-256 of its SubjectPublicKeyInfo (RFC 7469,
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

/** What a client needs to know about an open TLS port. */
export interface TlsAddress {
  /** The address it listens on; the configuration may have a name. */
  readonly address: string;
  readonly port: number;
  readonly pin: string;
}

/** The SHA-256 of the token, with which both sides compute instead of the token. */
export const secretOf = (token: string): Buffer => sha256(token);

/** Compares in the same time for every wrong text. */
export const sameText = (given: string, right: string): boolean =>
  timingSafeEqual(sha256(given), sha256(right));

/**
 * Anybody on a network can answer in a runtime's name, and any program can take the port of a runtime that is gone. So
 * before a client sends its token to such an address, the other side must prove that it knows the token. The proof
 * covers the question and the connection: an impostor that forwards the question has another address or another key.
 */
export interface Asked {
  /** 64 hexadecimal digits, made by the client. */
  readonly challenge: string;
  /** The runtime's address and port on this connection, as each side sees them. */
  readonly address: string;
  readonly port: number;
  /** The pin of the runtime's key on this connection; undefined without TLS. */
  readonly pin: string | undefined;
}

/** Hexadecimal digits of a token's key: enough to tell tokens apart. A choice. */
const KEY_DIGITS = 16;
const CHALLENGE_BYTES = 32;
const CHALLENGE = /^[0-9a-f]{64}$/;

export const isChallenge = (text: string | null): text is string => CHALLENGE.test(text ?? "");

/** Names a token to anybody who has it, and tells others nothing. */
export const tokenKeyOf = (secret: Buffer): string => tagOf(secret, ["tendril key 1"]).slice(0, KEY_DIGITS);

/** `runtime` names this run of a runtime, whatever its names and addresses. */
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
const LONGEST_PROOF = 1024;

/** How a question is sent: on a new connection, or on one whose TLS peer has shown the key with this pin. */
interface AskOptions {
  readonly secured?: { readonly socket: Duplex; readonly pin: string } | undefined;
  /** Milliseconds without a byte. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

/** Asks an address: do you know this token? */
export class ProofQuestion {
  private readonly secret: Buffer;
  private readonly challenge = randomBytes(CHALLENGE_BYTES).toString("hex");

  constructor(token: string) {
    this.secret = secretOf(token);
  }

  /**
   * The run of the runtime that answers at `base`, an http address; undefined if it does not know the token. Rejects if
   * nobody answers by HTTP, or not in time.
   */
  async ask(base: string, { secured, ...limits }: AskOptions): Promise<string | undefined> {
    const url = new URL(PATHS.proof, base);
    url.search = new URLSearchParams({ key: tokenKeyOf(this.secret), challenge: this.challenge }).toString();
    // a new connection, closed with the answer; over TLS it is open already, and the request on it is plain
    const connection = secured ? { createConnection: () => secured.socket } : { agent: false };
    const { text, ...place } = await answerTo(url, { ...limits, ...connection });
    return this.runtimeIn(text, { ...place, pin: secured?.pin });
  }

  /** The run of the runtime that answered; undefined if this does not prove the token. */
  private runtimeIn(text: string, place: Omit<Asked, "challenge">): string | undefined {
    const answer = proofAnswer.safeParse(parseJson(text)).data;
    if (!answer) return undefined;
    const right = proofOf(this.secret, { challenge: this.challenge, ...place }, answer.runtime);
    return sameText(answer.proof, right) ? answer.runtime : undefined;
  }
}

function answerTo(
  url: URL,
  options: RequestOptions,
): Promise<{ text: string; address: string; port: number }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, options);
    asked.on("timeout", () => asked.destroy(new Error("does not answer")));
    asked.on("error", reject).on("response", (response) => void read(response).then(resolve, reject));
    asked.end();
  });
}

async function read(response: IncomingMessage): Promise<{ text: string; address: string; port: number }> {
  const { remoteAddress: address = "", remotePort: port = 0 } = response.socket;
  let text = "";
  for await (const part of response.setEncoding("latin1")) {
    text += part;
    if (text.length > LONGEST_PROOF) break; // this ends the connection
  }
  return { text, address: withoutMapping(address), port };
}

/** The form in which a dual-stack socket writes an IPv4 address (RFC 4291, section 2.5.5.2). */
const IPV4_MAPPED = /^::ffff:/i;

/** The address; an IPv4 address always in its plain form. */
export const withoutMapping = (address: string): string => address.replace(IPV4_MAPPED, "");
