import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocket, WebSocketServer } from "ws";
import { TendrilError } from "../errors.js";
import type { Admission } from "./authenticator.js";
import { CLOSE, type HeartbeatMember } from "./connections.js";
import { refuseSocket } from "./http-message.js";
import type { ServerParts } from "./limits.js";
import { Counts } from "./turns.js";

const SUBPROTOCOL = "mcp";

/** The WebSockets of admitted callers. What speaks MCP over them, with the SDK, is loaded for the first one. */
export class McpOverWebSocket {
  private readonly server: WebSocketServer;
  /** Open connections by token, so that no token takes all of them. */
  private readonly byToken = new Counts<string>();
  private closing = false;

  constructor(private readonly parts: ServerParts) {
    const { maxFrameBytes } = parts.limits;
    this.server = new WebSocketServer({
      noServer: true,
      maxPayload: maxFrameBytes,
      handleProtocols: (offered) => offered.has(SUBPROTOCOL) && SUBPROTOCOL,
      WebSocket: explainingOversize(maxFrameBytes),
    });
    this.server.on("wsClientError", ({ message }, socket) =>
      refuseSocket(
        socket,
        new TendrilError("INVALID_ARGUMENT", `the WebSocket handshake failed: ${message}`),
      ),
    );
  }

  get connections(): number {
    return this.server.clients.size;
  }

  /** Throws RATE_LIMITED at the limit of connections, or at half of it for this token; STOPPING after `close`. */
  async accept(request: IncomingMessage, socket: Duplex, head: Buffer, admission: Admission): Promise<void> {
    const { serveSocket } = await import("./mcp-websocket.js");
    const { maxConnections } = this.parts.limits;
    if (this.closing) throw new TendrilError("STOPPING", "the runtime is stopping");
    if (this.connections >= maxConnections) throw tooMany(`${maxConnections} connections are open already`);
    const mine = this.byToken.of(admission.identity.name);
    if (mine >= Math.ceil(maxConnections / 2))
      throw tooMany(`this token has ${mine} connections open already`);
    this.parts.sockets.serves(request.socket); // until it closes
    this.server.handleUpgrade(request, socket, head, (opened) =>
      this.open(opened, admission, () => serveSocket(opened, socket, admission.identity, this.parts)),
    );
  }

  /** Closes every connection with code 1001, and cuts off those that have not answered within the grace. */
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

  private open(socket: WebSocket, admission: Admission, serve: () => void): void {
    const { log, heartbeat } = this.parts;
    const client = admission.identity.name;
    socket.on("error", (error) => log("info", "websocket", { client, error: error.message }));
    socket.once("close", heartbeat.add(new WebSocketPeer(socket, admission)));
    socket.once(
      "close",
      admission.onEnd(() => socket.close(CLOSE.policyViolation, "session ended")),
    );
    this.byToken.add(client);
    socket.once("close", (code) => {
      this.byToken.remove(client);
      log("info", "disconnected", { client, code });
    });
    if (socket.protocol === SUBPROTOCOL) serve();
    else socket.close(CLOSE.protocolError, `subprotocol ${SUBPROTOCOL} is required`);
  }
}

const closed = (socket: WebSocket): Promise<void> =>
  new Promise((resolve) => socket.once("close", () => resolve()));

/** `ws` closes after an oversized frame with code 1009 and no reason; this adds the reason. */
const explainingOversize = (limit: number) =>
  class extends WebSocket {
    override close(code?: number, reason?: string | Buffer): void {
      const oversize = code === CLOSE.tooBig && reason === undefined;
      super.close(code, oversize ? `over ${limit} bytes: send it over HTTP, to the same /mcp` : reason);
    }
  };

const tooMany = (what: string): TendrilError => new TendrilError("RATE_LIMITED", what, { retryAfter: 5 });

/** A peer that has missed so many pings is dead. */
const MISSED_PINGS = 2;

/** Ends one open WebSocket if its peer falls silent or its token is removed. */
class WebSocketPeer implements HeartbeatMember {
  private unanswered = 0;

  constructor(
    private readonly socket: WebSocket,
    private readonly admission: Admission,
  ) {
    socket.on("pong", () => {
      this.unanswered = 0;
    });
  }

  async beat(): Promise<void> {
    if (this.socket.isPaused) return; // we do not read, so its answers wait too
    if (this.unanswered >= MISSED_PINGS) return this.socket.terminate();
    this.unanswered += 1;
    if (this.socket.readyState !== WebSocket.OPEN) return;
    if (!(await this.admission.stillHolds()))
      return this.socket.close(CLOSE.policyViolation, "token revoked");
    this.socket.ping();
  }
}
