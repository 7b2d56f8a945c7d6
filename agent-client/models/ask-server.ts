import { parseJson } from "../../runtime/wire/refusal.js";
import type { JsonSchema } from "../link/tools.js";
import { type Answer, assertToolsSeen, questionOf, replyTo } from "./conversation.js";
import { type Environment, httpAddress, keyIn, shown } from "./http.js";
import type { Asked, Message, Question, Reply, Usage } from "./model.js";
import { attempt, cutOff, ModelError, refusalIn, UnfitAnswer, type Wording } from "./model-error.js";
import { assertNoError } from "./read-reply.js";

/** A model as a person chose it. */
export interface Chosen {
  /** PROVIDER:NAME. */
  readonly name: string;
  readonly provider: string;
  /** NAME alone. */
  readonly model: string;
  readonly env: Environment;
  /** What `--vision` says. Undefined: as the provider knows. */
  readonly sees: boolean | undefined;
  /** Most tokens of one reply. */
  readonly replyTokens: number;
}

export interface Server {
  readonly wording: Wording;
  /**
   * Whether it is the provider's own, whose models the provider knows. Another one may run any model: one that sees no
   * pictures, or whose template drops the tools.
   */
  readonly isOwn: boolean;
}

/** What differs between the APIs. */
interface Api {
  send(question: Question, signal: AbortSignal): Promise<unknown>;
  /** Undefined: the answer is not in the form of this API. */
  read(answer: unknown): Answer | undefined;
}

/** Asks a server once. Rejects with the signal's reason, or with a ModelError if the answer is no usable reply. */
export function askServer(
  [conversation, tools, signal, options = {}]: Asked,
  chosen: Chosen,
  server: Server,
  { send, read }: Api,
): Promise<Reply> {
  const question = questionOf(conversation, tools, options);
  return attempt(signal, server.wording, async (own) => {
    const sent = await send(question, own);
    const body = typeof sent === "string" ? parseJson(sent) : sent;
    assertNoError(body);
    const answer = read(body);
    if (!answer) throw OF_ANOTHER_API;
    return usable(answer, question, chosen, server);
  });
}

const OF_ANOTHER_API = new UnfitAnswer(
  "person",
  ({ server, toReach }) => `${server} does not answer with a reply in the form of its API: ${toReach}`,
);

function usable(answer: Answer, question: Question, chosen: Chosen, server: Server): Reply {
  const { conversation, tools } = question;
  const reply = replyTo(conversation, answer);
  if (!server.isOwn && answer.countsAll !== false)
    assertToolsSeen({ name: chosen.name, conversation, tools }, reply);
  if (answer.end) throw unusable(answer.end, reply.usage, chosen, server);
  return reply;
}

function unusable(
  end: NonNullable<Answer["end"]>,
  usage: Usage | undefined,
  { name, replyTokens: limit }: Chosen,
  { wording: { server } }: Server,
): ModelError {
  if (end === "cut") return cutOff({ server, name, limit }, usage);
  const words = `${server} ended ${name}'s reply ${end.words}: if it comes often, take another model`;
  return new ModelError(words, end.kind, { usage });
}

/** A provider's server, or another one with the same API. */
export interface Hosted extends Server {
  readonly baseURL: string;
  /** Undefined: another server, which needs none. */
  readonly key: string | undefined;
}

/** `openai` reads OPENAI_BASE_URL and OPENAI_API_KEY. */
const namesFor = (provider: string) => ({
  address: `${provider.toUpperCase()}_BASE_URL`,
  variable: `${provider.toUpperCase()}_API_KEY`,
});

/** The variables of a hosted provider, for its line in index.ts. */
export function hostedVariables(provider: string) {
  const { address, variable } = namesFor(provider);
  return {
    variables: `${variable}, or ${address} for another such server`,
    secrets: [variable],
  };
}

/**
 * The server that the environment names, else the provider's `own`. Throws, with what to write instead, if it cannot be used.
 */
export function hosted({ provider, model, env }: Chosen, own: string): Hosted {
  const { address, variable } = namesFor(provider);
  const baseURL = shown(httpAddress(address, env[address]?.trim() || own));
  const key = keyIn(variable, env);
  const isOwn = baseURL === own;
  if (!key && isOwn)
    throw new Error(`${variable} is not set: give it a key, or name another server in ${address}`);
  return { baseURL, key, isOwn, wording: wordingOf(baseURL, model, provider, key) };
}

