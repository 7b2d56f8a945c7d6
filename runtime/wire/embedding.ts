import { z } from "zod";

/** What runtime and bridge say to each other about vectors: numbers that say what a text means. */

/** Ollama, on a computer of one's own, or whoever speaks OpenAI's embeddings API: hosted, or a server of one's own. */
export const EMBEDDING_PROVIDERS = ["ollama", "openai"] as const;

/** Texts in one job. A choice: a Pi with a small model needs some seconds for them. */
export const MAX_TEXTS = 16;
/** Numbers of a vector. No model that is offered by Ollama or OpenAI has more than 4,096. */
export const MAX_NUMBERS = 4096;
/** Characters. A choice: a title and a passage, with room to spare. */
const LONGEST_TEXT = 4000;

/** Arguments of the job `embedding embed`. */
export const embedArguments = z.strictObject({
  provider: z.enum(EMBEDDING_PROVIDERS),
  model: z.string().min(1).max(200),
  texts: z.array(z.string().min(1).max(LONGEST_TEXT)).min(1).max(MAX_TEXTS),
});
export type EmbedArguments = z.output<typeof embedArguments>;

/** Each vector as bytes, from -127 to 127, in base64. Its length says nothing: only directions are compared. */
export const embedAnswer = z.strictObject({
  vectors: z
    .array(
      z
        .base64()
        .min(1)
        .max(Math.ceil(MAX_NUMBERS / 3) * 4),
    )
    .max(MAX_TEXTS),
});
export type EmbedAnswer = z.output<typeof embedAnswer>;
