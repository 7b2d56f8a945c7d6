import { z } from "zod";
import {
  type EmbedArguments,
  embedArguments,
  MAX_NUMBERS,
  type WriteArguments,
  type WrittenAnswer,
  writeArguments,
  writtenAnswer,
} from "../../wire/models.js";
import { parseJson } from "../../wire/refusal.js";
import { defineAdapter, JobFailure, readArguments } from "../adapter.js";
import { type OutsideAddress, outsideAddress, secretsOf } from "../http/address.js";
import { bearer, fetchText } from "../http/fetch.js";

/** A server with models, as bridge.yaml names it. */
const modelServer = z.strictObject({
  address: outsideAddress(),
  key: z
    .string()
    .regex(/^[\x21-\x7e]{1,500}$/, { error: "must be the server's key, such as sk-…" })
    .optional(),
});
type ModelServer = z.output<typeof modelServer>;

const secretsOfServer = (server: ModelServer | undefined): string[] =>
  server ? [...secretsOf(server.address), ...(server.key ? [server.key] : [])] : [];

/** How one kind of server is asked. */
interface Protocol<Asked, Answer> {
  readonly path: string;
  body(asked: Asked): object;
  /** Throws what zod throws. */
  read(answer: unknown): Answer;
}

/** What a model is asked for. */
interface Question<Asked, Answer> {
  /** Its key in bridge.yaml. */
  readonly key: string;
  /** For messages: "the embedding model's server". */
  readonly server: string;
  /** What is told of an answer in another form. */
  readonly changed: string;
  /** Bytes of the answer. */
  readonly most: number;
  readonly protocols: Readonly<Record<"ollama" | "openai", Protocol<Asked, Answer>>>;
}

/**
 * Asks a model. Rejects with JobFailure: NOT_CONFIGURED, LOGIN_REFUSED, NO_SUCH_MODEL, ANSWER_CHANGED, TOO_SLOW, UNREACHABLE,
 * HTTP_500 and so on.
 */
async function askModel<Asked extends { readonly provider: "ollama" | "openai" }, Answer>(
  { key, server, changed, most, protocols }: Question<Asked, Answer>,
  asked: Asked,
  configured: ModelServer | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  if (!configured) throw new JobFailure("NOT_CONFIGURED", `the bridge's file has no address under ${key}:`);
  const { path, body, read } = protocols[asked.provider];
  const request = {
    ...{ server, accept: "application/json", most },
    address: { ...configured.address, url: below(configured.address, path) },
    body: JSON.stringify(body(asked)),
    key: bearer(configured.key),
  };
  const { text } = await fetchText(request, signal).catch((error: unknown) => {
    throw error instanceof JobFailure ? inWords(error, server, key) : error;
  });
  try {
    return read(parseJson(text));
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new JobFailure("ANSWER_CHANGED", changed);
  }
}

function inWords(error: JobFailure, server: string, key: string): JobFailure {
  if (error.code === "HTTP_401" || error.code === "HTTP_403")
    return new JobFailure("LOGIN_REFUSED", `${server} wants another key: see ${key}: in bridge.yaml`);
  // Ollama says so of a model that nobody has fetched yet
  if (error.code === "HTTP_404")
    return new JobFailure(
      "NO_SUCH_MODEL",
      `${server} does not know this model, or its address in bridge.yaml is wrong`,
    );
  return error;
}

/** A path in the address, such as that of a proxy, is kept; `/v1` at its end may be there already. */
function below({ url }: OutsideAddress, path: string): URL {
  const base = url.pathname.replace(/\/+$/, "").replace(/\/v1$/, "");
  return new URL(`${base}/${path}${url.search}`, url);
}

const numbers = z.array(z.number()).min(1).max(MAX_NUMBERS);
const ollamaVectors = z.object({ embeddings: z.array(numbers) });
const openaiVectors = z.object({ data: z.array(z.object({ index: z.int(), embedding: numbers })) });
const embedBody = ({ model, texts }: EmbedArguments) => ({ model, input: texts });

/** The vectors in the order of the texts. */
const EMBEDDING: Question<EmbedArguments, readonly (readonly number[])[]> = {
  key: "embedding",
  server: "the embedding model's server",
  changed: "the embedding model's server does not answer with a vector for each text",
  most: 3_000_000, // a choice: 16 vectors of 4,096 numbers, each with 25 characters, are 1.6 MB
  protocols: {
    // docs.ollama.com/api/embed
    ollama: {
      path: "api/embed",
      body: embedBody,
      read: (answer) => ollamaVectors.parse(answer).embeddings,
    },
    // platform.openai.com/docs/api-reference/embeddings/create; their order is told by the index alone
    openai: {
      path: "v1/embeddings",
      body: embedBody,
      read: (answer) =>
        openaiVectors
          .parse(answer)
          .data.sort((a, b) => a.index - b.index)
          .map(({ index, embedding }, at) => (index === at ? embedding : [])),
    },
  },
};

