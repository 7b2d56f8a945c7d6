import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { WebSocket, WebSocketServer } from "ws";
import { TendrilError } from "../errors.js";
import type { Identity } from "../wire/identity.js";
import type { Admission } from "./admission.js";
import { refuseSocket } from "./http-error.js";
import { mcpServer, seesResources } from "./mcp.js";
import { MOST_SUBSCRIPTIONS, serveSubscriptions } from "./subscriptions.js";
import { WebSocketPeer } from "./websocket-peer.js";
import { CLOSE, WebSocketServerTransport } from "./websocket-transport.js";
import type { WireParts } from "./wire-parts.js";

const SUBPROTOCOL = "mcp";

/** Serves MCP over WebSocket to callers that were admitted. */
export class McpOverWebSocket {
  private readonly server: WebSocketServer;
  /** Open connections by token: none can take them all. */
  private readonly ofCaller = new Map<string, number>();
  private closing = false;

  constructor(private readonly parts: WireParts) {
    const { maxFrameBytes } = parts.limits;
    this.server = new WebSocketServer({
      noServer: true,
      maxPayload: maxFrameBytes,
      handleProtocols: (offered) => offered.has(SUBPROTOCOL) && SUBPROTOCOL,
      WebSocket: explainingOversize(maxFrameBytes),
    });
    this.server.on("wsClientError", (error, socket) => {
      refuseSocket(
        socket,
        new TendrilError("INVALID_ARGUMENT", `the WebSocket handshake failed: ${error.message}`),
      );
    });
  }

  get connections(): number {
    return this.server.clients.size;
  }

  /** Throws RATE_LIMITED when there are as many connections as may be, or half as many of one token alone, STOPPING after `close`. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, admission: Admission): void {
    const { maxConnections } = this.parts.limits;
    if (this.closing) throw new TendrilError("STOPPING", "the runtime is stopping");
    if (this.connections >= maxConnections) throw tooMany(`${maxConnections} connections are open already`);
    const mine = this.ofCaller.get(admission.identity.name) ?? 0;
    if (mine >= Math.ceil(maxConnections / 2))
      throw tooMany(`this token has ${mine} connections open already`);
    this.parts.sockets.serves(request.socket); // until it closes
    this.server.handleUpgrade(request, socket, head, (opened) => this.greet(opened, admission));
  }

  /** Says 1001 to every peer; who has not answered within the grace is cut off. */
  async close(): Promise<void> {
    const { clock, limits } = this.parts;
    this.closing = true;
    const gone = [...this.server.clients].map((socket) => closed(socket));
    for (const socket of this.server.clients) socket.close(CLOSE.goingAway, "the runtime is stopping");
    const cancel = clock.after(limits.closeGrace, () => {
      for (const socket of this.server.clients) socket.terminate();
    });
    await Promise.all(gone);
    cancel();
  }

  private greet(socket: WebSocket, admission: Admission): void {
    const { log, heartbeat } = this.parts;
    const client = admission.identity.name;
    socket.on("error", (error) => log("info", "websocket", { client, error: error.message }));
    socket.once("close", heartbeat.add(new WebSocketPeer(socket, admission)));
    this.count(client, 1);
    socket.once("close", (code) => {
      this.count(client, -1);
      log("info", "disconnected", { client, code });
    });
    if (socket.protocol === SUBPROTOCOL) this.serve(socket, admission.identity);
    else socket.close(CLOSE.protocolError, `subprotocol ${SUBPROTOCOL} is required`);
  }

  private count(client: string, change: 1 | -1): void {
    const open = (this.ofCaller.get(client) ?? 0) + change;
    if (open === 0) this.ofCaller.delete(client);
    else this.ofCaller.set(client, open);
  }

  private serve(socket: WebSocket, identity: Identity): void {
    const { host, limits, log, turns } = this.parts;
    log("info", "connected", { client: identity.name, role: identity.role });
    const transport = new WebSocketServerTransport(socket, limits.maxBufferedBytes, {
      identity,
      host,
      turns,
      log,
    });
    const build = ({ era }: { era: "legacy" | "modern" }) => {
      const server = mcpServer({ host, identity, log, turns }, { subscribe: true });
      if (seesResources(identity)) serveSubscriptions(server, host, era);
      return server;
    };
    serveStdio(build, { transport, maxSubscriptions: MOST_SUBSCRIPTIONS });
  }
}

const closed = (socket: WebSocket): Promise<void> =>
  new Promise((resolve) => socket.once("close", () => resolve()));

/** `ws` closes on an oversized frame by itself, with 1009 and no word; this adds the word. */
const explainingOversize = (limit: number) =>
  class extends WebSocket {
    override close(code?: number, reason?: string | Buffer): void {
      const oversize = code === CLOSE.tooBig && reason === undefined;
      super.close(code, oversize ? `over ${limit} bytes: send it over HTTP, to the same /mcp` : reason);
    }
  };

const tooMany = (what: string): TendrilError => new TendrilError("RATE_LIMITED", what, { retryAfter: 5 });
