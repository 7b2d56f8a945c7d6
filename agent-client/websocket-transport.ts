import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  SdkError,
  SdkErrorCode,
  type Transport,
} from "@modelcontextprotocol/client";
import { type RawData, WebSocket } from "ws";
import type { Clock } from "./clock.js";
import { type Millis, seconds } from "./units.js";

/** RFC 6455, section 7.4.1. */
const CLOSE = { normal: 1000, unsupportedData: 1003 } as const;
/** A peer that answers no ping for this long is gone: a cut cable closes no connection by itself. */
const PING_EVERY: Millis = seconds(15);
/** The peer's time to say goodbye before it is cut off; a stop takes less than a second in all. */
const GOODBYE: Millis = 300;

/** MCP over one open WebSocket: a JSON-RPC message a text frame. */
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