/** Vectors for texts: `embedding:` in bridge.yaml has the address of the server that makes them. */
export const embeddingAdapter = defineAdapter({
  name: "embedding",
  key: EMBEDDING.key,
  config: modelServer.optional(),
  secrets: secretsOfServer,
  open: (configured) => ({
    embed: async (args, signal) => {
      const asked = readArguments(embedArguments, args);
      const vectors = await askModel(EMBEDDING, asked, configured, signal);
      const isOne = ({ length }: readonly number[]) => length > 0 && length === vectors[0]?.length;
      if (vectors.length !== asked.texts.length || !vectors.every(isOne))
        throw new JobFailure("ANSWER_CHANGED", EMBEDDING.changed);
      return { vectors: vectors.map((vector) => bytesOf(vector).toString("base64")) };
    },
  }),
});

/** The largest number becomes 127: so each vector uses all of its bytes. Throws ANSWER_CHANGED for one without a direction. */
function bytesOf(vector: readonly number[]): Buffer {
  const largest = vector.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
  if (!(largest > 0 && Number.isFinite(largest)))
    throw new JobFailure("ANSWER_CHANGED", "the embedding model gives a vector of zeros");
  return Buffer.from(Int8Array.from(vector, (each) => Math.round((each / largest) * 127)).buffer);
}

/** `writtenAnswer` in what OpenAI's strict mode takes of JSON Schema. */
const SCHEMA = {
  type: "object",
  properties: {
    sentences: {
      type: "array",
      items: {
        type: "object",
        properties: { text: { type: "string" }, passages: { type: "array", items: { type: "integer" } } },
        required: ["text", "passages"],
        additionalProperties: false,
      },
    },
  },
  required: ["sentences"],
  additionalProperties: false,
} as const;

const messages = ({ instructions, data }: WriteArguments) => [
  { role: "system", content: instructions },
  { role: "user", content: data },
];
const ollamaAnswer = z.object({ message: z.object({ content: z.string() }) });
const openaiAnswer = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
});
/** Tokens that Ollama has for question and answer. A choice: five passages in any language are 3,000. */
const CONTEXT = 8192;

/** The model's own words. */
const ANSWERS: Question<WriteArguments, string> = {
  key: "answers",
  server: "the server of the model for answers",
  changed: "the server of the model for answers does not answer as a chat",
  most: 1_000_000, // a choice: twelve sentences with what servers tell beside them, a model's thinking too
  protocols: {
    // docs.ollama.com/api/chat
    ollama: {
      path: "api/chat",
      body: (asked) => ({
        ...{ model: asked.model, messages: messages(asked), stream: false, format: SCHEMA },
        options: { temperature: 0, num_ctx: CONTEXT },
      }),
      read: (answer) => ollamaAnswer.parse(answer).message.content,
    },
    // platform.openai.com/docs/api-reference/chat/create; its reasoning models take no temperature
    openai: {
      path: "v1/chat/completions",
      body: (asked) => ({
        ...{ model: asked.model, messages: messages(asked) },
        response_format: {
          type: "json_schema",
          json_schema: { name: "answer", strict: true, schema: SCHEMA },
        },
      }),
      read: (answer) => openaiAnswer.parse(answer).choices[0]?.message.content ?? "",
    },
  },
};

/** Answers from passages: `answers:` in bridge.yaml has the address of the server whose model writes them. */
export const answersAdapter = defineAdapter({
  name: "answers",
  key: ANSWERS.key,
  config: modelServer.optional(),
  secrets: secretsOfServer,
  open: (configured) => ({
    write: async (args, signal): Promise<WrittenAnswer> =>
      bySchema(await askModel(ANSWERS, readArguments(writeArguments, args), configured, signal)),
  }),
});

/** Throws NOT_BY_SCHEMA: prose, or an answer that was cut. Nothing of it is used. */
function bySchema(words: string): WrittenAnswer {
  const read = writtenAnswer.safeParse(parseJson(words));
  if (read.success) return read.data;
  throw new JobFailure("NOT_BY_SCHEMA", "the model for answers did not keep to the form that was asked for");
}
