import type { Duplex } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { WebSocket } from "ws";
import { afterReading } from "../../drivers/clock/system-clock.js";
import type { Identity } from "../wire/identity.js";
import { CLOSE } from "./connections.js";
import { Inbox } from "./inbox.js";
import { JsonRpcFault, parseMessage } from "./json-rpc.js";
import type { ServerParts } from "./limits.js";
import { MAX_SUBSCRIPTIONS, mcpServer, seesResources, serveSubscriptions } from "./mcp.js";
import type { Caller } from "./tool-call.js";

/** Speaks MCP with an admitted caller until the socket closes. `stream` is what the WebSocket writes to. */
export function serveSocket(socket: WebSocket, stream: Duplex, identity: Identity, parts: ServerParts): void {
  const { host, limits, log, turns } = parts;
  const caller = { host, identity, log, turns };
  log("info", "connected", { client: identity.name, role: identity.role });
  const transport = new WebSocketServerTransport(socket, stream, limits.maxBufferedBytes, caller);
  const build = ({ era }: { era: "legacy" | "modern" }) => {
    const server = mcpServer(caller, { subscribe: true });
    if (seesResources(identity)) serveSubscriptions(server, caller, era);
    return server;
  };
  serveStdio(build, { transport, maxSubscriptions: MAX_SUBSCRIPTIONS });
}

/** MCP over one WebSocket: a text frame for each JSON-RPC message. */
class WebSocketServerTransport implements Transport {
  onmessage?: Transport["onmessage"];
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];

  private readonly inbox: Inbox;
  /** Whether answers wait for others of this turn of the event loop. */
  private gathering = false;

  /** `maxBuffered`: bytes that may wait for the peer to read; with more it is closed as too slow. */
  constructor(
    private readonly socket: WebSocket,
    private readonly stream: Duplex,
    private readonly maxBuffered: number,
    caller: Caller,
  ) {
    const deliver = (message: JSONRPCMessage) => this.onmessage?.(message);
    this.inbox = new Inbox({ ...caller, socket, deliver, reply: (answer) => this.answer(answer) });
  }

  async start(): Promise<void> {
    this.socket.on("message", (data, isBinary) => {
      if (isBinary) this.socket.close(CLOSE.unsupportedData, "text frames only");
      else this.receive(String(data));
    });
    this.socket.on("error", (error) => this.onerror?.(error));
    this.socket.on("close", () => this.onclose?.());
  }

  /** Rejects if the connection is closed, or if the peer has stopped reading. */
  async send(message: object): Promise<void> {
    if (this.socket.readyState !== WebSocket.OPEN) throw new Error("the WebSocket is closed");
    if (this.socket.bufferedAmount > this.maxBuffered) {
      this.socket.close(CLOSE.tryAgainLater, "slow peer");
      throw new Error("the peer does not read: closed as slow");
    }
    if (this.inbox.hasWaiting) this.gather();
    this.socket.send(JSON.stringify(message));
  }

  /** The answers of one turn of the event loop leave together: to write takes the kernel a third of a call's time. */
  private gather(): void {
    if (this.gathering) return;
    this.gathering = true;
    this.stream.cork();
    afterReading(() => {
      this.gathering = false;
      this.stream.uncork();
    });
  }

  async close(): Promise<void> {
    this.socket.close(CLOSE.goingAway, "server closed the connection");
  }

  private receive(text: string): void {
    try {
      this.inbox.receive(parseMessage(text), text.length);
    } catch (error) {
      if (!(error instanceof JsonRpcFault)) throw error;
      this.onerror?.(error);
      this.answer(error.reply);
    }
  }

  private answer(reply: object): void {
    this.send(reply).catch((error: Error) => this.onerror?.(error));
  }
}