function wordingOf(server: string, model: string, provider: string, secret: string | undefined): Wording {
  const { address, variable } = namesFor(provider);
  const unversioned = /\/v\d/.test(server) ? "" : ", which has no version such as /v1";
  return {
    server,
    toReach: `check ${address} and the network`,
    secret,
    refused(status, said, kind) {
      if (/does not support tools/.test(said)) return `${model} cannot call tools: take one that can`;
      if (kind === "cycle")
        return `the conversation does not fit ${model}'s context (${said}): give its server a longer one, or ask for decisions with --style decide`;
      if (status === 401) return `${server} refuses the key: set ${variable} to one that is valid there`;
      if (status === 404)
        return `${server} has no model "${model}": check the name, and ${address}${unversioned} (${said})`;
      if (status === 429)
        return `${server} takes no more for now: look at your limits and credit there (${said})`;
      return undefined;
    },
  };
}

type Parts = Readonly<Record<string, unknown>>;

/**
 * The parts of a request that a server may not support, such as a seed. A part that it refuses is left out from then on. A schema
 * that is left out is asked for in words.
 */
export class OptionalParts {
  private readonly refused = new Set<string>();

  /** `schemaPart`: the name of the part with the schema. Undefined: the API has none. */
  constructor(private readonly schemaPart?: string) {}

  /**
   * `partsOf` gives the parts, each by the name that a refusal of the server says. `post` sends those that are left, each in
   * its place in the request, with the conversation to send.
   */
  async send<T>(
    { conversation, options: { schema } }: Question,
    partsOf: (isRefused: (name: string) => boolean) => Parts,
    post: (parts: Parts, conversation: readonly Message[]) => Promise<T>,
  ): Promise<T> {
    for (;;) {
      const parts = this.supported(partsOf((name) => this.refused.has(name)));
      const inWords = schema && !Object.hasOwn(parts, this.schemaPart ?? "");
      try {
        return await post(parts, inWords ? askingForJson(conversation, schema) : conversation);
      } catch (error) {
        const part = this.refusedPart(error, Object.keys(parts));
        if (part === undefined) throw error;
        this.refused.add(part);
      }
    }
  }

  private supported(parts: Parts): Parts {
    return Object.fromEntries(Object.entries(parts).filter(([name]) => !this.refused.has(name)));
  }

  /** The one of `parts` that a server does not support; undefined if the request failed for another reason. */
  private refusedPart(error: unknown, parts: readonly string[]): string | undefined {
    const refusal = refusalIn(error);
    if (!refusal || !BAD_REQUEST.has(refusal.status)) return undefined;
    const { param = "", code = "" } = refusal.details;
    const words = `${refusal.said} ${code} ${param}`;
    return parts.find((part) => {
      const isNamed = new RegExp(`\\b${part}\\b`).test(words);
      return part === this.schemaPart ? isNamed || OF_SCHEMA.test(words) : isNamed && UNSUPPORTED.test(words);
    });
  }
}

/** For a server that cannot enforce a schema: the last user message asks for it. */
function askingForJson(conversation: readonly Message[], schema: JsonSchema): readonly Message[] {
  const last = conversation.findLastIndex(({ role }) => role === "user");
  const wanted = `Answer with one JSON text of this schema, and with nothing else: ${JSON.stringify(schema)}`;
  if (last < 0) return [...conversation, { role: "user", content: wanted }];
  return conversation.map((message, index) =>
    index === last ? { role: "user", content: `${message.content}\n\n${wanted}` } : message,
  );
}

/** RFC 9110, sections 15.5.1 and 15.5.21: OpenAI and llama.cpp send the first, FastAPI and Mistral the second. */
const BAD_REQUEST = new Set([400, 422]);
/** Codes and messages of OpenAI; litellm; Mistral and vLLM ("extra inputs are not permitted"); Anthropic ("deprecated"). */
const UNSUPPORTED =
  /unsupported|not support|n't support|unrecogni[sz]ed|unknown|unexpected|extra_forbidden|not permitted|not allowed|deprecated/i;
/**
 * llama.cpp: "failed to parse grammar". DeepSeek: "This response_format type is unavailable now". Ollama: "format". OpenAI:
 * "json_schema". Anthropic: "structured outputs".
 */
const OF_SCHEMA = /grammar|(?:\b|_)(?:schema|format)(?:\b|_)|structured[ _]output/i;
