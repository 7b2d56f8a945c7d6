import { isObject, parseJson } from "../../runtime/wire/refusal.js";
import { type Millis, seconds } from "../units.js";

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

export function refusalIn(error: unknown): Refused | undefined {
  if (error instanceof Refused) return error;
  return error instanceof Error ? refusalIn(error.cause) : undefined;
}

/** A fetch that throws for every error status: packages drop messages that are not in OpenAI's format. */
export const rejectingRefusals =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await send(input, init);
    if (!response.ok) throw readRefusal(response.status, await response.text(), response.headers);
    return response;
  };

const readRefusal = (status: number, body: string, headers: Headers): Refused =>
  refusalOf(status, parseJson(body) ?? body, retryAfter(headers));

export function refusalOf(status: number, body: unknown, pause?: Millis): Refused {
  const error = isObject(body) && isObject(body.error) ? body.error : body;
  const { param, code, type } = isObject(error) ? error : {};
  const codes = [code, type].filter((each) => typeof each === "string").join(" ");
  return new Refused(status, wordsIn(body) ?? "(no words)", {
    param: typeof param === "string" ? param : undefined,
    code: codes || undefined,
    retryAfter: pause,
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

/** RFC 9110, section 15.5.9; RFC 8470, section 5.2; RFC 6585, section 4. Any 5xx may pass too, except NEVER. */
const ASK_LATER = new Set([408, 425, 429]);
/** Never change: RFC 9110, sections 15.6.2 and 15.6.6; RFC 6585, section 6 (a network's log-in page). */
const NEVER = new Set([501, 505, 511]);
export const isForGood = (status: number): boolean => NEVER.has(status);

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

/** RFC 9110, sections 15.5.1 and 15.5.21: OpenAI and llama.cpp send the first, FastAPI and Mistral the second. */
const BAD_REQUEST = new Set([400, 422]);
/** Codes and messages of OpenAI; litellm; Mistral and vLLM ("extra inputs are not permitted"). */
const UNSUPPORTED =
  /unsupported|not support|n't support|unrecogni[sz]ed|unknown|unexpected|extra_forbidden|not permitted|not allowed/i;
/** llama.cpp: "failed to parse grammar". DeepSeek: "This response_format type is unavailable now". Ollama: "format". */
const OF_SCHEMA = /response_format|json_schema|grammar|\bschema\b|\bformat\b/i;
const HOLDS_SCHEMA: ReadonlySet<string> = new Set(["response_format", "format"]);

/** The one of `parts` that a server does not support; undefined if the request failed for another reason. */
export function refusedPart(error: unknown, parts: readonly string[]): string | undefined {
  const refusal = refusalIn(error);
  if (!refusal || !BAD_REQUEST.has(refusal.status)) return undefined;
  const { param = "", code = "" } = refusal.details;
  const words = `${refusal.said} ${code}`;
  return parts.find((part) => {
    if (HOLDS_SCHEMA.has(part) && OF_SCHEMA.test(`${words} ${param}`)) return true;
    return UNSUPPORTED.test(words) && (param === part || new RegExp(`\\b${part}\\b`).test(words));
  });
}
