import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { WebSocket, WebSocketServer } from "ws";
import { afterReading } from "../../drivers/clock/system-clock.js";
import { invalidArgument, tooMany } from "../errors.js";
import type { Identity } from "../wire/identity.js";
import type { Admission } from "./authenticator.js";
import { CLOSE } from "./connections.js";
import { refuseSocket } from "./http-message.js";
import { Inbox } from "./inbox.js";
import { JsonRpcFault, maxPartsOf, parseMessage } from "./json-rpc.js";
import type { ServerParts } from "./limits.js";
import { INFO, MAX_SUBSCRIPTIONS, mcpServer, seesResources, serveSubscriptions } from "./mcp.js";
import { type OpenCalls, PlainCalls } from "./plain-calls.js";
import type { Caller } from "./tool-call.js";
import { Counts } from "./turns.js";

const SUBPROTOCOL = "mcp";

/** The WebSockets of admitted callers. */
export class Sockets {
  private readonly server: WebSocketServer;
  /** Open connections by token, so that no token takes all of them. */
  private readonly byToken = new Counts<string>();

  constructor(private readonly parts: ServerParts) {
    const { maxFrameBytes } = parts.limits;
    this.server = new WebSocketServer({
      noServer: true,
      maxPayload: maxFrameBytes,
      autoPong: false, // see readInTurns
      handleProtocols: (offered) => offered.has(SUBPROTOCOL) && SUBPROTOCOL,
      WebSocket: explainingOversize(maxFrameBytes),
    });
    this.server.on("wsClientError", ({ message }, socket) =>
      refuseSocket(socket, invalidArgument(`the WebSocket handshake failed: ${message}`)),
    );
  }

  get size(): number {
    return this.server.clients.size;
  }

