/** A thought that can be told from others by what it observed: what tests of durability write. */
export const thought = (observation: string) => ({
  observation,
  hypothesis: "",
  candidate_actions: [],
  reasoning: "",
  uncertainties: "",
});
