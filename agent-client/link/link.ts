import type { ClientRequest, IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import {
  Client,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  SdkError,
  SdkErrorCode,
  type Transport,
} from "@modelcontextprotocol/client";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import { type RawData, WebSocket } from "ws";
import { exponentialBackoff, otherVersion, VERSION } from "../../runtime/wire/program.js";
import { type Clock, type Millis, seconds } from "../clock.js";
import { failure, LinkError, type LinkErrorCode } from "../errors.js";
import { authoritiesOnly, type Trust, trustedSocket } from "./trust.js";

interface Address {
  /** `ws://host:port/mcp`, or `wss://`. */
  readonly url: string;
  readonly token: string;
  /** The peers that may get the token over `wss://`; by default those with a certificate of a known authority. */
  readonly trust?: Trust;
}

const SUBPROTOCOL = "mcp";

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

/** The address to call, and the peer to trust there. */
export type Where = Pick<Address, "url" | "trust">;

export interface LinkOptions extends Address {
  /** When aborted: no more attempts. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** [0, 1), for the jitter of the waits. */
  readonly random: () => number;
  /** Finds the address before each attempt, instead of `url`. Rejects with a LinkError, or with the signal's reason. */
  readonly find?: (signal: AbortSignal) => Promise<Where>;
  /** The name of this agent among those with the same token. It stays the same after a restart. */
  readonly instance?: string;
  /** How long to wait for a runtime that is away: at the start, and after a break. 0: one attempt. */
  readonly patience: { readonly toConnect: Millis; readonly toReconnect: Millis };
  /** Called at the first wait after a break, and when the reason changes. */
  readonly onWait: (error: LinkError, wait: Millis) => void;
}

const INFO = { name: "tendril-agent", title: "Tendril agent", version: VERSION };
/** For the upgrade, without TLS for TCP too, and for what MCP agrees on first. A choice. */
const HANDSHAKE_TIMEOUT: Millis = seconds(10);

/** One connection at a time, reopened when it breaks. The runtime keeps all state, so a new connection simply continues. */
export class Link {
  private current: Promise<Client> | undefined;
  private patience: Millis;
  private readonly closings = new WeakMap<Client, Promise<void>>();

  constructor(private readonly options: LinkOptions) {
    this.patience = options.patience.toConnect;
  }

  /** The connected client; reconnects if necessary. Rejects with a LinkError, or with the signal's reason. */
  ready(): Promise<Client> {
    this.current ??= this.open().catch((error: unknown) => {
      this.current = undefined;
      throw error;
    });
    return this.current;
  }

  /** Resolves once the client's connection is closed. */
  async closed(client: Client): Promise<void> {
    await this.closings.get(client);
  }

  /** Closes a failed client; resolves once its socket is closed too. */
  async discard(client: Client): Promise<void> {
    await client.close().catch(() => undefined);
    await this.closed(client);
  }

  async close(): Promise<void> {
    const client = await this.current?.catch(() => undefined);
    await client?.close();
  }

  private async open(): Promise<Client> {
    const { clock, random, signal, onWait } = this.options;
    const giveUpAt = clock.monotonic() + this.patience;
    const waits = exponentialBackoff(random);
    let told = "";
    for (;;) {
      try {
        return await this.attempt();
      } catch (error) {
        const wait = waits.next().value;
        const isLate = clock.monotonic() + wait > giveUpAt;
        if (isLate || !(error instanceof LinkError && error.retryable)) throw error;
        if (error.message !== told) onWait(error, wait);
        told = error.message;
        await clock.sleep(wait, signal);
      }
    }
  }

  private async attempt(): Promise<Client> {
    const { signal, clock, find } = this.options;
    const address = find ? { ...this.options, ...(await find(signal)) } : this.options;
    const socket = await openSocket(address, signal);
    return this.handshake(new WebSocketTransport(socket, clock), address.url);
  }

  /** Prefers protocol 2026-07-28 and falls back to the 2025 era. */
  private async handshake(transport: WebSocketTransport, url: string): Promise<Client> {
    const { signal, patience } = this.options;
    const client = new Client(INFO, {
      versionNegotiation: { mode: "auto" },
      // interprets schemas; the default compiles those of all tools first, which is half of the time of a short run
      jsonSchemaValidator: new CfWorkerJsonSchemaValidator(),
    });
    try {
      await client.connect(transport, { timeout: HANDSHAKE_TIMEOUT, signal });
    } catch (cause) {
      signal.throwIfAborted();
      throw handshakeFailure(url, cause, transport.closedByPeer);
    }
    const differs = otherVersion(client.getServerVersion());
    if (differs !== undefined) {
      await client.close();
      throw new LinkError("OTHER_VERSION", `${url}: ${differs}`);
    }
    this.patience = patience.toReconnect;
    const closed = new Promise<void>((resolve) => {
      client.onclose = () => {
        this.current = undefined;
        resolve();
      };
    });
    this.closings.set(client, closed);
    return client;
  }
}

/** A runtime that closes or stalls in the MCP handshake may come back. Any other answer is not MCP. */
function handshakeFailure(url: string, cause: unknown, closedByPeer: boolean): LinkError {
  const silent = cause instanceof SdkError && cause.code === SdkErrorCode.RequestTimeout;
  if (silent || closedByPeer)
    return new LinkError("LOST", `${url} closed or fell silent while MCP was agreed on`, { cause });
  return new LinkError("NOT_MCP", `${url} opened, but MCP could not be agreed on`, { cause });
}