  /** Throws RATE_LIMITED at the limit of connections, or at half of it for this token. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, admission: Admission): void {
    const { maxConnections } = this.parts.limits;
    if (this.size >= maxConnections) throw tooMany(`${maxConnections} connections are open already`, 5);
    const mine = this.byToken.of(admission.identity.name);
    if (mine >= Math.ceil(maxConnections / 2))
      throw tooMany(`this token has ${mine} connections open already`, 5);
    this.parts.sockets.serves(request.socket); // until it closes
    this.server.handleUpgrade(request, socket, head, (opened) =>
      this.open(opened, admission, () => serveSocket(opened, socket, admission.identity, this.parts)),
    );
  }

  /** Closes every connection with code 1001, and cuts off those that have not answered within the grace. */
  async close(): Promise<void> {
    const { clock, limits } = this.parts;
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
    socket.once("close", heartbeat.add(checking(socket, admission)));
    socket.once(
      "close",
      admission.onEnd(() => socket.close(CLOSE.policyViolation, "session or token ended")),
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

/** A peer that has missed so many pings is dead. */
const MISSED_PINGS = 2;

/** At each beat, ends an open WebSocket if its peer has fallen silent or its token is removed; else asks for a sign of life. */
function checking(socket: WebSocket, admission: Admission): () => Promise<void> {
  let unanswered = 0;
  socket.on("pong", () => {
    unanswered = 0;
  });
  return async () => {
    if (socket.isPaused) return; // we do not read, so its answers wait too
    if (unanswered >= MISSED_PINGS) return socket.terminate();
    unanswered += 1;
    if (socket.readyState !== WebSocket.OPEN) return;
    if (!(await admission.stillHolds())) return socket.close(CLOSE.policyViolation, "token revoked");
    socket.ping();
  };
}

/**
 * Reads what has arrived once in a turn of the event loop (64 KiB), so that others, such as `POST /off`, are read too.
 * Answers the pings of a turn with one pong (RFC 6455, 5.5.3), and none to a peer that does not read.
 */
function readInTurns(socket: WebSocket, stream: Duplex): void {
  let ping: Buffer | undefined;
  socket.on("ping", (data) => {
    ping = data;
  });
  stream.on("data", () => {
    stream.pause();
    afterReading(() => {
      if (ping && !stream.writableNeedDrain) socket.pong(ping);
      ping = undefined;
      if (!socket.isPaused) socket.resume();
    });
  });
}

/**
 * Frames in a row that are no message of JSON-RPC, until the connection is closed. A choice: whoever sends one by
 * mistake reads the first answer.
 */
const MAX_FAULTS = 32;

/** Speaks MCP with an admitted caller until the socket closes. `stream` is what the WebSocket writes to. */
function serveSocket(socket: WebSocket, stream: Duplex, identity: Identity, parts: ServerParts): void {
  const { host, limits, log, turns } = parts;
  const caller = { host, identity, log, turns };
  log("info", "connected", { client: identity.name, role: identity.role });
  readInTurns(socket, stream);
  const transport = new WebSocketServerTransport(socket, stream, limits.maxBufferedBytes, caller);
  const build = ({ era }: { era: "legacy" | "modern" }) => {
    const server = mcpServer(caller, { subscribe: true, plain: transport.plainCalls(era) });
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
  private plain: PlainCalls | undefined;
  /** Outlives `plain`: a client that begins anew may still cancel what it called before. */
  private readonly open: OpenCalls = new Map();
  private readonly maxParts: number;
  /** Whether answers wait for others of this turn of the event loop. */
  private gathering = false;
  private faults = 0;
  private isRefused = false;

  /** `maxBuffered`: bytes that may wait for the peer to read; with more it is closed as too slow. */
  constructor(
    private readonly socket: WebSocket,
    private readonly stream: Duplex,
    private readonly maxBuffered: number,
    private readonly caller: Caller,
  ) {
    const deliver = (message: JSONRPCMessage) => this.deliver(message);
    this.maxParts = maxPartsOf(caller.identity);
    this.inbox = new Inbox({ ...caller, socket, deliver, reply: (answer) => this.answer(answer) });
  }

  /** Of the protocol that the client has begun to speak. A client may begin anew. */
  plainCalls(era: "legacy" | "modern"): PlainCalls {
    const { turns, identity } = this.caller;
    const parts = {
      begun: () => turns.begun(identity.name),
      ended: () => turns.ended(identity.name),
      send: (message: object) => this.answer(message),
      open: this.open,
    };
    this.plain = new PlainCalls(parts, era === "modern" ? INFO : undefined);
    return this.plain;
  }

  async start(): Promise<void> {
    this.socket.on("message", (data, isBinary) => {
      if (this.isRefused) this.socket.terminate();
      else if (isBinary) this.refuse(CLOSE.unsupportedData, "text frames only");
      else this.receive(String(data));
    });
    this.socket.on("error", (error) => this.onerror?.(error));
    this.socket.on("close", () => this.onclose?.());
  }

  /** Rejects if the connection is closed, or if the peer has stopped reading. */
  async send(message: object): Promise<void> {
    this.write(message);
  }

  /** As `send`, but throws. */
  private write(message: object): void {
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

  private deliver(message: JSONRPCMessage): void {
    if (!this.plain?.take(message)) this.onmessage?.(message);
  }

  private receive(text: string): void {
    try {
      this.inbox.receive(parseMessage(text, this.maxParts), text.length);
      this.faults = 0;
    } catch (error) {
      if (!(error instanceof JsonRpcFault)) throw error;
      this.faults += 1;
      this.onerror?.(error);
      if (this.faults > MAX_FAULTS) this.refuse(CLOSE.policyViolation, "not JSON-RPC");
      else this.answer(error.reply);
    }
  }

  /** Closes the connection; whoever goes on sending is cut off. A stop behind that is not obeyed: thousands of frames may lie before it. */
  private refuse(code: number, reason: string): void {
    this.isRefused = true;
    this.socket.close(code, reason);
  }

  private answer(reply: object): void {
    try {
      this.write(reply);
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }
}
