import { once } from "node:events";
import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { SILENT } from "../errors.js";
import type { Peer } from "../link/trust.js";

/** Milliseconds of silence in the handshake after which nobody is there. */
const HANDSHAKE_TIMEOUT = 10_000;
const HTTPS_PORT = 443;

/**
 * A TLS connection on which nothing has been sent but the handshake, and who answered. It is for the caller to say whether
 * that is the right one before a byte is written: so a wrong one sees neither request nor token. Rejects with the system's
 * error, or the signal's reason.
 */
export async function secureSocket(
  url: string,
  signal: AbortSignal,
): Promise<{ socket: TLSSocket; peer: Peer }> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const socket = connect({
    host,
    port: Number(port) || HTTPS_PORT,
    servername: isIP(host) ? "" : host,
    minVersion: "TLSv1.3",
    ALPNProtocols: ["http/1.1"],
    rejectUnauthorized: false, // not decided here: see Trust
    timeout: HANDSHAKE_TIMEOUT,
  });
  const slow = () => socket.destroy(new Error(SILENT));
  socket.once("timeout", slow);
  try {
    await once(socket, "secureConnect", { signal });
    socket.setTimeout(0).off("timeout", slow);
    return { socket, peer: peerOf(url, socket) };
  } catch (error) {
    socket.on("error", () => undefined).destroy();
    throw signal.aborted ? signal.reason : error;
  }
}

function peerOf(url: string, socket: TLSSocket): Peer {
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) throw new Error("it showed no certificate");
  const { authorized, authorizationError: problem } = socket;
  return { url, certificate, problem: authorized ? undefined : String(problem) };
}
