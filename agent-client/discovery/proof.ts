import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { z } from "zod";
import type { Clock } from "../clock.js";
import { parseJson } from "../tool-result.js";
import { pinOf } from "../trust/pin.js";
import { secureSocket } from "../trust/secure-socket.js";
import { seconds } from "../units.js";
import { abortAfter } from "./abort-after.js";

/**
 * Anybody on a network can answer in a runtime's name. So before the agent sends its token to an address that it only heard of,
 * whoever is there shows that it knows the token, and that it was called at this very address and, over TLS, by this very key: an
 * impostor who hands the question on to the runtime gets a proof for the runtime's own. runtime/server/proof.ts says the same.
 */
const PROOF_PATH = "/proof";

/** For connecting and answering. A choice: a runtime on the same network needs some milliseconds. */
const PATIENCE = seconds(2);
/** Bytes of an answer that are read: a proof is shorter. */
const LONGEST_ANSWER = 1024;
const KEY_DIGITS = 16;
const CHALLENGE_BYTES = 32;

const proof = z.object({ runtime: z.string(), proof: z.string() });

/** A token without the token: what both sides reckon with. */
export const secretOf = (token: string): Buffer => createHash("sha256").update(token).digest();

export const keyOf = (secret: Buffer): string => tagOf(secret, ["tendril key 1"]).slice(0, KEY_DIGITS);

export interface Asked {
  readonly challenge: string;
  /** Where the connection really goes. */
  readonly address: string;
  readonly port: number;
  /** Of the key that was shown there; undefined without TLS. */
  readonly pin: string | undefined;
}

export const proofOf = (
  secret: Buffer,
  { challenge, address, port, pin = "none" }: Asked,
  runtime: string,
): string => tagOf(secret, ["tendril proof 1", challenge, address, port, pin, runtime]);

const tagOf = (secret: Buffer, said: readonly (string | number)[]): string =>
  createHmac("sha256", secret).update(JSON.stringify(said)).digest("hex");

/** A runtime that knows the token. */
export interface Proven {
  /** The same at every address of one runtime. */
  readonly runtime: string;
  /** The key to trust there; undefined without TLS. */
  readonly pin: string | undefined;
}

/**
 * Whether the runtime at `url` (ws://ADDRESS:PORT/…, wss://…) knows the token; undefined where it does not. Never rejects: who
 * does not answer so, or not in time, does not know it.
 */
export async function provenAt(
  url: string,
  token: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Proven | undefined> {
  const enough = new AbortController();
  const ended = AbortSignal.any([signal, enough.signal]);
  abortAfter(PATIENCE, enough, clock, ended);
  try {
    return await challenged(url, secretOf(token), ended);
  } catch {
    return undefined;
  } finally {
    enough.abort();
  }
}

async function challenged(url: string, secret: Buffer, signal: AbortSignal): Promise<Proven | undefined> {
  const challenge = randomBytes(CHALLENGE_BYTES).toString("hex");
  const { text, ...place } = await ask(url, questionAt(url, secret, challenge), signal);
  const { runtime, proof: theirs } = proof.parse(parseJson(text));
  const right = proofOf(secret, { challenge, ...place }, runtime);
  return isSame(theirs, right) ? { runtime, pin: place.pin } : undefined;
}

const isSame = (one: string, other: string): boolean => timingSafeEqual(secretOf(one), secretOf(other));

/** Over TLS too the request is plain: it goes over a connection that is there. */
function questionAt(url: string, secret: Buffer, challenge: string): URL {
  const question = new URL(PROOF_PATH, url.replace(/^wss?/, "http"));
  question.search = new URLSearchParams({ key: keyOf(secret), challenge }).toString();
  return question;
}

interface Answer {
  readonly text: string;
  readonly address: string;
  readonly port: number;
  readonly pin: string | undefined;
}

async function ask(url: string, question: URL, signal: AbortSignal): Promise<Answer> {
  const secured = url.startsWith("wss:") ? await secureSocket(url, signal) : undefined;
  const { socket, peer } = secured ?? {};
  const pin = peer && pinOf(peer.certificate);
  // agent: false: a connection of its own, closed with the answer
  const connection = socket ? { createConnection: () => socket } : { agent: false };
  try {
    return await new Promise((resolve, reject) => {
      const asked = request(question, { signal, ...connection });
      asked.on("error", reject).on("response", (response) => {
        read(response, asked, (answer) => resolve({ ...answer, pin }));
      });
      asked.end();
    });
  } finally {
    socket?.destroy();
  }
}

function read(
  response: IncomingMessage,
  asked: ClientRequest,
  resolve: (answer: Omit<Answer, "pin">) => void,
): void {
  const { remoteAddress: address = "", remotePort: port = 0 } = response.socket;
  let text = "";
  response.setEncoding("latin1").on("data", (part: string) => {
    text += part;
    if (text.length > LONGEST_ANSWER) asked.destroy(new Error("a proof is shorter"));
  });
  response.on("end", () => resolve({ text, address, port }));
}
