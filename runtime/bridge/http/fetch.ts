import { type IncomingMessage, request as overHttp, type RequestOptions } from "node:http";
import { request as overHttps } from "node:https";
import { pipeline } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { VERSION } from "../../wire/program.js";
import { bytesOf } from "../../wire/secure-socket.js";
import { JobFailure } from "../adapter.js";
import { lookupFor, type OutsideAddress, type RefuseRedirect, redirected } from "./address.js";

/** A choice: a short link, and one move of the server behind it. */
const MAX_REDIRECTS = 4;

/** By what a server recognises that nothing has changed (RFC 9110, 8.8). */
export interface Validators {
  readonly etag: string | undefined;
  readonly modified: string | undefined;
}

export interface TextRequest {
  /** For messages, in which the address never stands: "the calendar's server". */
  readonly server: string;
  readonly address: OutsideAddress;
  /** The request header `Accept`. */
  readonly accept: string;
  /** Bytes of the answer, unpacked: more are a failure. */
  readonly most: number;
  readonly known?: Validators | undefined;
  /** Posted as JSON; without it the text is asked for. */
  readonly body?: string;
  /** Headers that hold a key. */
  readonly key?: KeyHeaders | undefined;
  /** No redirect is followed, also where neither body nor key would go elsewhere. */
  readonly stays?: boolean;
}

export type KeyHeaders = Readonly<Record<string, string>>;

/** [RFC 6750, 2.1] */
export const bearer = (key: string | undefined): KeyHeaders | undefined =>
  key === undefined ? undefined : { authorization: `Bearer ${key}` };

interface FetchedText {
  readonly text: string;
  readonly validators: Validators;
}

type Plain = TextRequest & { readonly known?: undefined };

/**
 * Fetches a text; "unchanged" only where `known` says of what. Throws JobFailure; no message has the address, or words of
 * the server: of an answer that is no text only the status is told.
 */
export function fetchText(request: Plain, signal: AbortSignal): Promise<FetchedText>;
export function fetchText(request: TextRequest, signal: AbortSignal): Promise<FetchedText | "unchanged">;
export async function fetchText(
  request: TextRequest,
  signal: AbortSignal,
): Promise<FetchedText | "unchanged"> {
  const { server } = request;
  try {
    return await read(await follow(request, signal), request);
  } catch (error) {
    if (error instanceof JobFailure) throw error;
    if (signal.aborted) throw new JobFailure("TOO_SLOW", `${server} took too long`);
    throw unreachable(error, server);
  }
}

const redirectRefused =
  (server: string): RefuseRedirect =>
  (where) =>
    new JobFailure("REDIRECT_REFUSED", `${server} redirects ${where}`);

async function follow(request: TextRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { address, server, body, key, stays = false } = request;
  // a redirect would carry body and key elsewhere
  const isBound = stays || body !== undefined || key !== undefined;
  const refused = redirectRefused(server);
  let { url } = address;
  for (let left = isBound ? 0 : MAX_REDIRECTS; ; left -= 1) {
    const answer = await ask(url, request, signal);
    const { statusCode = 0, headers } = answer;
    if (![301, 302, 303, 307, 308].includes(statusCode)) return answer;
    answer.destroy();
    if (left === 0) throw refused(isBound ? "elsewhere" : "too often");
    url = redirected(url, headers.location, address, refused);
  }
}

/** A new connection for each request; its certificate is checked as usual. */
function ask(url: URL, request: TextRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const lookup = lookupFor(url, request.address, redirectRefused(request.server));
  const options: RequestOptions = {
    agent: false,
    signal,
    method: request.body === undefined ? "GET" : "POST",
    headers: headersOf(request),
    ...(lookup && { lookup }),
  };
  const open = url.protocol === "https:" ? overHttps : overHttp;
  return new Promise((resolve, reject) => {
    open(url, options, resolve).on("error", reject).end(request.body);
  });
}

const headersOf = ({ accept, known, body, key }: TextRequest): Record<string, string> => ({
  "user-agent": `Tendril/${VERSION}`,
  accept,
  "accept-encoding": "gzip, deflate, br",
  ...(body !== undefined && {
    "content-type": "application/json",
    "content-length": `${Buffer.byteLength(body)}`,
  }),
  ...key,
  ...(known?.etag !== undefined && { "if-none-match": known.etag }),
  ...(known?.modified !== undefined && { "if-modified-since": known.modified }),
});

/** What was posted is there now, will be done, or needs no words: the text is empty then (RFC 9110, 15.3.2 to 15.3.5). */
const POSTED = [201, 202, 204];

async function read(answer: IncomingMessage, request: TextRequest): Promise<FetchedText | "unchanged"> {
  const { statusCode = 0, headers } = answer;
  if (statusCode === 304 && request.known) return answer.destroy() && "unchanged";
  if (statusCode === 200 || (request.body !== undefined && POSTED.includes(statusCode))) {
    const validators = { etag: headers.etag, modified: headers["last-modified"] };
    return { text: decoded(await bodyOf(answer, request), headers["content-type"]), validators };
  }
  answer.destroy();
  const hint = [401, 403, 404, 410].includes(statusCode) ? ": perhaps its address was withdrawn" : "";
  throw new JobFailure(`HTTP_${statusCode}`, `${request.server} answered ${statusCode}${hint}`);
}

/** Counted after unpacking: a small answer can unpack to a huge one. */
async function bodyOf(answer: IncomingMessage, { server, most }: TextRequest): Promise<Buffer> {
  const bytes = await bytesOf(unpacked(answer, server), most, () => {
    answer.destroy();
    return new JobFailure("TOO_LARGE", `${server} answers with more than ${most / 1e6} MB`);
  });
  if (!answer.complete) throw new JobFailure("CUT_OFF", `${server} ended in the middle`);
  return bytes;
}

const UNPACKERS = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

function unpacked(answer: IncomingMessage, server: string): AsyncIterable<Uint8Array> {
  const coding = answer.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (coding === "identity" || coding === "") return answer;
  if (!Object.hasOwn(UNPACKERS, coding))
    throw new JobFailure("UNKNOWN_CODING", `${server} packs in a way that is not known here`);
  const unpacker = UNPACKERS[coding as keyof typeof UNPACKERS]();
  return pipeline(answer, unpacker, () => undefined); // an error comes out of the unpacker
}

/** Texts are UTF-8 unless the server says otherwise (RFC 5545, 3.1.4; RFC 8259, 8.1). */
function decoded(bytes: Buffer, type = ""): string {
  const [, charset = "utf-8"] = /charset="?([\w-]+)/i.exec(type) ?? [];
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function unreachable(error: unknown, server: string): JobFailure {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code.startsWith("Z_") || code.startsWith("ERR_BROTLI") || code.startsWith("ERR__"))
    return new JobFailure("CUT_OFF", `${server} answers what cannot be unpacked`);
  if (code === "ECONNRESET") return new JobFailure("CUT_OFF", `${server} ended in the middle`);
  return notReached(code, server);
}

/** By the code alone: messages of the system name the server. */
export function notReached(code: string, server: string): JobFailure {
  if (/CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO/.test(code)) {
    const what = `this computer does not trust the certificate of ${server} (${code})`;
    return new JobFailure("CERTIFICATE", what);
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return new JobFailure("UNREACHABLE", `the name of ${server} cannot be looked up (${code})`);
  return new JobFailure("UNREACHABLE", `${server} cannot be reached (${code || "no reason"})`);
}
