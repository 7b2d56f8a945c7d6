import type { Millis } from "../units.js";
import type { Usage } from "./model.js";
import { isForGood, kindOf, Refused } from "./refusal.js";

/**
 * What helps. `away`: time; nothing was worked on, as far as servers tell. `broken`: time; part of a reply may have been
 * worked out, and paid for. `person`: somebody has to change something. `cycle`: a new conversation; this one has taken too
 * many tokens, or too long. `limit`: the next day. `garbled`: another seed; the model answered, but nobody can parse it.
 * `incomplete` is a cycle in which every reply came and the work was not done. No ModelError has that kind.
 */
export type FailureKind = "away" | "broken" | "person" | "cycle" | "limit" | "garbled" | "incomplete";

/** No reply came from the model; the message says why, where, and what a person does next. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  /** The server asks for this pause before the next request. */
  readonly retryAfter: Millis | undefined;
  /** Of a reply that came, and is of no use: it is paid for all the same. */
  readonly usage: Usage | undefined;

  constructor(
    message: string,
    readonly kind: FailureKind,
    { retryAfter, usage }: FailureDetails = {},
  ) {
    super(message);
    this.retryAfter = retryAfter;
    this.usage = usage;
  }
}

interface FailureDetails {
  readonly retryAfter?: Millis | undefined;
  readonly usage?: Usage | undefined;
}

/** A web page where an answer should be: no model listens at this address, and waiting brings none. */
export class WebPage extends Error {
  /** `url` is what was asked. */
  constructor(
    readonly url: string,
    readonly page: string,
  ) {
    super("a web page");
  }
}

/** A reply in pieces, where a whole one was asked for. */
export class EventStream extends Error {
  constructor() {
    super("an event stream");
  }
}

/** More than any reply is. */
export class TooLong extends Error {
  constructor(bytes: number) {
    super(`sent more than ${bytes / 1_000_000} MB for one reply: look at its log, and at proxies on the way`);
  }
}

/** How the failures of one server are worded. */
export interface Wording {
  /** Who and where, such as "Ollama at http://127.0.0.1:11434". */
  readonly server: string;
  /** What to do where nobody answers, or somebody else does. */
  readonly toReach: string;
  /** What a refusal means, with what to do about it; undefined where the server's own words must do. */
  refused(status: number, said: string, kind: FailureKind): string | undefined;
  /** Never shown, even if the server repeats it. */
  readonly secret?: string | undefined;
}

/**
 * Runs one request with a signal of its own: packages leave their listeners behind, and the agent's signal lives as
 * long as the agent. Rejects with the agent's reason or with a ModelError, which has no cause: what packages throw
 * can hold the request, and in it the key.
 */
export async function attempt<T>(
  signal: AbortSignal,
  wording: Wording,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const own = new AbortController();
  const abort = () => own.abort(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    return await request(own.signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof ModelError ? error : failureOf(error, wording);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Node's codes for a server to which there is no way, and for one that hung up. */
const AWAY = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"]);
const BROKEN_OFF = new Set(["ECONNRESET", "EPIPE"]);
const TOO_LATE = /\btimed out\b/;

function failureOf(error: unknown, wording: Wording): ModelError {
  const { server, toReach, secret } = wording;
  const chain = causesOf(error);
  const refusal = chain.find((each) => each instanceof Refused);
  if (refusal) return refused(refusal, wording);
  const unfit = unfitAnswer(chain, wording);
  if (unfit) return unfit;
  const code = chain.map(codeOf).find((each) => each !== undefined);
  if (code !== undefined && AWAY.has(code))
    return new ModelError(`${server} cannot be reached (${code}): ${toReach}`, "away");
  const said = printable(chain[0]?.message ?? String(error), secret);
  return new ModelError(`${server} ${mishap(chain) ?? `failed: ${said}`}`, "broken");
}

function refused(refusal: Refused, { server, toReach, refused, secret }: Wording): ModelError {
  const { status, details } = refusal;
  const kind = kindOf(refusal);
  const said = printable(refusal.said, secret);
  const never = isForGood(status) ? `, which time does not mend: ${toReach}` : "";
  const words = refused(status, said, kind) ?? `${server} answered ${status}: ${said}${never}`;
  return new ModelError(words, kind, { retryAfter: details.retryAfter });
}

/** What would be the same again. */
function unfitAnswer(chain: readonly Error[], { server, toReach, secret }: Wording): ModelError | undefined {
  for (const each of chain) {
    if (each instanceof WebPage)
      return new ModelError(
        `${each.url} answered with a web page (${printable(each.page, secret)}): ${toReach}`,
        "person",
      );
    if (each instanceof EventStream) return new ModelError(`${server} ${STREAMED}`, "person");
    if (each instanceof TooLong) return new ModelError(`${server} ${each.message}`, "cycle");
  }
  return undefined;
}

function mishap(chain: readonly Error[]): string | undefined {
  if (chain.some(({ message }) => TOO_LATE.test(message))) return LATE;
  return chain.some((each) => isBrokenAnswer(each)) ? BROKEN : undefined;
}

const LATE = "did not answer in time: take a smaller model or a faster computer, and look at the network";
const STREAMED =
  "sends a stream of events, although a whole answer was asked for: switch streaming off there, or in a proxy on the way";
const BROKEN = "sent an answer that broke off or is not JSON: look at its log, and at proxies on the way";

function causesOf(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

const codeOf = (error: Error): string | undefined =>
  "code" in error && typeof error.code === "string" ? error.code : undefined;

const isBrokenAnswer = (error: Error): boolean =>
  error instanceof SyntaxError || BROKEN_OFF.has(codeOf(error) ?? "");

/** A line and a half: some servers answer with a page. */
const LONGEST_QUOTE = 200;

function printable(text: string, secret: string | undefined): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, " ").trim();
  const clean = secret ? line.replaceAll(secret, "[key]") : line;
  return clean.length > LONGEST_QUOTE ? `${clean.slice(0, LONGEST_QUOTE)}…` : clean;
}

interface Limited {
  readonly server: string;
  /** Of the model. */
  readonly name: string;
  /** Tokens of one reply. */
  readonly limit: number;
}

/** For a reply that ended in the middle, by our limit or by one of the server. */
export function cutOff({ server, name, limit }: Limited, usage: Usage | undefined): ModelError {
  const written = usage?.output ?? 0;
  const words =
    written > 0 && written < limit
      ? `${server} cut ${name}'s reply off after ${written} tokens, less than our limit of ${limit}: its context is full, or it has a limit of its own`
      : `${name}'s reply was cut off at the limit of ${limit} tokens: a model that repeats itself has no end; take another one, or set reply_tokens in the agent's configuration`;
  return new ModelError(words, "cycle", { usage });
}
