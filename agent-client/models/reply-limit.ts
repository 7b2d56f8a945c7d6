import type { Usage } from "./model.js";
import { ModelError } from "./model-error.js";

interface Limited {
  readonly server: string;
  /** Of the model. */
  readonly name: string;
  /** Tokens of one reply. */
  readonly limit: number;
}

/** For a reply that ended in the middle, by our limit or by one of the server. */
export function cutOff({ server, name, limit }: Limited, usage: Usage | undefined): ModelError {
  const written = usage?.output ?? 0;
  const words =
    written > 0 && written < limit
      ? `${server} cut ${name}'s reply off after ${written} tokens, less than our limit of ${limit}: its context is full, or it has a limit of its own`
      : `${name}'s reply was cut off at the limit of ${limit} tokens: a model that repeats itself has no end; take another one, or set reply_tokens in the agent's configuration`;
  return new ModelError(words, "cycle", { usage });
}
