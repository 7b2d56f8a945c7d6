import type { FileHandle } from "node:fs/promises";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Cancel } from "../../drivers/ports.js";
import type { Allowed, Identity } from "../wire/identity.js";
import type { BackupView, DoctorReport } from "../wire/owner-page.js";
import type { RateLimit } from "./rate-limit.js";
import type { Annotations, Dialogue, Question } from "./tool.js";

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
  /** As received; `{}` if the client sent none. The host validates it. */
  readonly arguments: unknown;
  readonly identity: Identity;
  /** Made by the runtime itself, for somebody who has no token. */
  readonly ofHouse?: true;
  /** Aborted when the client cancels the call; never by a lost connection. Made when somebody asks, as few tools do. */
  signal(): AbortSignal;
  /** How many stops there had been when it was read from the wire; by default all until now. */
  readonly stopsBefore?: number;
  /** As received. The host validates it; tools that switch off ignore it. */
  readonly idempotencyKey?: unknown;
  /** Names one of the agents that share a token. As received; the host validates it. */
  readonly instance?: unknown;
  /** The turn that the call belongs to. As received; the host validates it. Tools that switch off ignore it. */
  readonly turn?: unknown;
  /** The refusal that a person overrides. As received; the host validates it, and whether this token may. */
  readonly confirm?: unknown;
  /** Present if the client can be asked in the middle of a call. */
  readonly dialogue?: Dialogue;
  /** Reaches the client only if it asked for progress. Calls after the result are dropped. */
  progress(done: number, total: number, message: string): void;
}

/** What of a call says whether it switches off. */
export type WrittenCall = Pick<CallRequest, "name" | "arguments" | "identity" | "turn">;

interface ResourceListing {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
}

/** As in MCP's `resources/read`; a blob is base64. */
export type ResourceContent =
  | {
      readonly mimeType: string;
      readonly blob: string;
      readonly _meta?: Readonly<Record<string, unknown>>;
    }
  | { readonly mimeType: string; readonly text: string };

export interface ResourceSource {
  list(): Promise<readonly ResourceListing[]> | readonly ResourceListing[];
  /** As the caller may see it. Undefined for a resource that is not here. */
  read(uri: string, caller: Identity): Promise<ResourceContent | undefined>;
  /** Reports resources whose content has changed. */
  watch?(changed: (uri: string) => void): Cancel;
}

/** What the server serves: the tool registry and the services behind it. */
export interface RuntimeApi {
  /** Counts by token. The server counts bytes, and messages other than calls of tools; the host counts calls. */
  readonly meter: RateLimit;
  /** How many stops there had been before the message that is being read now. */
  stopsBefore(): number;
  /** Whether the call waits for nothing, because it switches off or holds. */
  isUrgent(call: WrittenCall): boolean;
  /**
   * The tools of these toolsets that the caller may see; all if none is named. Throws INVALID_ARGUMENT for unknown
   * ones.
   */
  listTools(identity: Identity, toolsets?: readonly string[]): readonly ToolListing[];
  /**
   * Gives a question only to a request with a dialogue. Refusals are results with `isError`; a rejection is a defect.
   */
  callTool(request: CallRequest): Promise<CallToolResult | Question>;
  readonly resources: Required<ResourceSource>;
  /** The routes that service modules serve over HTTP. */
  readonly routes: readonly Route[];
  /** Where service modules take files. */
  readonly uploads: readonly UploadRoute[];
  /** Switches everything off, for all plants; `by` says who asked, for the log. */
  switchEverythingOff(by: string): Promise<void>;
  /** The person whose token it is; undefined for one that is nobody's. */
  personOf(token: string): string | undefined;
  /** Before a person is erased, calls the listener, which ends whatever their tokens have begun. A rejection stops the erasure. */
  onErase(listener: EraseListener): Cancel;
  readonly backups: BackupStore;
  readonly doctor: Doctor;
  /** The answer of GET /healthz to anybody: a few fields, no secrets. */
  health(): object;
}

/** The backups that are kept on this machine. */
export interface BackupStore {
  readonly folder: string;
  /** Newest first. Throws BACKUP_FAILED. */
  list(): Promise<readonly BackupView[]>;
  /** Who asks while one is being made gets that one. Throws BACKUP_FAILED, and RATE_LIMITED within an hour of the last. */
  make(by: string): Promise<BackupView>;
  /** Throws NOT_FOUND, BACKUP_FAILED. */
  open(name: string): Promise<FileHandle>;
}

/** Looks at this machine and its installation beside the runtime. It changes nothing, and asks no hardware. */
export interface Doctor {
  /** Who asks while it looks gets those findings. Throws DOCTOR_FAILED. */
  look(): Promise<DoctorReport>;
}

/** `isTheirs`: whether a token, by its name, is the person's. */
export type EraseListener = (isTheirs: (token: string) => boolean) => Promise<void>;

/** Routes without a token. Only the handler can check a link or a pairing code, so it does. */
export type OpenAccess = "anybody" | "signed link" | "secret link" | "pairing code" | "one-time link";

/** Who may use a route. */
type Access = OpenAccess | Allowed;

/**
 * A route of a service module. It only reads: what changes something is a tool, which is counted, confirmed and
 * recorded.
 */
export interface Route {
  /** "/photos/" matches everything beneath it; "/metrics" matches only itself. */
  readonly path: string;
  /** Checked before `answer` is called. */
  readonly may: Access;
  /** Also for a browser's session, not for tokens alone. */
  readonly cookie?: boolean;
  /** Throws a TendrilError for something that is not there. */
  answer(request: RouteRequest): Promise<RouteAnswer> | RouteAnswer;
}

/**
 * Where a service module takes one file, by POST with `name` in the query. It only keeps the file: what becomes of it is a tool's
 * to say, which is counted, confirmed and recorded.
 */
export interface UploadRoute {
  readonly path: string;
  readonly may: Allowed;
  readonly mostBytes: number;
  /** The answer to who sent it. Throws a TendrilError, and then keeps nothing. */
  take(upload: Upload): Promise<object>;
}

export interface Upload {
  /** As the sender calls it: not to be believed. */
  readonly name: string;
  /** All of it: what was cut in the middle is not handed on. */
  readonly bytes: Uint8Array;
  readonly by: Identity;
  /** The account that has sent it, as the token says: whose it is must be looked up. */
  readonly from: { readonly channel: string; readonly account: string } | undefined;
}

export interface RouteRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  /** Nobody on the network could read it: it came over TLS, or from the runtime's own machine. */
  readonly isPrivate: boolean;
  /** By its name in lower case. */
  header(name: string): string | undefined;
}

interface RouteAnswer {
  /** 304: the client has it already; 200 by default. */
  readonly status?: 200 | 304;
  readonly type: string;
  /** A file is streamed from the disk, then closed. */
  readonly body: string | Uint8Array | FileHandle;
  readonly headers?: Readonly<Record<string, string>>;
}
