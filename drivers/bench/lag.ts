/** Share of the way to a constant input that a first-order lag goes in a step; both times in the same unit. */
export const approach = (duration: number, timeConstant: number) => 1 - Math.exp(-duration / timeConstant);

/** Where `value` is from `from` (0) to `to` (1), held within these. */
export const ramp = (value: number, from: number, to: number) =>
  Math.max(0, Math.min(1, (value - from) / (to - from)));
