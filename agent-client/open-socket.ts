import type { ClientRequest, IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import { LinkError, type LinkErrorCode } from "./link-error.js";

export interface Address {
  /** `ws://host:port/mcp`, or `wss://`. */
  readonly url: string;
  /** The bearer token. */
  readonly token: string;
}

const SUBPROTOCOL = "mcp";
/** Milliseconds for TCP, TLS and the upgrade together. */
const HANDSHAKE_TIMEOUT = 10_000;

/** Opens a WebSocket that is ready to carry MCP. Rejects with a LinkError, or with the signal's reason. */
export function openSocket({ url, token }: Address, signal: AbortSignal): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const socket = dial(url, token);
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

function dial(url: string, token: string): WebSocket {
  const { protocol, hash } = parseUrl(url);
  if ((protocol !== "ws:" && protocol !== "wss:") || hash !== "")
    throw new LinkError("URL_INVALID", `${url} is no WebSocket address`);
  return new WebSocket(url, [SUBPROTOCOL], {
    headers: { authorization: `Bearer ${token}` },
    handshakeTimeout: HANDSHAKE_TIMEOUT,
    // The last progress note and the result may arrive in one chunk: the SDK needs a turn of the event loop between them.
    allowSynchronousEvents: false,
    perMessageDeflate: false,
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

const BY_SYSTEM_CODE: Readonly<Record<string, LinkErrorCode>> = {
  ECONNREFUSED: "REFUSED",
  ENOTFOUND: "UNREACHABLE",
  EAI_AGAIN: "UNREACHABLE",
  EHOSTUNREACH: "UNREACHABLE",
  ENETUNREACH: "UNREACHABLE",
  ETIMEDOUT: "UNREACHABLE",
  ECONNRESET: "LOST",
};

function failure(url: string, error: Error): LinkError {
  if (error.message === "Opening handshake has timed out")
    return new LinkError("UNREACHABLE", `${url} did not answer`);
  const code = BY_SYSTEM_CODE["code" in error ? String(error.code) : ""] ?? "NOT_MCP";
  const happened = code === "REFUSED" ? "refused the connection" : `failed: ${error.message}`;
  return new LinkError(code, `${url} ${happened}`, { cause: error });
}
