import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import { withoutMapping } from "./origin.js";
import { pinOf } from "./tls/pin.js";

/**
 * How a runtime shows an agent that found it by multicast DNS that it knows the agent's token, before the agent sends it: anybody
 * on the network can answer such a question. agent-client/discovery/proof.ts says the same; a test compares them.
 */
export const PROOF_PATH = "/proof";

/** What was asked, and of whom: an impostor who hands the question on is called at another place, or by another key. */
export interface Asked {
  /** 64 hexadecimal digits of the agent's. */
  readonly challenge: string;
  /** Where the runtime was called, as it sees it. */
  readonly address: string;
  readonly port: number;
  /** Of its key on this connection; undefined without TLS. */
  readonly pin: string | undefined;
}

/** Hexadecimal digits of a key: enough to tell tokens apart. A choice. */
const KEY_DIGITS = 16;
const CHALLENGE = /^[0-9a-f]{64}$/;

/** Names a token to who has it, and tells nobody else anything. `secret` is its SHA-256. */
export const keyOf = (secret: Buffer): string => tagOf(secret, ["tendril key 1"]).slice(0, KEY_DIGITS);

export const isChallenge = (text: string | null): text is string => CHALLENGE.test(text ?? "");

/** `runtime` tells this run of a runtime from any other, whatever names and addresses it is known by. */
export const proofOf = (
  secret: Buffer,
  { challenge, address, port, pin = "none" }: Asked,
  runtime: string,
): string => tagOf(secret, ["tendril proof 1", challenge, address, port, pin, runtime]);

const tagOf = (secret: Buffer, said: readonly (string | number)[]): string =>
  createHmac("sha256", secret).update(JSON.stringify(said)).digest("hex");

/** The challenge that came on this connection. */
export function askedOn({ socket }: IncomingMessage, challenge: string): Asked {
  const certificate = socket instanceof TLSSocket ? socket.getX509Certificate() : undefined;
  const address = withoutMapping(socket.localAddress ?? "");
  return { challenge, address, port: socket.localPort ?? 0, pin: certificate && pinOf(certificate) };
}
