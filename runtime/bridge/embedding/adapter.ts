import { z } from "zod";
import { type EmbedAnswer, type EmbedArguments, embedArguments, MAX_NUMBERS } from "../../wire/models.js";
import { defineAdapter, JobFailure, readArguments } from "../adapter.js";
import { askModel, type ModelServer, modelServer, secretsOfServer } from "../http/model-server.js";

const KEY = "embedding";
/** Bytes. A choice: 16 vectors of 4,096 numbers, each with 25 characters, are 1.6 MB. */
const MAX_BYTES = 3_000_000;

const numbers = z.array(z.number()).min(1).max(MAX_NUMBERS);

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
  key: KEY,
  config: modelServer.optional(),
  secrets: secretsOfServer,
  open: (configured) => ({
    embed: async (args, signal): Promise<EmbedAnswer> => {
      const vectors = await vectorsOf(readArguments(embedArguments, args), configured, signal);
      return { vectors: vectors.map((vector) => bytesOf(vector).toString("base64")) };
    },
  }),
});

/** Rejects with JobFailure: what `askModel` says, and ANSWER_CHANGED. */
async function vectorsOf(
  { provider, model, texts }: EmbedArguments,
  server: ModelServer | undefined,
  signal: AbortSignal,
): Promise<readonly (readonly number[])[]> {
  const { path, read } = PROTOCOLS[provider];
  const question = { what: "the embedding model", key: KEY, most: MAX_BYTES };
  const answer = await askModel({ ...question, path, body: { model, input: texts } }, server, signal);
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

/** The largest number becomes 127: so each vector uses all of its bytes. Throws ANSWER_CHANGED for one without a direction. */
function bytesOf(vector: readonly number[]): Buffer {
  const largest = vector.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
  if (!(largest > 0 && Number.isFinite(largest)))
    throw new JobFailure("ANSWER_CHANGED", "the embedding model gives a vector of zeros");
  return Buffer.from(Int8Array.from(vector, (each) => Math.round((each / largest) * 127)).buffer);
}
