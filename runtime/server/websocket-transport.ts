import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { type RawData, WebSocket } from "ws";
import { Inbox, type InboxParts } from "./inbox.js";
import { JsonRpcFault, parseMessage } from "./json-rpc.js";

/** RFC 6455, section 7.4.1, and 1013 from the IANA registry it founded. */
export const CLOSE = {
  goingAway: 1001,
  protocolError: 1002,
  unsupportedData: 1003,
  policyViolation: 1008,
  tooBig: 1009,
  tryAgainLater: 1013,
} as const;

/** MCP over one accepted WebSocket: a JSON-RPC message a text frame. */
export class WebSocketServerTransport implements Transport {
  onmessage?: Transport["onmessage"];
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];

  private readonly inbox: Inbox;

  /** `maxBuffered`: bytes that may wait for the peer to read before it is closed as too slow. */
  constructor(
    private readonly socket: WebSocket,
    private readonly maxBuffered: number,
    parts: Pick<InboxParts, "identity" | "host" | "turns" | "log">,
  ) {
    const deliver = (message: JSONRPCMessage) => this.onmessage?.(message);
    this.inbox = new Inbox({ ...parts, socket, deliver, reply: (answer) => this.answer(answer) });
  }

  async start(): Promise<void> {
    this.socket.on("message", (data, isBinary) => this.receive(data, isBinary));
    this.socket.on("error", (error) => this.onerror?.(error));
    this.socket.on("close", () => this.onclose?.());
  }

  /** Rejects once the connection is closed, or when the peer has stopped reading. */
  send(message: JSONRPCMessage): Promise<void> {
    return this.write(message);
  }

  async close(): Promise<void> {
    this.socket.close(CLOSE.goingAway, "server closed the connection");
  }

  private receive(data: RawData, isBinary: boolean): void {
    if (isBinary) this.socket.close(CLOSE.unsupportedData, "text frames only");
    else this.deliver(String(data));
  }

  private deliver(text: string): void {
    try {
      this.inbox.receive(parseMessage(text), text.length);
    } catch (error) {
      if (!(error instanceof JsonRpcFault)) throw error;
      this.complain(error);
    }
  }

  private complain(fault: JsonRpcFault): void {
    this.onerror?.(fault);
    this.answer(fault.reply);
  }

  private answer(reply: object): void {
    this.write(reply).catch((error: Error) => this.onerror?.(error));
  }

  private async write(message: object): Promise<void> {
    if (this.socket.readyState !== WebSocket.OPEN) throw new Error("the WebSocket is closed");
    if (this.socket.bufferedAmount > this.maxBuffered) {
      this.socket.close(CLOSE.tryAgainLater, "slow peer");
      throw new Error("the peer does not read: closed as slow");
    }
    this.socket.send(JSON.stringify(message));
  }
}
