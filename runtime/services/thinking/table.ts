export interface Thought {
  readonly timestamp: string;
  readonly observation: string;
  readonly hypothesis: string;
  readonly candidate_actions: readonly unknown[];
  readonly reasoning: string;
  readonly uncertainties: string;
  readonly tags: readonly string[];
  /** The token that wrote it. */
  readonly by: string;
}

export const THOUGHT_LOG = {
  name: "thoughts",
  fold: (_: Thought | undefined, entry: Thought): Thought => entry,
  searchText: ({ observation, hypothesis, reasoning }: Thought) =>
    `${observation}\n${hypothesis}\n${reasoning}`,
};
