import { createHash } from "node:crypto";
import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import { z } from "zod";
import { isObject, parseJson } from "../../runtime/wire/refusal.js";
import { askServer, type Chosen, type Hosted, hosted, OptionalParts } from "./ask-server.js";
import { argumentsOf, functionTools, type Shown, samplingFor, withPictures } from "./conversation.js";
import { PATIENCE, patiently } from "./http.js";
import type { Asked, AskOptions, Model, Picture, Question, Reply } from "./model.js";
import { attempt, kindOf, Refused, UnfitAnswer } from "./model-error.js";
import { readCompletion } from "./read-reply.js";

const BASE_URL = "https://api.openai.com/v1";

/** OpenAI's reasoning models accept only the first (API reference, "Create chat completion"), most other servers the second. */
const LIMITS = ["max_completion_tokens", "max_tokens"] as const;
/** Possible names for the limit of a reply, the more likely first. */
export const limitNames = (isOpenAis: boolean): readonly string[] =>
  isOpenAis ? LIMITS : LIMITS.toReversed();

/** A model behind OpenAI's chat completions, or behind any compatible server at OPENAI_BASE_URL. */
export class OpenAiModel implements Model {
  readonly name: string;
  private readonly server: Hosted;
  /** All of a request but model, messages and tools: a reasoning model, for one, refuses a temperature. */
  private readonly optional = new OptionalParts("response_format");

  constructor(private readonly chosen: Chosen) {
    this.name = chosen.name;
    this.server = hosted(chosen, BASE_URL);
  }

  respond(...asked: Asked): Promise<Reply> {
    return askServer(asked, this.chosen, this.server, {
      send: (question, signal) => this.send(question, signal),
      read: readCompletion,
    });
  }

  identity(signal: AbortSignal): Promise<string | undefined> {
    const { baseURL, key, wording } = this.server;
    const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
    return attempt(signal, wording, (own) =>
      listedIdentity(this.chosen.model, () => patiently(`${baseURL}/models`, { headers, signal: own })),
    );
  }

  /** Loads the package when it is first needed, with all options that it would else read from the environment. */
  private async client() {
    const { default: OpenAI } = await import("openai");
    return new OpenAI({
      apiKey: this.server.key ?? "none",
      baseURL: this.server.baseURL,
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      logLevel: "off",
      fetch: patiently,
      timeout: PATIENCE,
      // RetryingModel repeats requests.
      maxRetries: 0,
    });
  }

  /** Not streamed: nobody reads along, and only a whole call is useful. */
  private async send(question: Question, signal: AbortSignal): Promise<unknown> {
    const { chat } = await this.client();
    const { tools, options } = question;
    const { model, sees, replyTokens } = this.chosen;
    const partsOf = (isRefused: (name: string) => boolean) => {
      const limit = limitNames(this.server.isOwn).find((name) => !isRefused(name));
      return {
        ...samplingFor(options),
        ...(limit && { [limit]: replyTokens }),
        ...(options.schema && { response_format: responseFormat(options.schema) }),
      };
    };
    return this.optional.send(question, partsOf, (parts, conversation) => {
      const request: ChatCompletionCreateParamsNonStreaming = {
        model,
        // Chat completions do not tell whether a model sees pictures: only a person can.
        messages: withPictures(conversation, sees === true).map(chatMessage),
        ...(tools.length > 0 && { tools: functionTools(tools) }),
        ...parts,
      };
      return chat.completions.create(request, { signal });
    });
  }
}

/** OpenAI, "Structured model outputs"; llama.cpp, vLLM, LM Studio and Ollama accept the same. */
const responseFormat = (schema: NonNullable<AskOptions["schema"]>) => ({
  type: "json_schema" as const,
  json_schema: { name: "answer", schema: { ...schema }, strict: true },
});

function chatMessage(message: Shown): ChatCompletionMessageParam {
  const { role, content } = message;
  if (role === "pictures")
    return { role: "user", content: [{ type: "text", text: content }, ...message.images.map(imagePart)] };
  if (role === "tool") return { role, content, tool_call_id: message.toolCallId };
  if (role !== "assistant" || message.toolCalls.length === 0) return { role, content };
  const tool_calls = message.toolCalls.map((call) => ({
    id: call.id,
    type: "function" as const,
    function: { name: call.name, arguments: JSON.stringify(argumentsOf(call)) },
  }));
  return { role, content, tool_calls };
}

/** As a data URL (OpenAI, "Images and vision"). */
const imagePart = ({ type, data }: Picture) => ({
  type: "image_url" as const,
  image_url: { url: `data:${type};base64,${data}` },
});

const entry = z.looseObject({ id: z.string() });
type Entry = z.output<typeof entry>;
const listing = z.object({ data: z.array(entry).min(1) });

/**
 * Fields that identify the weights in an entry of GET /models: llama.cpp's `meta`, vLLM's `root` (the folder or repository),
 * OpenRouter's `canonical_slug`. Not `created`, which llama.cpp and vLLM set to the time of the request; not `permission`
 * (vLLM, random) or `status` (llama.cpp, whether it is loaded).
 */
const TELLING = ["meta", "root", "canonical_slug"] as const;
/** Fields of llama.cpp's `meta`. Not n_ctx, which is an option of the server. */
const META = ["vocab_type", "n_vocab", "n_ctx_train", "n_embd", "n_params", "size"] as const;

/** A hash of a model's entry in the server's list; undefined if there is no list, or it has only names. */
async function listedIdentity(model: string, list: () => Promise<Response>): Promise<string | undefined> {
  const body = await list().then((response) => response.text(), nothingTold);
  const { data } = listing.safeParse(parseJson(body ?? ""));
  const found = data && entryOf(model, data.data);
  const told = found && pick(found, TELLING);
  if (!told || Object.keys(told).length === 0) return undefined;
  const { meta, ...rest } = told;
  return hashOf({ ...rest, ...(isObject(meta) && pick(meta, META)) });
}

/** A server with a single model uses it for any name (llama.cpp). */
const entryOf = (model: string, entries: readonly Entry[]): Entry | undefined =>
  entries.find(({ id }) => id === model) ?? (entries.length === 1 ? entries[0] : undefined);

/** Undefined for a server without a list; rethrows for one that is busy or loading. */
function nothingTold(error: unknown): undefined {
  const hasNone = error instanceof UnfitAnswer || (error instanceof Refused && kindOf(error) !== "away");
  if (!hasNone) throw error;
}

/** In the order of `keys`. */
const pick = (from: Readonly<Record<string, unknown>>, keys: readonly string[]) =>
  Object.fromEntries(keys.flatMap((key) => (from[key] == null ? [] : [[key, from[key]]])));

const hashOf = (told: unknown): string =>
  `sha256:${createHash("sha256").update(JSON.stringify(told)).digest("hex")}`;
