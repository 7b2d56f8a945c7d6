import type { Millis } from "../units.js";
import type { Usage } from "./model.js";
import { isForGood, kindOf, Refused } from "./refusal.js";

/**
 * What helps. `away`: time; as far as servers tell, nothing was computed. `broken`: time; part of a reply may have been
 * computed, and paid for. `person`: somebody has to change something. `cycle`: a new conversation; this one took too many
 * tokens or too long. `limit`: the next day. `garbled`: another seed; the answer cannot be parsed. `incomplete`: all replies
 * came, but the cycle was not completed; no ModelError has this kind.
 */
export type FailureKind = "away" | "broken" | "person" | "cycle" | "limit" | "garbled" | "incomplete";

/** The model gave no usable reply; the message says why, where, and what a person does next. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly retryAfter: Millis | undefined;
  /** Tokens of an unusable reply, which are paid for all the same. */
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

/** A web page instead of an answer: no model is at this address, and waiting does not help. */
export class WebPage extends Error {
  /** `url`: the address of the request. */
  constructor(
    readonly url: string,
    readonly page: string,
  ) {
    super("a web page");
  }
}

/** A reply as a stream, although a whole one was asked for. */
export class EventStream extends Error {
  constructor() {
    super("an event stream");
  }
}

/** Larger than any reply. */
export class TooLong extends Error {
  constructor(bytes: number) {
    super(`sent more than ${bytes / 1_000_000} MB for one reply: look at its log, and at proxies on the way`);
  }
}

/** The wording of one server's failures. */
export interface Wording {
  /** Name and address, such as "Ollama at http://127.0.0.1:11434". */
  readonly server: string;
  /** What to do if nothing answers, or another program does. */
  readonly toReach: string;
  /** What a refusal means and what to do; undefined: quote the server's own message. */
  refused(status: number, said: string, kind: FailureKind): string | undefined;
  /** Never shown, even if the server's message contains it. */
  readonly secret?: string | undefined;
}

/**
 * Runs one request with its own signal: packages do not remove their listeners, and the agent's signal lives as long as the
 * agent. Rejects with the agent's reason or with a ModelError. That has no cause, since errors of packages can contain the
 * request with the key.
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

/** Node's codes for an unreachable server, and for a broken connection. */
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

/** Answers that a repeat would not change. */
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

/** A choice, a line and a half: some servers answer with a page. */
const LONGEST_QUOTE = 200;

function printable(text: string, secret: string | undefined): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, " ").trim();
  const clean = secret ? line.replaceAll(secret, "[key]") : line;
  return clean.length > LONGEST_QUOTE ? `${clean.slice(0, LONGEST_QUOTE)}…` : clean;
}

interface Limited {
  readonly server: string;
  readonly name: string;
  /** Most tokens of one reply. */
  readonly limit: number;
}

/** The error for a reply that ended early, by our limit or the server's. */
export function cutOff({ server, name, limit }: Limited, usage: Usage | undefined): ModelError {
  const written = usage?.output ?? 0;
  const words =
    written > 0 && written < limit
      ? `${server} cut ${name}'s reply off after ${written} tokens, less than our limit of ${limit}: its context is full, or it has a limit of its own`
      : `${name}'s reply was cut off at the limit of ${limit} tokens: a model that repeats itself has no end; take another one, or set reply_tokens in the agent's configuration`;
  return new ModelError(words, "cycle", { usage });
}
