import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  RELATED_TASK_META_KEY,
} from "@modelcontextprotocol/server";
import type { RuntimeApi } from "../tools/host.js";
import type { Identity } from "../wire/identity.js";
import { META } from "../wire/names.js";
import { isObject } from "../wire/refusal.js";

/** JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
/**
 * No message of the contract nests deeper than a dozen levels. Recursive readers (zod, JSON.stringify) overflow the
 * stack at some thousands.
 */
export const MAX_DEPTH = 64;
/**
 * Commas and colons outside of strings: so many items of lists, or half as many keys of objects. Choices: no message of
 * an agent or a person has half of it; the bridge brings lists of all entities of a home. To parse and check 25,000 keys
 * takes 0.1 s, in which nothing else is done.
 */
export const MAX_PARTS = 10_000;
export const MAX_PARTS_OF_BRIDGE = 50_000;

/** MAX_PARTS of who sends. */
export const maxPartsOf = ({ role }: Identity): number =>
  role === "bridge" ? MAX_PARTS_OF_BRIDGE : MAX_PARTS;

/** What is wrong with a message; `reply` is the answer to send. */
export class JsonRpcFault extends Error {
  override readonly name = "JsonRpcFault";

  constructor(
    readonly code: typeof PARSE_ERROR | typeof INVALID_REQUEST,
    message: string,
    readonly id: string | number | null = null,
  ) {
    super(message);
  }

  /** The error response. Its id is null if the request's id could not be read (JSON-RPC 2.0, section 5). */
  get reply(): object {
    return { jsonrpc: "2.0", id: this.id, error: { code: this.code, message: this.message } };
  }
}

/** Throws JsonRpcFault: -32700 for text that is no JSON, -32600 beyond MAX_DEPTH, `maxParts` and MAX_META_KEYS. */
export function parseJson(text: string, maxParts = MAX_PARTS): unknown {
  const excess = excessOf(text, maxParts);
  if (excess !== undefined) throw new JsonRpcFault(INVALID_REQUEST, excess);
  const message = parsed(text);
  assertFewMetaKeys(message);
  return nameProtoKey(message);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonRpcFault(PARSE_ERROR, "not valid JSON");
  }
}

/** Clients send fewer than ten. A choice; the SDK copies `_meta` many times for each message. */
const MAX_META_KEYS = 64;

function assertFewMetaKeys(message: unknown): void {
  const { params } = (message ?? {}) as { params?: { _meta?: unknown } | null };
  const meta = params?._meta;
  if (typeof meta !== "object" || meta === null || Object.keys(meta).length <= MAX_META_KEYS) return;
  throw new JsonRpcFault(INVALID_REQUEST, `_meta has more than ${MAX_META_KEYS} keys`, idOf(message));
}

/**
 * The SDK silently drops an argument with the key `__proto__`. This renames the key to one with quotes, which no tool
 * has: the registry refuses it by name, and tools that switch off are still carried out.
 */
function nameProtoKey(message: unknown): unknown {
  const { params } = (message ?? {}) as { params?: { arguments?: unknown } | null };
  const given = params?.arguments;
  if (typeof given !== "object" || given === null || !Object.hasOwn(given, PROTO)) return message;
  const { [PROTO]: value, ...others } = given as Record<string, unknown>;
  Object.assign(params as object, { arguments: { ...others, [`"${PROTO}"`]: value } });
  return message;
}

const PROTO = "__proto__";

/** One message of a WebSocket frame. Throws JsonRpcFault. The SDK answers every message that this returns. */
export function parseMessage(text: string, maxParts = MAX_PARTS): JSONRPCMessage {
  const value = parseJson(text, maxParts);
  if (isPlainCall(value) || isMessage(value)) return value;
  if (Array.isArray(value))
    throw new JsonRpcFault(INVALID_REQUEST, "batches are not supported: one message a frame");
  throw new JsonRpcFault(INVALID_REQUEST, "not a JSON-RPC 2.0 message as MCP has it", idOf(value));
}

function idOf(value: unknown): string | number | null {
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : null;
  return typeof id === "string" || Number.isSafeInteger(id) ? (id as string | number) : null;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
/** `[` and `{` differ in this bit only, as do `]` and `}`: 0x5b/0x7b and 0x5d/0x7d. */
const LOWER = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** What there is too much of, if anything. Looks outside of strings, without recursion. */
function excessOf(text: string, maxParts: number): string | undefined {
  let depth = 0;
  let parts = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (char === COMMA || char === COLON) parts += 1;
    else depth += step(char | LOWER);
    if (depth > MAX_DEPTH) return `nested deeper than ${MAX_DEPTH} levels`;
    if (parts > maxParts)
      return `more than ${maxParts} commas and colons: send fewer keys and items, or long text as one string`;
  }
  return undefined;
}

