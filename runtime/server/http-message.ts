import type { FileHandle } from "node:fs/promises";
import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { TLSSocket } from "node:tls";
import type { z } from "zod";
import { type CoreCode, type ErrorBody, errorBody, invalidArgument, TendrilError } from "../errors.js";
import { parseJson } from "../wire/refusal.js";

/** The socket if it came over TLS. Only such a one is "encrypted" [nodejs.org/api/tls.html]; the class would load all of TLS. */
export const tlsSocketOf = ({ socket }: IncomingMessage): TLSSocket | undefined =>
  "encrypted" in socket ? (socket as TLSSocket) : undefined;

/** The body as text. Rejects as `readBytes` does. */
export const readBody = async (
  request: IncomingMessage,
  limit: number,
  signal?: AbortSignal,
): Promise<string> => (await readBytes(request, limit, signal)).toString("utf8");

/** The whole body. Rejects with REQUEST_TOO_LARGE beyond `limit` bytes, or with the reason of `signal`. */
export function readBytes(request: IncomingMessage, limit: number, signal?: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers["content-length"] ?? 0) > limit) throw tooLarge(limit);
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) reject(tooLarge(limit));
      else chunks.push(chunk);
    });
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("error", reject);
    request.once("close", () => reject(new Error("the client went away")));
    signal?.addEventListener("abort", () => reject(signal.reason as Error));
  });
}

/** Bytes; a person's claim, a code or a name has a few hundred at most. */
const LONGEST_FORM = 1024;

/** A short body by its schema; an empty one counts as {}. Throws INVALID_ARGUMENT, REQUEST_TOO_LARGE. */
export async function parsedBody<T>(schema: z.ZodType<T>, request: IncomingMessage): Promise<T> {
  const text = await readBody(request, LONGEST_FORM);
  const read = schema.safeParse(text === "" ? {} : parseJson(text));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue?.path.join(".") || "the body";
  throw invalidArgument(`${where}: ${issue?.message ?? ""}`);
}

const tooLarge = (limit: number): TendrilError =>
  new TendrilError("REQUEST_TOO_LARGE", `the request body is longer than ${limit} bytes`);

/** For an answer that no cache may keep. */
export const PRIVATE = { "Cache-Control": "no-store" };

/** RFC 9110, section 15; 507 is of RFC 4918. */
const STATUS: Readonly<Partial<Record<CoreCode, number>>> = {
  INVALID_ARGUMENT: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  PAIRING_REFUSED: 403,
  PAIRING_UNAVAILABLE: 403,
  SESSION_REFUSED: 403,
  PAGE_REFUSED: 403,
  ORIGIN_REFUSED: 403,
  NO_ROUTE: 404,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  REQUEST_TOO_LARGE: 413,
  BACKUP_FAILED: 503,
  DOCTOR_FAILED: 503,
  STORE_FAILED: 503,
  TOKENS_UNREAD: 503,
  NO_ROOM: 507,
  RATE_LIMITED: 503,
  STOPPING: 503,
};

/** Answers with `{"error": {code, message, retryable}}` and the status that fits. */
export function sendError(response: ServerResponse, error: unknown): void {
  const body = errorBody(error);
  sendJson(response, statusOf(error, body), { error: body }, headersOf(body));
}

export function sendJson(response: ServerResponse, status: number, body: object, headers = {}): void {
  if (response.headersSent) return void response.destroy();
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** Streams the file, then closes it: only one read and what the socket takes are in memory. */
export async function sendFile(
  response: ServerResponse,
  file: FileHandle,
  headers: OutgoingHttpHeaders,
): Promise<void> {
  try {
    response.writeHead(200, { "Content-Length": (await file.stat()).size, ...headers });
    if (response.req.method === "HEAD") response.end();
    else await pipeline(file.createReadStream({ autoClose: false }), response);
  } finally {
    await file.close();
  }
}

/** The same answer on a socket that has left Node's HTTP server (an upgrade, a request that did not parse). */
export function refuseSocket(socket: Duplex, error: unknown): void {
  if (!socket.writable) return void socket.destroy();
  const body = errorBody(error);
  const text = JSON.stringify({ error: body });
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    ...headersOf(body),
  };
  const lines = Object.entries({ ...headers, Connection: "close" }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const status = statusOf(error, body);
  socket.once("finish", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`);
}

/** A module's refusal that has changed nothing is the sender's to correct; any other code that has no status is a defect of ours. */
function statusOf(error: unknown, { code }: ErrorBody): number {
  const isRefusal = error instanceof TendrilError && error.kind.changed === "nothing";
  return STATUS[code as CoreCode] ?? (isRefusal ? 422 : 500);
}

function headersOf(body: ErrorBody): Record<string, string> {
  if (body.code === "UNAUTHORIZED") return { "WWW-Authenticate": "Bearer" }; // RFC 6750, section 3
  const allow = body.details?.allow;
  if (Array.isArray(allow)) return { Allow: allow.join(", ") }; // RFC 9110, section 15.5.6
  if (body.retry_after_s !== undefined) return { "Retry-After": String(body.retry_after_s) };
  return {};
}

/**
 * Headers of every answer. A route that needs another value sets it itself, and wins.
 * Sources: W3C CSP Level 3, Permissions Policy and Referrer Policy; WHATWG Fetch (nosniff, CORP), WHATWG HTML (COOP).
 */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  // only files and connections of this runtime; no inline code, no frames
  "Content-Security-Policy": [
    "default-src 'none'",
    ...["script", "style", "img", "font", "connect", "manifest"].map((kind) => `${kind}-src 'self'`),
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; "),
  "X-Content-Type-Options": "nosniff",
  // other sites must not see a signed photo link
  "Referrer-Policy": "no-referrer",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};

export function secure(response: ServerResponse): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
}
