import { Client, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import { VERSION } from "../../runtime/wire/version.js";
import { type Clock, exponentialBackoff } from "../clock.js";
import { LinkError } from "../errors.js";
import { type Millis, seconds } from "../units.js";
import { type Address, openSocket, WebSocketTransport } from "./websocket.js";

/** Where to call, and whom to trust there. */
export type Where = Pick<Address, "url" | "trust">;

export interface LinkOptions extends Address {
  /** Aborted: no more attempts. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** [0, 1), for the jitter of the waits. */
  readonly random: () => number;
  /** Looks for the runtime before each attempt, in place of `url`. Rejects with a LinkError, or with the signal's reason. */
  readonly find?: (signal: AbortSignal) => Promise<Where>;
  /** Names this agent among those that share its token: the same after a restart, another on another computer. */
  readonly instance?: string;
  /** How long a runtime that is away is waited for: at first, and after a break. 0: one attempt. */
  readonly patience: { readonly toConnect: Millis; readonly toReconnect: Millis };
  /** Told of the first wait after a break, and then of a wait for another reason. */
  readonly onWait: (error: LinkError, wait: Millis) => void;
}

const INFO = { name: "tendril-agent", title: "Tendril agent", version: VERSION };
const HANDSHAKE_TIMEOUT: Millis = seconds(10);

/** One connection at a time, opened anew when it breaks. The runtime keeps all state: a new link goes on where the old one broke. */
export class Link {
  private current: Promise<Client> | undefined;
  private patience: Millis;
  private readonly closings = new WeakMap<Client, Promise<void>>();

  constructor(private readonly options: LinkOptions) {
    this.patience = options.patience.toConnect;
  }

  /** The live client, connected anew if need be. Rejects with a LinkError, or with the signal's reason. */
  ready(): Promise<Client> {
    this.current ??= this.open().catch((error: unknown) => {
      this.current = undefined;
      throw error;
    });
    return this.current;
  }

  /** Resolves once the client's connection is over. */
  async closed(client: Client): Promise<void> {
    await this.closings.get(client);
  }

  /** Resolves once a client that failed is closed: its socket may take a moment to notice. */
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
      // reads schemas as it goes: the other compiles those of all tools at first, half of what a short run costs
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

/** A runtime that dies or stalls in MCP's handshake may come back; one that answers with something else does not speak MCP. */
function handshakeFailure(url: string, cause: unknown, closedByPeer: boolean): LinkError {
  const silent = cause instanceof SdkError && cause.code === SdkErrorCode.RequestTimeout;
  if (silent || closedByPeer)
    return new LinkError("LOST", `${url} closed or fell silent while MCP was agreed on`, { cause });
  return new LinkError("NOT_MCP", `${url} opened, but MCP could not be agreed on`, { cause });
}
