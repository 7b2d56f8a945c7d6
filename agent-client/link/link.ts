import { Client, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import { exponentialBackoff } from "../../runtime/wire/backoff.js";
import { VERSION } from "../../runtime/wire/program.js";
import type { Clock } from "../clock.js";
import { LinkError } from "../errors.js";
import { type Millis, seconds } from "../units.js";
import { type Address, openSocket, WebSocketTransport } from "./websocket.js";

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
