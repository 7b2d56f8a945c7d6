import type { FileHandle } from "node:fs/promises";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Cancel } from "../../drivers/ports.js";
import type { Allowed, Identity } from "../wire/identity.js";
import type { RateLimit } from "./rate-limit.js";
import type { Annotations, Dialogue, Question } from "./tool.js";

/** A tool as `tools/list` shows it. */
export interface ToolListing {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: "object" };
  readonly outputSchema: JsonSchema;
  readonly annotations: Annotations;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface CallRequest {
  readonly name: string;
  /** As it came over the wire; `{}` where the client sent none. The host validates it. */
  readonly arguments: unknown;
  readonly identity: Identity;
  /** Aborted when the client cancels the call; never by a lost connection. */
  readonly signal: AbortSignal;
  /** How many stops there had been when it was read from the wire; by default as many as there are now. */
  readonly stopsBefore?: number;
  /** As it came over the wire. The host validates it, but for tools that switch off: those pay no heed to it. */
  readonly idempotencyKey?: unknown;
  /** Which of the agents that share a token, as it came over the wire; the host validates it as it does the key. */
  readonly instance?: unknown;
  /** The refusal that a person overrides, as it came over the wire; the host validates it, and whether this token may. */
  readonly confirm?: unknown;
  /** Present where the client can be asked in the middle of a call. */
  readonly dialogue?: Dialogue;
  /** Reaches the client only if it asked for progress; calls after the result are dropped. */
  progress(done: number, total: number, message: string): void;
}

export interface ResourceListing {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
}

/** As in MCP's `resources/read`; a blob is base64. */
export type ResourceContent =
  | { readonly mimeType: string; readonly blob: string }
  | { readonly mimeType: string; readonly text: string };

/** Some of the MCP resources that the runtime has. */
export interface ResourceSource {
  list(): Promise<readonly ResourceListing[]> | readonly ResourceListing[];
  /** Undefined for a resource that is not here. */
  read(uri: string): Promise<ResourceContent | undefined>;
  /** Tells of resources whose content has changed. */
  watch?(changed: (uri: string) => void): Cancel;
}

/** What the server serves: the tool registry and the services behind it. */
export interface WireHost {
  /** Counts by token: the wire counts every message that is no call of a tool, and bytes; the host counts the calls. */
  readonly meter: RateLimit;
  /** How many stops there had been before what is being read now. */
  stopsBefore(): number;
  /** Whether calls of a tool wait behind nothing: it switches off, or holds. */
  isUrgent(tool: string): boolean;
  /** The tools of these toolsets that this caller may know of; all where none is named. Throws INVALID_ARGUMENT for an unknown one. */
  listTools(identity: Identity, toolsets?: readonly string[]): readonly ToolListing[];
  /** A question only where the request brings a dialogue. Refusals are results with `isError`; a rejection is a defect and reaches the client as INTERNAL. */
  callTool(request: CallRequest): Promise<CallToolResult | Question>;
  readonly resources: Required<ResourceSource>;
  /** What service modules serve over HTTP. */
  readonly routes: readonly Route[];
  /** Everything off, for all plants; `by` says who asked, for the log. */
  switchEverythingOff(by: string): Promise<void>;
  /** What GET /healthz answers to anybody who asks: no secrets, a few fields. */
  health(): object;
}

/** Routes for which nobody needs a token. The handler checks a link's signature or a pairing code itself: only it can. */
export type OpenAccess = "anybody" | "signed link" | "pairing code";

/** Who may take a route. */
export type Access = OpenAccess | Allowed;

/**
 * A route that a service module serves over HTTP. Modules' routes only read: what changes something is a tool, which is counted,
 * confirmed and recorded.
 */
export interface Route {
  /** "/photos/": everything beneath it. "/metrics": exactly that. */
  readonly path: string;
  /** Checked before `answer` is called. */
  readonly may: Access;
  /** Throws a TendrilError for what is not there. */
  answer(request: RouteRequest): Promise<RouteAnswer> | RouteAnswer;
}

export interface RouteRequest {
  readonly path: string;
  readonly query: URLSearchParams;
}

export interface RouteAnswer {
  /** The content type. */
  readonly type: string;
  /** A file is sent from the disk as the client takes it, and closed then. */
  readonly body: string | Uint8Array | FileHandle;
  readonly headers?: Readonly<Record<string, string>>;
}
