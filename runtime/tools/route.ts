import type { FileHandle } from "node:fs/promises";
import type { Allowed } from "../wire/identity.js";

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
