import type { X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request as overHttps } from "node:https";
import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";

/** Only 1.3: every client has it, and it cannot be negotiated down. */
export const TLS_VERSION = "TLSv1.3";

/** Milliseconds of silence in the handshake after which it fails. A choice. */
const HANDSHAKE_TIMEOUT = 10_000;
const HTTPS_PORT = 443;

export const HANDSHAKE_SILENT = "the TLS handshake took too long";

/**
 * The other side of a TLS handshake: it has the key of this certificate. Whether that is the right one is not checked
 * yet.
 */
export interface Peer {
  readonly url: string;
  readonly certificate: X509Certificate;
  /** Why this computer's authorities do not accept it: OpenSSL's or Node's code; undefined if they do. */
  readonly problem: string | undefined;
}

/**
 * A TLS connection after its handshake, and who answered. The caller checks the peer before it writes a byte, so a
 * wrong one sees neither request nor token. Rejects with the system's error, or the signal's reason.
 */
export async function secureSocket(
  url: string,
  signal?: AbortSignal,
): Promise<{ socket: TLSSocket; peer: Peer }> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const socket = connect({
    host,
    port: Number(port) || HTTPS_PORT,
    servername: isIP(host) ? "" : host,
    minVersion: TLS_VERSION,
    ALPNProtocols: ["http/1.1"],
    rejectUnauthorized: false, // the caller decides
    timeout: HANDSHAKE_TIMEOUT,
  });
  const slow = () => socket.destroy(new Error(HANDSHAKE_SILENT));
  socket.once("timeout", slow);
  try {
    await once(socket, "secureConnect", signal && { signal });
    socket.setTimeout(0).off("timeout", slow);
    return { socket, peer: peerOf(url, socket) };
  } catch (error) {
    socket.on("error", () => undefined).destroy();
    throw signal?.aborted ? signal.reason : error;
  }
}

function peerOf(url: string, socket: TLSSocket): Peer {
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) throw new Error("it showed no certificate");
  const { authorized, authorizationError } = socket;
  return { url, certificate, problem: authorized ? undefined : String(authorizationError) };
}

interface ExchangeLimits {
  /** Milliseconds without a byte. */
  readonly timeout: number;
  /** Bytes of an answer that are read. */
  readonly most?: number;
}

/**
 * Sends one request over a connection to a checked peer, and closes the connection after the answer. Rejects if the
 * answer is longer or slower than the limits.
 */
export async function exchange(
  request: Request,
  socket: TLSSocket,
  { timeout, most = Number.POSITIVE_INFINITY }: ExchangeLimits,
): Promise<Response> {
  try {
    const answer = await send(request, new Uint8Array(await request.arrayBuffer()), socket, timeout);
    const body = await bytesOf(answer, most, () => new Error("the answer is too long"));
    const head = { status: answer.statusCode ?? 0, headers: headersOf(answer) };
    return new Response(body.length > 0 ? body : null, head);
  } finally {
    socket.destroy();
  }
}

function send(
  { url, method, headers, signal }: Request,
  body: Uint8Array,
  socket: TLSSocket,
  timeout: number,
): Promise<IncomingMessage> {
  const options = { method, headers: Object.fromEntries(headers), signal, timeout };
  return new Promise((resolve, reject) => {
    const outgoing = overHttps(url, { ...options, createConnection: () => socket }, resolve);
    outgoing.on("timeout", () => outgoing.destroy(new Error("the request timed out")));
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** All of it. Rejects with what `tooLong` makes for more than `most` bytes; the rest is then not read. */
export async function bytesOf(
  content: AsyncIterable<Uint8Array>,
  most: number,
  tooLong: () => Error,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > most) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
