import { isDeepStrictEqual } from "node:util";
import {
  type JSONRPCMessage,
  type RequestId,
  SERVER_INFO_META_KEY,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { CallRequest } from "../tools/host.js";
import { META } from "../wire/names.js";
import { cancelledBy, isPlainCall, isRequest, type PlainCall, STOPS_BEFORE } from "./json-rpc.js";
import { requestOf, type ToolCalls } from "./tool-call.js";

type Meta = Readonly<Record<string, unknown>>;
type Json = Readonly<Record<string, unknown>>;
type Answer = Awaited<ReturnType<ToolCalls["answer"]>>;

/** Keys of `_meta` that are ours, or that differ from call to call. */
const OWN: ReadonlySet<string> = new Set([...Object.values(META), STOPS_BEFORE, "progressToken"]);

interface PlainCallsParts {
  /** A call counts as running from the one to the other. */
  begun(): void;
  ended(): void;
  /** Never throws. */
  send(message: object): void;
  /** The connection's calls that are not over. */
  readonly open: OpenCalls;
}

export type OpenCalls = Map<RequestId, Cancellation>;

/**
 * Answers calls of one WebSocket past the SDK, which takes some 60 µs of processor time for each. The SDK has the first call,
 * so it decides upon the protocol's version, and checks what the client says of itself in each call. A later call that
 * says the same is answered here, with the answer that the SDK would give.
 */
export class PlainCalls {
  private calls: ToolCalls | undefined;
  /** What the SDK has let through last. */
  private known: Meta = {};
  private keys = 0;
  private readonly serverInfo: Json | undefined;

  /** `info`: who answers, as each answer says it since protocol 2026. */
  constructor(
    private readonly parts: PlainCallsParts,
    info: object | undefined,
  ) {
    this.serverInfo = info && { [SERVER_INFO_META_KEY]: info };
  }

  /** The SDK has let a call through, whose client cannot be asked in the middle of a call. */
  learn(calls: ToolCalls, { mcpReq: { envelope } }: ServerContext): void {
    this.calls = calls;
    this.known = { ...envelope };
    this.keys = Object.keys(this.known).length;
  }

  /** Whether the message needs nobody else: it is a call, or cancels one. */
  take(message: JSONRPCMessage): boolean {
    const cancelled = cancelledBy(message);
    if (cancelled !== undefined) return this.cancel(cancelled);
    if (!this.calls) return false;
    if (isPlainCall(message)) return this.begin(this.calls, message);
    if (isRequest(message) && message.method === "initialize") this.calls = undefined; // it may have forms from now on
    return false;
  }

  private begin(calls: ToolCalls, message: PlainCall): boolean {
    if (!this.isKnown(message.params._meta)) return false;
    const call = new Cancellation();
    this.parts.open.set(message.id, call);
    this.answer(calls, message, call);
    return true;
  }

  /** A cancelled call is not answered. */
  private cancel(id: RequestId): boolean {
    const call = this.parts.open.get(id);
    call?.cancel();
    return call !== undefined;
  }

  private isKnown(meta: Meta | undefined): boolean {
    let keys = 0;
    for (const key in meta) {
      if (OWN.has(key)) continue;
      if (!Object.hasOwn(this.known, key) || !isDeepStrictEqual(meta[key], this.known[key])) return false;
      keys += 1;
    }
    return keys === this.keys;
  }

  private async answer(calls: ToolCalls, { id, params }: PlainCall, call: Cancellation): Promise<void> {
    this.parts.begun();
    try {
      const contact = {
        identity: calls.identity,
        signal: call.signal,
        progress: this.progress(params._meta?.progressToken),
      };
      const result = await calls.answer(requestOf(params, params._meta ?? {}, contact));
      if (!call.isCancelled) this.parts.send({ result: this.stamped(result), jsonrpc: "2.0", id });
    } finally {
      this.parts.ended();
      if (this.parts.open.get(id) === call) this.parts.open.delete(id);
    }
  }

  /** Key by key: V8 keeps what a spread object that grows would need. */
  private stamped({ content, structuredContent, isError, _meta }: Answer): object {
    if (!this.serverInfo) return { _meta, content, structuredContent, isError };
    const meta = _meta ? { ..._meta, ...this.serverInfo } : this.serverInfo;
    return { _meta: meta, content, structuredContent, isError, resultType: "complete" };
  }

  private progress(progressToken: unknown): CallRequest["progress"] {
    if (progressToken === undefined) return UNTOLD;
    return (progress, total, message) => {
      const params = { progressToken, progress, total, message };
      this.parts.send({ jsonrpc: "2.0", method: "notifications/progress", params });
    };
  }
}

const UNTOLD = () => undefined;

/** Makes its signal when somebody asks, as few tools do. */
class Cancellation {
  isCancelled = false;
  private controller: AbortController | undefined;

  readonly signal = (): AbortSignal => {
    this.controller ??= new AbortController();
    if (this.isCancelled) this.controller.abort();
    return this.controller.signal;
  };

  cancel(): void {
    this.isCancelled = true;
    this.controller?.abort();
  }
}
