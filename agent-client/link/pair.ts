import { hostname } from "node:os";
import { createInterface } from "node:readline";
import type { TLSSocket } from "node:tls";
import type { z } from "zod";
import { messageOf } from "../../drivers/system-error.js";
import { PATHS } from "../../runtime/wire/names.js";
import {
  type Claim,
  clientProof,
  grantBody,
  LONGEST_GRANT,
  newClaim,
  pairingCode,
  serverProof,
} from "../../runtime/wire/pairing.js";
import { pinOf, sameText } from "../../runtime/wire/proof.js";
import { harmlessExcerpt, parseJson, refusalIn } from "../../runtime/wire/refusal.js";
import { exchange } from "../../runtime/wire/secure-socket.js";
import { failure, LinkError, UsageError } from "../errors.js";
import { pinned, type Trust, trustedSocket } from "./trust.js";

export interface Paired {
  readonly pin: string;
  readonly token: string;
  readonly name: string;
}

/** Milliseconds without a byte. A choice: a busy runtime answers within a second or two. */
const TIMEOUT = 10_000;

/**
 * Gets a token for a code that a person has read on the runtime's machine. Neither side sends the code. Each proves that it
 * knows it with a MAC over the key of this connection, so that both know that nobody is in between. `only`: the pin of the
 * only key to accept. Rejects with a LinkError; PAIRING_REFUSED if a proof fails.
 */
export async function pair(url: string, code: string, signal: AbortSignal, only?: string): Promise<Paired> {
  const { socket, peer } = await trustedSocket(url, only === undefined ? anyKey : pinned(only), signal);
  const pin = pinOf(peer.certificate);
  const claim = newClaim(hostname(), "agent");
  const proof = clientProof(code, pin, claim);
  const { proof: theirs, ...granted } = await ask(url, socket, { ...claim, proof }, signal);
  if (!sameText(theirs, serverProof(code, pin, claim, granted)))
    throw refused(`what answers at ${url} does not know the code`);
  return { pin, ...granted };
}

/** Accepts any key: the peer has to prove that it knows the code. */
const anyKey: Trust = { admit: () => undefined };

async function ask(
  url: string,
  socket: TLSSocket,
  body: Claim & { readonly proof: string },
  signal: AbortSignal,
): Promise<z.output<typeof grantBody>> {
  const target = new URL(PATHS.pair, url.replace(/^wss:/, "https:"));
  const headers = { "Content-Type": "application/json" };
  const request = new Request(target, { method: "POST", headers, body: JSON.stringify(body), signal });
  try {
    const answer = await exchange(request, socket, { timeout: TIMEOUT, most: LONGEST_GRANT });
    const { status } = answer;
    const text = await answer.text();
    if (status === 403 || status === 400) throw refused(`${url} ${saidIn(text)}`);
    const read = grantBody.safeParse(parseJson(text));
    if (status === 200 && read.success) return read.data;
    throw new LinkError("NOT_MCP", `${url} answered ${status} to a pairing code`);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error instanceof LinkError ? error : failure(url, error);
  }
}

/** The peer is not trusted yet: quotes only a short excerpt of an unusual refusal, without control characters. */
function saidIn(text: string): string {
  const refusal = refusalIn(text);
  if (!refusal || refusal.code === "PAIRING_REFUSED") return "does not take this code";
  return `says: ${harmlessExcerpt(refusal.message)}`;
}

const refused = (what: string): LinkError => new LinkError("PAIRING_REFUSED", what);

/** Reads a code from standard input, since a command line stays in the shell's history. Throws a UsageError. */
export async function askForCode(signal: AbortSignal): Promise<string> {
  process.stderr.write("Code that `tendril pair` shows: ");
  const lines = createInterface({ input: process.stdin, signal });
  for await (const line of lines) return checked(line);
  signal.throwIfAborted();
  throw new UsageError("--pair: no code was given");
}

function checked(line: string): string {
  try {
    return pairingCode(line);
  } catch (error) {
    throw new UsageError(`--pair: ${messageOf(error)}`);
  }
}
