import { createHmac } from "node:crypto";

/**
 * How a runtime shows an agent that found it by multicast DNS that it knows the agent's token, before the agent sends it: anybody
 * on the network can answer such a question. agent-client/discovery/proof.ts says the same; a test compares them.
 */
export const PROOF_PATH = "/proof";
/** Where the runtime was called, as it sees it: an impostor who hands the question on cannot have the right one. */
export interface CalledAt {
  readonly address: string;
  readonly port: number;
}

/** Bytes of a key, in hexadecimal: enough to tell tokens apart. A choice. */
const KEY_BYTES = 8;
const CHALLENGE = /^[0-9a-f]{64}$/;

/** Names a token to who has it, and tells nobody else anything. `secret` is its SHA-256. */
export const keyOf = (secret: Buffer): string => tagOf(secret, "tendril key 1").slice(0, 2 * KEY_BYTES);

export const isChallenge = (text: string | null): text is string => CHALLENGE.test(text ?? "");

export const proofOf = (secret: Buffer, challenge: string, { address, port }: CalledAt): string =>
  tagOf(secret, `tendril proof 1\n${challenge}\n${address}\n${port}`);

const tagOf = (secret: Buffer, text: string): string =>
  createHmac("sha256", secret).update(text).digest("hex");
