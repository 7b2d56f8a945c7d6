import type { JsonSchema } from "../link/tools.js";
import type { Message, Question } from "./model.js";
import { refusalIn } from "./model-error.js";

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
