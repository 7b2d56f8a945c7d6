import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request as overHttps } from "node:https";
import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { ownFiles, TLS_VERSION } from "../server/tls/material.js";
import { pinOf } from "../wire/identity.js";
import { CommandError } from "./failure.js";

/** Milliseconds without a byte; a dose of 26 s is well within. */
const PATIENCE = 120_000;
const HANDSHAKE_PATIENCE = 10_000;
const HTTPS_PORT = 443;

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
    return exchange(request, await admitted(new URL(request.url), judge));
  };

/** One request over a connection that then ends. Rejects where the answer has more than `most` bytes. */
export async function exchange(
  request: Request,
  socket: TLSSocket,
  most = Number.POSITIVE_INFINITY,
): Promise<Response> {
  try {
    const answer = await send(request, await request.text(), socket);
    const body = await bodyOf(answer, most);
    const head = { status: answer.statusCode ?? 0, headers: headersOf(answer) };
    return new Response(body.length > 0 ? body : null, head);
  } finally {
    socket.destroy();
  }
}

async function bodyOf(answer: AsyncIterable<Buffer>, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    size += chunk.length;
    if (size > most) throw new Error("the answer is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A connection on which nothing has been sent but the handshake, to a peer that was judged. Throws a CommandError. */
export async function admitted({ hostname, port, origin }: URL, judge: Judge): Promise<TLSSocket> {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const servername = isIP(host) ? "" : host;
  const where = { host, port: Number(port) || HTTPS_PORT, servername, minVersion: TLS_VERSION } as const;
  // not decided here but by the judge
  const tls = { ALPNProtocols: ["http/1.1"], rejectUnauthorized: false, timeout: HANDSHAKE_PATIENCE };
  const socket = connect({ ...where, ...tls });
  const slow = () => socket.destroy(new Error("the TLS handshake took too long"));
  socket.once("timeout", slow);
  await once(socket, "secureConnect");
  socket.setTimeout(0).off("timeout", slow);
  const certificate = socket.getPeerX509Certificate();
  const problem = socket.authorized ? undefined : String(socket.authorizationError);
  const trouble = certificate ? judge(pinOf(certificate), problem) : "shows no certificate";
  if (trouble === undefined) return socket;
  socket.destroy();
  throw new CommandError(`${origin} ${trouble}`);
}

function send(
  { url, method, headers, signal }: Request,
  body: string,
  socket: TLSSocket,
): Promise<IncomingMessage> {
  const options = { method, headers: Object.fromEntries(headers), signal, timeout: PATIENCE };
  return new Promise((resolve, reject) => {
    const outgoing = overHttps(url, { ...options, createConnection: () => socket }, resolve);
    outgoing.on("timeout", () => outgoing.destroy(new Error("the request timed out")));
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
