import type { ClientRequest, IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  SdkError,
  SdkErrorCode,
  type Transport,
} from "@modelcontextprotocol/client";
import { type RawData, WebSocket } from "ws";
import type { Clock } from "../clock.js";
import { failure, LinkError, type LinkErrorCode } from "../errors.js";
import { type Millis, seconds } from "../units.js";
import { authoritiesOnly, type Trust, trustedSocket } from "./trust.js";

export interface Address {
  /** `ws://host:port/mcp`, or `wss://`. */
  readonly url: string;
  readonly token: string;
  /** The peers that may get the token over `wss://`; by default those with a certificate of a known authority. */
  readonly trust?: Trust;
}

const SUBPROTOCOL = "mcp";
/** Milliseconds for the upgrade, and without TLS for TCP too. */
const HANDSHAKE_TIMEOUT = 10_000;

/** Opens a WebSocket that is ready to carry MCP. Rejects with a LinkError, or with the signal's reason. */
export async function openSocket(address: Address, signal: AbortSignal): Promise<WebSocket> {
  signal.throwIfAborted();
  const { protocol, hash } = parseUrl(address.url);
  if ((protocol !== "ws:" && protocol !== "wss:") || hash !== "")
    throw new LinkError("URL_INVALID", `${address.url} is no WebSocket address`);
  const { url, trust = authoritiesOnly } = address;
  const secured = protocol === "wss:" ? await trustedSocket(url, trust, signal) : undefined;
  return opened(dial(address, secured?.socket), url, signal);
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
    // The last progress note and the result may arrive together: the SDK needs a turn of the event loop between them.
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

/** RFC 6455, section 7.4.1. */
const CLOSE = { normal: 1000, unsupportedData: 1003 } as const;
/** A peer that does not answer a ping for this long is gone: a cut cable does not close a connection. */
const PING_EVERY: Millis = seconds(15);
/** Time for the closing handshake. A choice: stopping shall take less than a second. */
const GOODBYE: Millis = 300;

/** MCP over one open WebSocket, one JSON-RPC message per text frame. */
export class WebSocketTransport implements Transport {
  onmessage?: Transport["onmessage"];
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  private readonly closed = new AbortController();
  private leaving = false;
  private answered = true;

  constructor(
    private readonly socket: WebSocket,
    private readonly clock: Clock,
  ) {}

  async start(): Promise<void> {
    this.socket.on("message", (data, isBinary) => this.receive(data, isBinary));
    this.socket.on("error", (error) => this.onerror?.(error));
    this.socket.on("pong", () => {
      this.answered = true;
    });
    this.socket.once("close", () => {
      this.closed.abort();
      this.onclose?.();
    });
    this.watch().catch(() => undefined); // ends by the abort above
  }

  get closedByPeer(): boolean {
    return this.closed.signal.aborted && !this.leaving;
  }

  /** Rejects once the connection is closed. */
  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      const sent = (cause?: Error | null) =>
        cause
          ? reject(new SdkError(SdkErrorCode.SendFailed, "the WebSocket is closed", { cause }))
          : resolve();
      this.socket.send(JSON.stringify(message), sent);
    });
  }

  async close(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    this.leaving = true;
    const gone = new Promise<void>((resolve) => this.socket.once("close", () => resolve()));
    this.socket.close(CLOSE.normal);
    await Promise.race([gone, this.clock.sleep(GOODBYE, this.closed.signal).catch(() => undefined)]);
    this.socket.terminate();
  }

  private receive(data: RawData, isBinary: boolean): void {
    if (isBinary) this.socket.close(CLOSE.unsupportedData, "text frames only");
    else this.deliver(String(data));
  }

  private deliver(text: string): void {
    try {
      this.onmessage?.(parseJSONRPCMessage(JSON.parse(text)));
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  private async watch(): Promise<void> {
    while (this.answered) {
      this.answered = false;
      this.socket.ping();
      await this.clock.sleep(PING_EVERY, this.closed.signal);
    }
    this.socket.terminate();
  }
}
