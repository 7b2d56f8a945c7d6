import { z } from "zod";

/** What runtime and bridge say to each other about answers that a model writes from passages. */

/** Ollama, on a computer of one's own, or whoever speaks OpenAI's chat completions: hosted, or a server of one's own. */
export const ANSWER_PROVIDERS = ["ollama", "openai"] as const;

/** Sentences of an answer. A choice: five passages say no more. */
export const MAX_SENTENCES = 12;
/** Characters of a sentence. A choice: a long one has 300. */
const LONGEST_SENTENCE = 600;

/** Arguments of the job `answers write`. */
export const writeArguments = z.strictObject({
  provider: z.enum(ANSWER_PROVIDERS),
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
