import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { type ClientRequest, get, type IncomingMessage } from "node:http";
import type { Clock } from "../clock.js";
import { seconds } from "../units.js";

/**
 * Anybody on a network can answer in a runtime's name. So before the agent sends its token to an address that it only heard of,
 * whoever is there shows that it knows the token, and that it was called at this very address: an impostor who hands the question
 * on to the runtime gets a proof for the runtime's address, not for its own. runtime/server/proof.ts says the same.
 */
const PROOF_PATH = "/proof";

/** For connecting and answering. A choice: a runtime on the same network needs some milliseconds. */
const PATIENCE = seconds(2);
/** Bytes of an answer that are read: a proof is shorter. */
const LONGEST_ANSWER = 1024;
const KEY_DIGITS = 16;
const CHALLENGE_BYTES = 32;

/** A token without the token: what both sides reckon with. */
export const secretOf = (token: string): Buffer => createHash("sha256").update(token).digest();

export const keyOf = (secret: Buffer): string => tagOf(secret, "tendril key 1").slice(0, KEY_DIGITS);

export const proofOf = (
  secret: Buffer,
  challenge: string,
  { address, port }: { readonly address: string; readonly port: number },
): string => tagOf(secret, `tendril proof 1\n${challenge}\n${address}\n${port}`);

const tagOf = (secret: Buffer, text: string): string =>
  createHmac("sha256", secret).update(text).digest("hex");

/** Whether the runtime at `url` (ws://ADDRESS:PORT/…) knows the token. Never rejects: what does not answer so does not know it. */
export async function knowsToken(
  url: string,
  token: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<boolean> {
  const secret = secretOf(token);
  const challenge = randomBytes(CHALLENGE_BYTES).toString("hex");
  const enough = new AbortController();
  const ended = AbortSignal.any([signal, enough.signal]);
  void clock.sleep(PATIENCE, ended).then(
    () => enough.abort(),
    () => undefined,
  );
  try {
    const { at, text } = await ask(questionAt(url, secret, challenge), ended);
    return isSame(text, JSON.stringify({ proof: proofOf(secret, challenge, at) }));
  } catch {
    return false;
  } finally {
    enough.abort();
  }
}

const isSame = (one: string, other: string): boolean => timingSafeEqual(secretOf(one), secretOf(other));

function questionAt(url: string, secret: Buffer, challenge: string): URL {
  const question = new URL(PROOF_PATH, url.replace(/^ws/, "http"));
  question.search = new URLSearchParams({ key: keyOf(secret), challenge }).toString();
  return question;
}

interface Answer {
  readonly text: string;
  /** Where the connection really goes. */
  readonly at: { readonly address: string; readonly port: number };
}

function ask(url: URL, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // agent: false: a connection of its own, closed with the answer
    const request = get(url, { signal, agent: false }, (response) => read(response, request, resolve));
    request.on("error", reject);
  });
}

function read(response: IncomingMessage, request: ClientRequest, resolve: (answer: Answer) => void): void {
  const { remoteAddress: address = "", remotePort: port = 0 } = response.socket;
  let text = "";
  response.setEncoding("latin1").on("data", (part: string) => {
    text += part;
    if (text.length > LONGEST_ANSWER) request.destroy(new Error("a proof is shorter"));
  });
  response.on("end", () => resolve({ text, at: { address, port } }));
}
