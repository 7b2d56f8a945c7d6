import { z } from "zod";
import { type EmbedAnswer, type EmbedArguments, embedArguments, MOST_NUMBERS } from "../../wire/embedding.js";
import { parseJson } from "../../wire/refusal.js";
import { defineAdapter, JobFailure, readArguments } from "../adapter.js";
import { type OutsideAddress, outsideAddress, secretsOf } from "../http/address.js";
import { fetchText } from "../http/fetch.js";

/** Bytes. A choice: 16 vectors of 4,096 numbers, each with 25 characters, are 1.6 MB. */
const MOST_BYTES = 3_000_000;

const server = z.strictObject({
  address: outsideAddress(),
  key: z
    .string()
    .regex(/^[\x21-\x7e]{1,500}$/, { error: "must be the server's key, such as sk-…" })
    .optional(),
});

const numbers = z.array(z.number()).min(1).max(MOST_NUMBERS);

interface Protocol {
  readonly path: string;
  /** The vectors in the order of the texts. Throws what zod throws. */
  read(answer: unknown): readonly (readonly number[])[];
}

const ollamaAnswer = z.object({ embeddings: z.array(numbers) });
const openaiAnswer = z.object({ data: z.array(z.object({ index: z.int(), embedding: numbers })) });

const PROTOCOLS: Readonly<Record<EmbedArguments["provider"], Protocol>> = {
  // docs.ollama.com/api/embed
  ollama: { path: "api/embed", read: (answer) => ollamaAnswer.parse(answer).embeddings },
  // platform.openai.com/docs/api-reference/embeddings/create; their order is told by the index alone
  openai: {
    path: "v1/embeddings",
    read: (answer) =>
      openaiAnswer
        .parse(answer)
        .data.sort((a, b) => a.index - b.index)
        .map(({ index, embedding }, at) => (index === at ? embedding : [])),
  },
};

/** Vectors for texts: `embedding:` in bridge.yaml has the address of the server that makes them. */
export const embeddingAdapter = defineAdapter({
  name: "embedding",
  key: "embedding",
  config: server.optional(),
  secrets: (configured) =>
    configured ? [...secretsOf(configured.address), ...(configured.key ? [configured.key] : [])] : [],
  open: (configured) => ({
    embed: async (args, signal): Promise<EmbedAnswer> => {
      const asked = readArguments(embedArguments, args);
      if (!configured)
        throw new JobFailure("NOT_CONFIGURED", "the bridge's file has no address under embedding:");
      const vectors = await vectorsOf(asked, configured, signal);
      return { vectors: vectors.map((vector) => bytesOf(vector).toString("base64")) };
    },
  }),
});

const LOGIN_REFUSED = new JobFailure(
  "LOGIN_REFUSED",
  "the embedding model's server wants another key: see embedding: in bridge.yaml",
);

const REFUSALS: Readonly<Record<string, JobFailure>> = {
  HTTP_401: LOGIN_REFUSED,
  HTTP_403: LOGIN_REFUSED,
  // Ollama says so of a model that nobody has fetched yet
  HTTP_404: new JobFailure(
    "NO_SUCH_MODEL",
    "the server knows no such embedding model, or its address in bridge.yaml is wrong",
  ),
};

/** Rejects with JobFailure: LOGIN_REFUSED, NO_SUCH_MODEL, TOO_SLOW, UNREACHABLE, HTTP_500 and so on, ANSWER_CHANGED. */
async function vectorsOf(
  { provider, model, texts }: EmbedArguments,
  { address, key }: z.output<typeof server>,
  signal: AbortSignal,
): Promise<readonly (readonly number[])[]> {
  const { path, read } = PROTOCOLS[provider];
  const request = {
    ...{ what: "the embedding model", accept: "application/json", most: MOST_BYTES },
    address: { ...address, url: below(address, path) },
    post: { body: JSON.stringify({ model, input: texts }), key },
  };
  const fetched = await fetchText(request, signal).catch((error: unknown) => {
    throw error instanceof JobFailure ? (REFUSALS[error.code] ?? error) : error;
  });
  const answer = fetched === "unchanged" ? undefined : parseJson(fetched.text);
  try {
    const vectors = read(answer);
    const [first] = vectors;
    if (
      vectors.length === texts.length &&
      vectors.every(({ length }) => length > 0 && length === first?.length)
    )
      return vectors;
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
  }
  throw new JobFailure(
    "ANSWER_CHANGED",
    "the embedding model's server does not answer with a vector for each text",
  );
}

/** A path in the address, such as that of a proxy, is kept; `/v1` at its end may be there already. */
function below({ url }: OutsideAddress, path: string): URL {
  const base = url.pathname.replace(/\/+$/, "").replace(/\/v1$/, "");
  return new URL(`${base}/${path}${url.search}`, url);
}

/** The largest number becomes 127: so each vector uses all of its bytes. Throws ANSWER_CHANGED for one without a direction. */
function bytesOf(vector: readonly number[]): Buffer {
  const largest = vector.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
  if (!(largest > 0 && Number.isFinite(largest)))
    throw new JobFailure("ANSWER_CHANGED", "the embedding model gives a vector of zeros");
  return Buffer.from(Int8Array.from(vector, (each) => Math.round((each / largest) * 127)).buffer);
}
