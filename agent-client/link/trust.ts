import { hostname } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TLSSocket } from "node:tls";
import { z } from "zod";
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
import { exchange, type Peer, secureSocket } from "../../runtime/wire/secure-socket.js";
import { failure, LinkError, UsageError } from "../errors.js";
import { DurableFile } from "../state/state-folder.js";

/** Decides whether a peer may be sent a token. */
export interface Trust {
  /** Throws PEER_CHANGED or PEER_UNTRUSTED. */
  admit(peer: Peer): void;
}

/**
 * A TLS connection to a peer that `trust` accepts; nothing was sent after the handshake. Rejects with a LinkError, or with
 * the signal's reason.
 */
export async function trustedSocket(url: string, trust: Trust, signal: AbortSignal) {
  const secured = await secureSocket(url, signal).catch((error: unknown) => {
    throw signal.aborted ? error : failure(url, error);
  });
  try {
    trust.admit(secured.peer);
    return secured;
  } catch (error) {
    secured.socket.destroy();
    throw error;
  }
}

/** Trusts only certificates of this computer's certificate authorities. */
export const authoritiesOnly: Trust = {
  admit: (peer) => {
    if (peer.problem !== undefined) throw untrusted(peer);
  },
};

/** Trusts one key, whatever its certificate says. */
export const pinned = (pin: string): Trust => ({
  admit: (peer) => {
    if (pinOf(peer.certificate) !== pin) throw changed(peer, pin, "--pin says");
  },
});

/** OpenSSL's codes for a certificate of an unknown issuer. All other codes are problems of a known authority's certificate. */
const UNKNOWN_ISSUER: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/**
 * Trust on first use. A runtime with a certificate of a known authority needs one from then on; any other must keep the key
 * that it first showed. So a key that an attacker shows later, with any certificate, differs from before.
 */
export class FirstUse implements Trust {
  /** `tell`: reports a key that is now trusted. `repin`: forgets what was known about the first runtime that answers. */
  constructor(
    private readonly known: KnownRuntimes,
    private readonly tell: (text: string) => void,
    private repin = false,
  ) {}

  admit(peer: Peer): void {
    const trust = this.repin ? undefined : this.known.find(placeOf(peer.url))?.trust;
    if (trust === undefined) this.meet(peer);
    else if (trust === "authorities") authoritiesOnly.admit(peer);
    else if (trust !== pinOf(peer.certificate)) throw changed(peer, trust, "before it was");
    this.repin = false;
  }

  private meet(peer: Peer): void {
    const at = placeOf(peer.url);
    const pin = pinOf(peer.certificate);
    if (peer.problem !== undefined && !isUnvouchedFor(peer)) throw untrusted(peer);
    this.known.trust(at, peer.problem === undefined ? "authorities" : pin);
    if (peer.problem === undefined) return;
    this.tell(
      `${at} is known by its key ${pin} from now on; \`tendril tls\` on its machine says the same, or it is not yours`,
    );
  }
}

/** A self-signed certificate has no known issuer, whichever of its problems OpenSSL names. */
const isUnvouchedFor = ({ certificate, problem }: Peer): boolean =>
  UNKNOWN_ISSUER.has(problem ?? "") ||
  (certificate.issuer === certificate.subject && certificate.verify(certificate.publicKey));

const untrusted = ({ url, problem }: Peer): LinkError =>
  new LinkError("PEER_UNTRUSTED", `${url} shows a certificate that is not to be trusted (${problem})`);

const changed = ({ url, certificate }: Peer, expected: string, why: string): LinkError =>
  new LinkError("PEER_CHANGED", `${url} shows the key ${pinOf(certificate)}, but ${why} ${expected}`);

/** How a runtime is recognised: by its key's pin, or by a certificate of this computer's authorities. */
type Known = "authorities" | (string & {});

const runtime = z.strictObject({
  trust: z.string(),
  /** Set after pairing. */
  url: z.string().optional(),
  token: z.string().optional(),
});
const file = z.strictObject({ version: z.literal(1), runtimes: z.record(z.string(), runtime) });

type Remembered = z.output<typeof runtime>;

/** The runtimes that this agent has met over TLS, by host and port: their keys, and after pairing their tokens. */
export class KnownRuntimes {
  private readonly file: DurableFile<z.output<typeof file>>;

  constructor(agentState: string) {
    this.file = new DurableFile(join(agentState, "runtimes.json"), file);
  }

  /** `at`: host and port as from {@link placeOf}. Throws a UsageError for an unreadable file, which never counts as empty. */
  find(at: string): Remembered | undefined {
    const { runtimes } = this.read();
    return Object.hasOwn(runtimes, at) ? runtimes[at] : undefined;
  }

  /** The runtime, if the agent was paired with exactly one. One key is one runtime; of several addresses, the newest. */
  onlyPaired(): Required<Remembered> | undefined {
    const paired = Object.values(this.read().runtimes).flatMap(({ trust, url, token }) =>
      url === undefined || token === undefined ? [] : [{ trust, url, token }],
    );
    const runtimes = new Set(paired.map(({ trust, url }) => (trust === "authorities" ? url : trust)));
    return runtimes.size === 1 ? paired.at(-1) : undefined;
  }

  trust(at: string, trust: Known): void {
    this.write(at, { ...this.find(at), trust });
  }

  paired(at: string, remembered: Required<Remembered>): void {
    this.write(at, remembered);
  }

  /** The newest is the last in the file. */
  private write(at: string, remembered: Remembered): void {
    const { [at]: _, ...others } = this.read().runtimes;
    this.file.write({ version: 1, runtimes: { ...others, [at]: remembered } });
  }

  private read(): z.output<typeof file> {
    const held = this.file.read();
    if (held.is === "value") return held.value;
    if (held.is === "absent") return { version: 1, runtimes: {} };
    throw new UsageError(
      `${this.file.path} is damaged, so this agent does not know which runtimes to trust: correct the file, or move it away and pair again`,
    );
  }
}

export const placeOf = (url: string): string => new URL(url).host.toLowerCase();

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
