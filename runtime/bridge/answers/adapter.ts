import { z } from "zod";
import { type WriteArguments, type WrittenAnswer, writeArguments, writtenAnswer } from "../../wire/models.js";
import { parseJson } from "../../wire/refusal.js";
import { defineAdapter, JobFailure, readArguments } from "../adapter.js";
import { askModel, modelServer, secretsOfServer } from "../http/model-server.js";

const KEY = "answers";
/** Bytes. A choice: twelve sentences with what servers tell beside them, a model's thinking too. */
const MAX_BYTES = 1_000_000;
/** Tokens that Ollama has for question and answer. A choice: five passages in any language are 3,000. */
const CONTEXT = 8192;

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

interface Protocol {
  readonly path: string;
  body(asked: WriteArguments): object;
  /** The model's own words. Throws what zod throws. */
  read(answer: unknown): string;
}

const messages = ({ instructions, data }: WriteArguments) => [
  { role: "system", content: instructions },
  { role: "user", content: data },
];

const ollamaAnswer = z.object({ message: z.object({ content: z.string() }) });
const openaiAnswer = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
});

const PROTOCOLS: Readonly<Record<WriteArguments["provider"], Protocol>> = {
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
};

/** Answers from passages: `answers:` in bridge.yaml has the address of the server whose model writes them. */
export const answersAdapter = defineAdapter({
  name: "answers",
  key: KEY,
  config: modelServer.optional(),
  secrets: secretsOfServer,
  open: (configured) => ({
    write: async (args, signal): Promise<WrittenAnswer> => {
      const asked = readArguments(writeArguments, args);
      const { path, body, read } = PROTOCOLS[asked.provider];
      const question = { what: "the model for answers", key: KEY, most: MAX_BYTES };
      const answer = await askModel({ ...question, path, body: body(asked) }, configured, signal);
      return bySchema(wordsOf(() => read(answer)));
    },
  }),
});

/** Throws ANSWER_CHANGED. */
function wordsOf(read: () => string): string {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new JobFailure("ANSWER_CHANGED", "the server of the model for answers does not answer as a chat");
  }
}

/** Throws NOT_BY_SCHEMA: prose, or an answer that was cut. Nothing of it is used. */
function bySchema(words: string): WrittenAnswer {
  const read = writtenAnswer.safeParse(parseJson(words));
  if (read.success) return read.data;
  throw new JobFailure("NOT_BY_SCHEMA", "the model for answers did not keep to the form that was asked for");
}
