import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { hostname } from "node:os";
import type { TLSSocket } from "node:tls";
import type { z } from "zod";
import { pinOf, sameText } from "../../runtime/wire/identity.js";
import { PATHS } from "../../runtime/wire/names.js";
import {
  type Claim,
  clientProof,
  grantBody,
  LONGEST_GRANT,
  newClaim,
  serverProof,
} from "../../runtime/wire/pairing.js";
import { harmlessExcerpt, parseJson, refusalIn } from "../../runtime/wire/refusal.js";
import { LinkError } from "../link-error.js";
import { failure } from "../link-failure.js";
import { secureSocket } from "./secure-socket.js";
import { type Peer, pinned } from "./trust.js";

export interface Paired {
  readonly pin: string;
  readonly token: string;
  /** What the token is called at the runtime. */
  readonly name: string;
}

/** Milliseconds without a byte. */
const PATIENCE = 10_000;

/**
 * Gets a token for a code that a person has read off the runtime's machine. Neither side says the code: each proves that
 * it knows it by a MAC over the key that this connection has, so that both know that nobody is in between. `only`: the pin
 * of the only key to show that to. Rejects with a LinkError: PAIRING_REFUSED where either proof fails.
 */
export async function pair(url: string, code: string, signal: AbortSignal, only?: string): Promise<Paired> {
  const { socket, peer } = await secureSocket(url, signal).catch((error: unknown) => {
    throw signal.aborted ? error : failure(url, error);
  });
  const pin = admitted(peer, socket, only);
  const claim = newClaim(hostname(), "agent");
  const proof = clientProof(code, pin, claim);
  const { proof: theirs, ...granted } = await ask(url, socket, { ...claim, proof }, signal);
  if (!sameText(theirs, serverProof(code, pin, claim, granted)))
    throw refused(`what answers at ${url} does not know the code`);
  return { pin, ...granted };
}

/** The peer's pin. Whoever is not to be trusted is left without a word. */
function admitted(peer: Peer, socket: TLSSocket, only: string | undefined): string {
  try {
    if (only !== undefined) pinned(only).admit(peer);
    return pinOf(peer.certificate);
  } catch (error) {
    socket.destroy();
    throw error instanceof LinkError ? error : failure(peer.url, error);
  }
}

async function ask(
  url: string,
  socket: TLSSocket,
  body: Claim & { readonly proof: string },
  signal: AbortSignal,
): Promise<z.output<typeof grantBody>> {
  try {
    const answer = await post(url, socket, JSON.stringify(body), signal);
    const text = await bodyOf(answer);
    if (answer.statusCode === 403 || answer.statusCode === 400) throw refused(`${url} ${saidIn(text)}`);
    const read = grantBody.safeParse(parseJson(text));
    if (answer.statusCode === 200 && read.success) return read.data;
    throw new LinkError("NOT_MCP", `${url} answered ${answer.statusCode} to a pairing code`);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error instanceof LinkError ? error : failure(url, error);
  } finally {
    socket.destroy();
  }
}

function post(url: string, socket: TLSSocket, body: string, signal: AbortSignal): Promise<IncomingMessage> {
  const target = new URL(PATHS.pair, url.replace(/^wss:/, "https:"));
  const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
  const options = { method: "POST", headers, signal, timeout: PATIENCE, createConnection: () => socket };
  return new Promise((resolve, reject) => {
    const outgoing = request(target, options, resolve);
    outgoing.on("timeout", () => outgoing.destroy(new Error("the answer took too long")));
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

async function bodyOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LONGEST_GRANT) throw new Error("the answer is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Whoever answers is not known yet: little of what is not the usual refusal is repeated, and nothing that steers a terminal. */
function saidIn(text: string): string {
  const refusal = refusalIn(text);
  if (!refusal || refusal.code === "PAIRING_REFUSED") return "does not take this code";
  return `says: ${harmlessExcerpt(refusal.message)}`;
}

const refused = (what: string): LinkError => new LinkError("PAIRING_REFUSED", what);
