import { z } from "zod";
import { MODEL_PROVIDERS } from "../../wire/models.js";

const folder = z.strictObject({
  path: z
    .string()
    .min(1)
    .max(1000)
    .refine((path) => path.startsWith("/"), "must be a whole path, from / on")
    .describe("a folder; its files of plain text, Markdown, HTML and PDF are read"),
  person: z.string().optional().describe("whose files; those of the household by default"),
});

/** A model whose address the bridge has. */
const model = (providers: string, example: string) =>
  z.strictObject({
    provider: z.enum(MODEL_PROVIDERS).describe(providers),
    model: z.string().min(1).max(200).describe(`such as ${example}; its address is in bridge.yaml`),
    private: z.boolean().default(false).describe("whether private passages are sent to the model too"),
  });
export type ModelConfig = z.output<ReturnType<typeof model>>;

export const knowledgeKeys = {
  knowledge: z
    .strictObject({
      folders: z.array(folder).max(20).default([]).describe("files whose text can be searched for"),
      embedding: model("ollama, or openai for any server with OpenAI's embeddings API", "embeddinggemma")
        .optional()
        .describe("the model for the search by meaning; none by default"),
      answers: model("ollama, or openai for any server with OpenAI's chat completions", "qwen3:4b")
        .optional()
        .describe("the model that writes answers from passages; none by default"),
    })
    .prefault({}),
};

export type Folder = z.output<typeof folder>;
