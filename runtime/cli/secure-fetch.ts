import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { TLSSocket } from "node:tls";
import { ownFiles } from "../server/tls/material.js";
import { pinOf } from "../wire/proof.js";
import { exchange, secureSocket } from "../wire/secure-socket.js";
import { CommandError } from "./failure.js";

/** Milliseconds without data; a dose takes 26 s at most. */
export const PATIENCE = 120_000;

/** Decides whether a peer may get the token: undefined, or what is wrong with it. */
type Judge = (pin: string, problem: string | undefined) => string | undefined;

/** Trusts only `pin` if given; else certificates of known authorities, and the key of the state folder. */
export function isTrusted({ state, pin }: { state: string; pin?: string | undefined }): Judge {
  if (pin !== undefined)
    return (found) => (found === pin ? undefined : `shows the key ${found}, not the one that --pin names`);
  const { cert } = ownFiles(state);
  const own = existsSync(cert) ? pinOf(new X509Certificate(readFileSync(cert))) : undefined;
  return (found, problem) =>
    problem === undefined || found === own
      ? undefined
      : `shows a certificate that this computer does not trust (${problem}): compare its key ${found} with the one of \`tendril tls\` on its machine, then name it with --pin`;
}

/** A fetch over TLS that checks the peer before it sends the request. A new connection each time, whole texts, no redirects. */
export const secureFetch =
  (judge: Judge) =>
  async (input: string | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    return exchange(request, await admitted(new URL(request.url), judge), { timeout: PATIENCE });
  };

/** A TLS connection to a peer that was checked; nothing was sent after the handshake. Throws a CommandError. */
export async function admitted({ href, origin }: URL, judge: Judge): Promise<TLSSocket> {
  const { socket, peer } = await secureSocket(href);
  const trouble = judge(pinOf(peer.certificate), peer.problem);
  if (trouble === undefined) return socket;
  socket.destroy();
  throw new CommandError(`${origin} ${trouble}`);
}
