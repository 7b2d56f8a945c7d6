import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/server";
import type { WebSocket } from "ws";
import { afterReading } from "../../drivers/clock/system-clock.js";
import type { Cancel } from "../../drivers/ports.js";
import { errorBody } from "../errors.js";
import { cancelledBy, isRequest, isUrgent, stamp, toolOf } from "./json-rpc.js";
import type { Caller } from "./tool-call.js";

/** Messages and bytes that may wait before the socket is paused. A choice: our clients have only a few in flight. */
const MAX_WAITING_MESSAGES = 256;
const MAX_WAITING_BYTES = 1_048_576;
/** JSON-RPC 2.0, section 5.1: codes from -32000 to -32099 are the server's own. */
const REFUSED = -32000;

interface InboxParts extends Caller {
  readonly socket: WebSocket;
  readonly deliver: (message: JSONRPCMessage) => void;
  /** Sends the answer to a message that is not started. */
  readonly reply: (answer: object) => void;
}

interface Waiting {
  /** Undefined for a message that is no request. */
  readonly id: RequestId | undefined;
  cancelled: boolean;
  /** Takes it out of its token's line. */
  leave: Cancel;
}

/** Messages of one connection that have not started. A connection that sends faster than it is served is paused. */
export class Inbox {
  private readonly waiting = new Set<Waiting>();
  private bytes = 0;
  /** How many stops there had been before the oldest unread message was sent; undefined if none can be waiting. */
  private unreadSince: number | undefined;

  constructor(private readonly parts: InboxParts) {
    parts.socket.once("close", () => {
      for (const { leave } of this.waiting) leave();
      this.waiting.clear();
    });
  }

  /** `size`: bytes of the frame. */
  receive(message: JSONRPCMessage, size: number): void {
    const { host, identity, deliver } = this.parts;
    const cancelled = cancelledBy(message);
    if (cancelled !== undefined) this.cancel(cancelled);
    stamp(message, this.unreadSince ?? host.stopsBefore());
    const urgent = isUrgent(message, host, identity);
    if (urgent) deliver(message);
    this.queue(message, size, () => {
      if (!urgent) this.take(message, size);
    });
  }

  /** Urgent messages take a place here too, so that a flood of them also pauses the connection. */
  private queue(message: JSONRPCMessage, size: number, take: () => void): void {
    const place: Waiting = {
      id: isRequest(message) ? message.id : undefined,
      cancelled: false,
      leave: () => undefined,
    };
    this.waiting.add(place);
    this.bytes += size;
    if (this.isFull) this.pause();
    place.leave = this.parts.turns.wait(this.parts.identity.name, () => {
      this.waiting.delete(place);
      this.bytes -= size;
      if (!this.isFull) this.resume();
      if (!place.cancelled) take();
    });
  }

  get hasWaiting(): boolean {
    return this.waiting.size > 0;
  }

  private get isFull(): boolean {
    return this.waiting.size >= MAX_WAITING_MESSAGES || this.bytes >= MAX_WAITING_BYTES;
  }

  /** Nobody else knows a request that waits here. A client that cancels it expects no answer. */
  private cancel(id: RequestId): void {
    for (const place of this.waiting) if (place.id === id) place.cancelled = true;
  }

  private take(message: JSONRPCMessage, size: number): void {
    const { socket, identity, host, deliver } = this.parts;
    if (socket.readyState !== socket.OPEN) return;
    host.meter.chargeBytes(identity.name, size);
    try {
      if (!isRequest(message)) host.meter.charge(identity.name, 1);
      else if (toolOf(message) === undefined) host.meter.take(identity.name); // the host counts the calls itself
      deliver(message);
    } catch (error) {
      if (isRequest(message)) this.refuse(message, error);
    }
  }

  private refuse({ id, method }: { id: RequestId; method: string }, error: unknown): void {
    const { identity, host, reply, log } = this.parts;
    const times = host.meter.refusalsToTell(identity.name);
    if (times > 0) log("info", "message refused", { method: named(method), by: identity.name, times });
    reply(refusal(id, error));
  }

  private pause(): void {
    if (this.parts.socket.isPaused) return;
    this.unreadSince ??= this.parts.host.stopsBefore();
    this.parts.socket.pause();
  }

  /** What is read next may have been sent during the pause, so `unreadSince` holds until reading has begun. */
  private resume(): void {
    if (!this.parts.socket.isPaused) return;
    this.parts.socket.resume();
    afterReading(() => {
      if (!this.parts.socket.isPaused) this.unreadSince = undefined;
    });
  }
}

const refusal = (id: RequestId, error: unknown): object => {
  const body = errorBody(error);
  return { jsonrpc: "2.0", id, error: { code: REFUSED, message: body.message, data: body } };
};

/** A method of MCP by its form, as `resources/templates/list`. Whatever else stands there can be a secret put in the wrong place. */
const METHOD = /^(?:initialize|ping|[a-z]{2,16}(?:\/[a-zA-Z_]{2,24}){1,2})$/;
const named = (method: string): string => (METHOD.test(method) ? method : "unknown method");
