import { z } from "zod";

/**
 * What runtime and bridge say to each other about models: vectors, which are numbers that say what a text means, and answers that a
 * model writes from passages.
 */

/** Ollama, on a computer of one's own, or whoever speaks OpenAI's API: hosted, or a server of one's own. */
export const MODEL_PROVIDERS = ["ollama", "openai"] as const;

/** Texts in one job. A choice: a Pi with a small model needs some seconds for them. */
export const MAX_TEXTS = 16;
/** Numbers of a vector. No model that is offered by Ollama or OpenAI has more than 4,096. */
export const MAX_NUMBERS = 4096;
/** Characters. A choice: a title and a passage, with room to spare. */
const LONGEST_TEXT = 4000;

/** Arguments of the job `embedding embed`. */
export const embedArguments = z.strictObject({
  provider: z.enum(MODEL_PROVIDERS),
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

/** Sentences of an answer. A choice: five passages say no more. */
export const MAX_SENTENCES = 12;
/** Characters of a sentence. A choice: a long one has 300. */
const LONGEST_SENTENCE = 600;

/** Arguments of the job `answers write`. */
export const writeArguments = z.strictObject({
  provider: z.enum(MODEL_PROVIDERS),
  model: z.string().min(1).max(200),
  instructions: z.string().min(1).max(4000),
  /** A choice: five passages as JSON, with room to spare. */
  data: z.string().min(1).max(40_000),
});
export type WriteArguments = z.output<typeof writeArguments>;

/** What the model must answer: sentences, each with the numbers of the passages that say so. */
export const writtenAnswer = z.strictObject({
  sentences: z
    .array(
      z.strictObject({
        text: z.string().max(LONGEST_SENTENCE),
        passages: z.array(z.int()).max(MAX_SENTENCES),
      }),
    )
    .max(MAX_SENTENCES),
});
export type WrittenAnswer = z.output<typeof writtenAnswer>;

/** What a model has cost an agent since its last report, which comes at the end of each turn. */
const cost = z.object({
  timestamp: z.string(),
  model: z.string(),
  calls: z.int(),
  tokens: z.number().describe("read and written together"),
  money: z.number().nullable().describe("in the currency of the agent's prices; null: no price is known"),
  by: z.string().describe("the agent's token"),
});
export type Cost = z.output<typeof cost>;

export const costList = z.object({ count: z.int(), costs: z.array(cost) });
export type CostList = z.output<typeof costList>;