/** How many levels a bracket leads down. */
const step = (char: number): number => (char === OPENING ? 1 : char === CLOSING ? -1 : 0);

/** Where the string that opens at `start` closes; the end of the text if it never does. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

/** A call of a tool that the SDK's schemas are sure to let through. */
export interface PlainCall {
  readonly jsonrpc: "2.0";
  readonly id: string | number;
  readonly method: "tools/call";
  readonly params: {
    readonly name: string;
    readonly arguments?: Record<string, unknown>;
    readonly _meta?: Record<string, unknown>;
  };
}

/** Whether a parsed message is one. To ask the schemas takes ten times as long. They judge what is unusual in any way. */
export function isPlainCall(message: unknown): message is PlainCall {
  if (!isObject(message) || message.jsonrpc !== "2.0" || message.method !== "tools/call") return false;
  const { id, params } = message;
  if (typeof id !== "string" && !Number.isSafeInteger(id)) return false;
  if (!hasOnly(message, MESSAGE_KEYS) || !isObject(params) || !hasOnly(params, PARAMS_KEYS)) return false;
  const { name, arguments: args, _meta: meta } = params;
  if (typeof name !== "string" || (args !== undefined && !isObject(args))) return false;
  return meta === undefined || (isObject(meta) && isPlainMeta(meta));
}

const MESSAGE_KEYS: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params"]);
const PARAMS_KEYS: ReadonlySet<string> = new Set(["name", "arguments", "_meta"]);

/** Keys of what JSON.parse has made are all its own. */
function hasOnly(value: object, known: ReadonlySet<string>): boolean {
  for (const key in value) if (!known.has(key)) return false;
  return true;
}

function isPlainMeta(meta: Readonly<Record<string, unknown>>): boolean {
  const { progressToken: token } = meta;
  if (token !== undefined && typeof token !== "string" && !Number.isSafeInteger(token)) return false;
  return !(RELATED_TASK_META_KEY in meta);
}

/** The `_meta` key for the number of stops before a call was read. A value from the client is overwritten. */
export const STOPS_BEFORE = "tendril/stops-before";

/** For messages that `isMessage` has let through: the SDK's own guards read the whole message again. */
export const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest =>
  "method" in message && "id" in message;

const isNotification = (message: JSONRPCMessage): message is JSONRPCNotification =>
  "method" in message && !("id" in message);

/** The id of the request that a message cancels; undefined where it cancels none. */
export function cancelledBy(message: JSONRPCMessage): string | number | undefined {
  if (!isNotification(message) || message.method !== "notifications/cancelled") return undefined;
  const id = (message.params as { requestId?: unknown } | undefined)?.requestId;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

/** Messages that never wait behind others: answers, cancellations, and calls that switch off or hold. */
export function isUrgent(message: JSONRPCMessage, host: RuntimeApi, identity: Identity): boolean {
  if (isNotification(message)) return cancelledBy(message) !== undefined;
  if (!isRequest(message)) return true;
  const name = toolOf(message);
  if (name === undefined) return false;
  const { arguments: given, _meta: meta } = message.params ?? {};
  return host.isUrgent({ name, arguments: given, identity, turn: meta?.[META.turn] });
}

/** Whether a parsed body is one message. The SDK says what is wrong with anything else. */
export const isMessage = (body: unknown): body is JSONRPCMessage =>
  isJSONRPCRequest(body) || isJSONRPCNotification(body) || isJSONRPCResponse(body);

/** The tool that a request calls; undefined for every other message. */
export function toolOf(message: JSONRPCMessage): string | undefined {
  if (!isRequest(message) || message.method !== "tools/call") return undefined;
  const { name }: { readonly name?: unknown; readonly [key: string]: unknown } = message.params ?? {};
  return typeof name === "string" ? name : "";
}

/** Writes into a call how many stops there had been before it. */
export function stamp(message: JSONRPCMessage, stopsBefore: number): void {
  if (!isRequest(message) || toolOf(message) === undefined) return;
  message.params ??= {};
  message.params._meta ??= {};
  message.params._meta[STOPS_BEFORE] = stopsBefore;
}
