import { isObject, parseJson } from "../../runtime/wire/refusal.js";
import { ChildSignal, type Millis, seconds } from "../clock.js";
import type { Usage } from "./model.js";

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

/** An answer that a repeat would not change: a web page, a stream of events, one without an end. */
export class UnfitAnswer extends Error {
  constructor(
    readonly kind: FailureKind,
    readonly inWords: (wording: Wording) => string,
  ) {
    super("an unfit answer");
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
  const own = new ChildSignal(signal);
  try {
    return await request(own.signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof ModelError ? error : failureOf(error, wording);
  } finally {
    own.abort();
  }
}

/** Node's codes for an unreachable server, and for a broken connection. */
const AWAY = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"]);
const BROKEN_OFF = new Set(["ECONNRESET", "EPIPE"]);
const TOO_LATE = /\btimed out\b/;

function failureOf(error: unknown, wording: Wording): ModelError {
  const { server, toReach, secret } = wording;
  const chain = causesOf(error);
  const refusal = refusalIn(error);
  if (refusal) return refused(refusal, wording);
  const unfit = chain.find((each) => each instanceof UnfitAnswer);
  if (unfit) return new ModelError(unfit.inWords(wording), unfit.kind);
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
  const never = NEVER.has(status) ? `, and waiting does not help: ${toReach}` : "";
  const words = refused(status, said, kind) ?? `${server} answered ${status}: ${said}${never}`;
  return new ModelError(words, kind, { retryAfter: details.retryAfter });
}

function mishap(chain: readonly Error[]): string | undefined {
  if (chain.some(({ message }) => TOO_LATE.test(message))) return LATE;
  const isBroken = (error: Error) => error instanceof SyntaxError || BROKEN_OFF.has(codeOf(error) ?? "");
  return chain.some(isBroken) ? BROKEN : undefined;
}

const LATE = "did not answer in time: take a smaller model or a faster computer, and look at the network";
const BROKEN = "sent an answer that broke off or is not JSON: look at its log, and at proxies on the way";

function causesOf(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

const codeOf = (error: Error): string | undefined =>
  "code" in error && typeof error.code === "string" ? error.code : undefined;

/** A choice, a line and a half: some servers answer with a page. */
const LONGEST_QUOTE = 200;

export function printable(text: string, secret: string | undefined): string {
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

interface RefusalDetails {
  /** The parameter that the server names as wrong. */
  readonly param?: string | undefined;
  /** The server's code and type, such as "context_length_exceeded". */
  readonly code?: string | undefined;
  readonly retryAfter?: Millis | undefined;
}

export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly said: string,
    readonly details: RefusalDetails = {},
  ) {
    // Without the server's message: OpenAI's package replaces errors that contain "timed out".
    super(`refused with status ${status}`);
  }
}

/** The refusal that an error of a package stands for. */
export const refusalIn = (error: unknown): Refused | undefined =>
  causesOf(error).find((each) => each instanceof Refused);

/** A fetch that throws for every error status: packages drop messages that are not in OpenAI's format. */
export const rejectingRefusals =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await send(input, init);
    if (!response.ok) {
      const body = await response.text();
      throw refusalOf(response.status, parseJson(body) ?? body, retryAfter(response.headers));
    }
    return response;
  };

export function refusalOf(status: number, body: unknown, pause?: Millis): Refused {
  const [first] = [body].flat(); // Google's chat completions put the error into a list
  const error = isObject(first) && isObject(first.error) ? first.error : first;
  const { param, code, type } = isObject(error) ? error : {};
  const codes = [code, type].filter((each) => typeof each === "string").join(" ");
  return new Refused(status, wordsIn(body) ?? "(no words)", {
    param: typeof param === "string" ? param : undefined,
    code: codes || undefined,
    retryAfter: pause ?? pauseIn(error),
  });
}

/** OpenAI and llama.cpp: error.message. Ollama and LM Studio: error. vLLM: message. FastAPI: detail, a text or a list of msg. */
const PLACES = ["error", "message", "detail", "msg"] as const;

/** The first message in an error's body. It may be JSON again, if a server passes on another's error. */
export function wordsIn(body: unknown): string | undefined {
  if (typeof body === "string") {
    const inner = parseJson(body);
    return (typeof inner === "object" ? wordsIn(inner) : undefined) ?? (body.trim() || undefined);
  }
  if (Array.isArray(body)) return body.map(wordsIn).filter(Boolean).join("; ") || undefined;
  if (!isObject(body)) return undefined;
  const words = PLACES.map((place) => wordsIn(body[place])).find((each) => each !== undefined);
  return words && withPlace(words, body);
}

/** FastAPI names the field in `loc`; OpenRouter puts the original message into `metadata.raw`. */
function withPlace(words: string, { loc, metadata }: Readonly<Record<string, unknown>>): string {
  const raw = isObject(metadata) ? wordsIn(metadata.raw) : undefined;
  const where = Array.isArray(loc) ? `${loc.join(".")}: ` : "";
  return raw === undefined ? `${where}${words}` : `${words}: ${raw}`;
}

/** RFC 9110, section 10.2.3: seconds, or a date. Compared with the answer's own date, since our clock may be wrong. */
function retryAfter(headers: Headers): Millis | undefined {
  const given = headers.get("retry-after") ?? "";
  const until = (date: string) => (date.endsWith("GMT") ? Date.parse(date) : Number.NaN);
  const wait = /^\d+$/.test(given) ? seconds(Number(given)) : until(given) - until(headers.get("date") ?? "");
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}

/** Google sends no header: `retryDelay`, such as "37.5s", is among the error's details (google.rpc.RetryInfo). */
function pauseIn(error: unknown): Millis | undefined {
  const details = isObject(error) ? [error.details].flat() : [];
  const delays = details.map((each) => (isObject(each) ? String(each.retryDelay) : ""));
  const given = delays.find((each) => /^\d+(?:\.\d+)?s$/.test(each));
  return given === undefined ? undefined : seconds(Number.parseFloat(given));
}

/** RFC 9110, section 15.5.9; RFC 8470, section 5.2; RFC 6585, section 4. Any 5xx may pass too, except NEVER. */
const ASK_LATER = new Set([408, 425, 429]);
/** Never change: RFC 9110, sections 15.6.2 and 15.6.6; RFC 6585, section 6 (a network's log-in page). */
const NEVER = new Set([501, 505, 511]);

/** Messages of llama.cpp, vLLM, Ollama, OpenAI (code), TabbyAPI, Anthropic, Groq and Google, all with OpenAI's API. */
const CONTEXT =
  /context[ _](?:size|length|window)|\bn_ctx\b|max_seq_len|prompt is too long|reduce the length of the messages|exceeds the maximum number of tokens/i;
/** llama.cpp: "Jinja Exception: tools are not supported". Ollama: "template: :3: function … not defined". */
const TEMPLATE = /jinja|template/i;
/**
 * llama.cpp: "The model produced output that does not match the expected peg-native format", "Failed to parse input at
 * pos 0", "Failed to parse tool call arguments as JSON". Ollama: "error parsing tool call", "failed to parse JSON".
 */
const UNREADABLE = /output\b.*\bformat|\b(?:fail\w*|error|cannot|unable)\b.*\bpars(?:e|ing)\b/i;
/** Groq's code and message, with status 400. */
const FAILED_CALL = /tool_use_failed|failed to call a function/i;
/** Not the model's output: the grammar is made from our schema. */
const GRAMMAR = /grammar|schema/i;

/** What helps after a refusal, as a kind of ModelError. An error with status 200 and no code counts like a 5xx. */
export function kindOf({
  status,
  said,
  details: { code = "" },
}: Refused): "away" | "cycle" | "garbled" | "person" {
  if (ASK_LATER.has(status)) return "away";
  if (CONTEXT.test(`${said} ${code}`)) return "cycle";
  if (FAILED_CALL.test(`${said} ${code}`)) return "garbled";
  const isServers = (status >= 500 && !NEVER.has(status)) || status === 200;
  if (!isServers || TEMPLATE.test(said)) return "person";
  return UNREADABLE.test(said) && !GRAMMAR.test(said) ? "garbled" : "away";
}
