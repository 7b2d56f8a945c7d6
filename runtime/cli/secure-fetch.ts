import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { TLSSocket } from "node:tls";
import { ownFiles } from "../server/tls/material.js";
import { pinOf } from "../wire/proof.js";
import { exchange, secureSocket } from "../wire/secure-socket.js";
import { CommandError } from "./failure.js";

/** Milliseconds without a byte; a dose of 26 s is well within. */
export const PATIENCE = 120_000;

/** Whether a peer may be sent the token: undefined, or what is wrong with it. */
export type Judge = (pin: string, problem: string | undefined) => string | undefined;

/** The key that was named alone; else whom this computer's authorities vouch for, or the state folder's own key. */
export function isTrusted({ state, pin }: { state: string; pin?: string | undefined }): Judge {
  if (pin !== undefined)
    return (found) => (found === pin ? undefined : `shows the key ${found}, not the one that --pin names`);
  const { cert } = ownFiles(state);
  const own = existsSync(cert) ? pinOf(new X509Certificate(readFileSync(cert))) : undefined;
  return (found, problem) =>
    problem === undefined || found === own
      ? undefined
      : `shows a certificate that nobody here vouches for (${problem}): compare its key ${found} with what \`tendril tls\` says on its machine, then name it with --pin`;
}

/** A fetch over TLS whose peer is judged before a byte of the request is written. A connection each, whole texts, no redirects. */
export const secureFetch =
  (judge: Judge) =>
  async (input: string | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    return exchange(request, await admitted(new URL(request.url), judge), { timeout: PATIENCE });
  };

/** A connection on which nothing has been sent but the handshake, to a peer that was judged. Throws a CommandError. */
export async function admitted({ href, origin }: URL, judge: Judge): Promise<TLSSocket> {
  const { socket, peer } = await secureSocket(href);
  const trouble = judge(pinOf(peer.certificate), peer.problem);
  if (trouble === undefined) return socket;
  socket.destroy();
  throw new CommandError(`${origin} ${trouble}`);
}
