import type { ClientRequest, IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import { WebSocket } from "ws";
import { LinkError, type LinkErrorCode } from "./link-error.js";
import { failure } from "./link-failure.js";
import { secureSocket } from "./trust/secure-socket.js";
import { authoritiesAlone, type Trust } from "./trust/trust.js";

export interface Address {
  /** `ws://host:port/mcp`, or `wss://`. */
  readonly url: string;
  /** The bearer token. */
  readonly token: string;
  /** Who may be sent the token over `wss://`; by default whom this computer's authorities vouch for. */
  readonly trust?: Trust;
}

const SUBPROTOCOL = "mcp";
/** Milliseconds for the upgrade, and without TLS for TCP. */
const HANDSHAKE_TIMEOUT = 10_000;

/** Opens a WebSocket that is ready to carry MCP. Rejects with a LinkError, or with the signal's reason. */
export async function openSocket(address: Address, signal: AbortSignal): Promise<WebSocket> {
  signal.throwIfAborted();
  const { protocol, hash } = parseUrl(address.url);
  if ((protocol !== "ws:" && protocol !== "wss:") || hash !== "")
    throw new LinkError("URL_INVALID", `${address.url} is no WebSocket address`);
  const secured = protocol === "wss:" ? await admitted(address, signal) : undefined;
  return opened(dial(address, secured), address.url, signal);
}

/** A connection whose peer may be sent the token. */
async function admitted({ url, trust = authoritiesAlone }: Address, signal: AbortSignal): Promise<TLSSocket> {
  const { socket, peer } = await secureSocket(url, signal).catch((error: unknown) => {
    throw signal.aborted ? error : failure(url, error);
  });
  try {
    trust.admit(peer);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function opened(socket: WebSocket, url: string, signal: AbortSignal): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const abandon = () => {
      reject(signal.reason);
      socket.terminate();
    };
    const settled = () => signal.removeEventListener("abort", abandon);
    signal.addEventListener("abort", abandon, { once: true });
    socket.once("close", settled);
    socket.once("open", settled);
    socket.once("open", () => resolve(socket));
    socket.on("error", (error) => reject(failure(url, error)));
    socket.on("unexpected-response", (request, response) => reject(refusal(url, request, response)));
  });
}

function dial({ url, token }: Address, secured: TLSSocket | undefined): WebSocket {
  return new WebSocket(url, [SUBPROTOCOL], {
    headers: { authorization: `Bearer ${token}` },
    handshakeTimeout: HANDSHAKE_TIMEOUT,
    // The last progress note and the result may arrive in one chunk: the SDK needs a turn of the event loop between them.
    allowSynchronousEvents: false,
    perMessageDeflate: false,
    ...(secured && { createConnection: () => secured }),
  });
}

function parseUrl(url: string): URL {
  try {
    return new URL(url);
  } catch (cause) {
    throw new LinkError("URL_INVALID", `"${url}" is not an address`, { cause });
  }
}

const BY_STATUS: Readonly<Record<number, LinkErrorCode>> = {
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  429: "BUSY",
  503: "BUSY",
};

function refusal(url: string, request: ClientRequest, response: IncomingMessage): LinkError {
  request.destroy();
  const status = response.statusCode ?? 0;
  return new LinkError(
    BY_STATUS[status] ?? "NOT_MCP",
    `${url} answered ${status} ${response.statusMessage ?? ""}`.trim(),
  );
}
