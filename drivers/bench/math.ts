/**
 * Output number `index` of Tommy Ettinger's Mulberry32 seeded with `seed`, in [0, 1) (2017, CC0:
 * gist.github.com/tommyettinger/46a874533244883189143505d203312c). Its state is a counter, so that any output
 * can be had without those before it: what is seen does not depend on how often somebody looked.
 */
export function uniform(seed: number, index: number): number {
  const state = (seed + Math.imul(index + 1, 0x6d2b79f5)) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** Normal with mean 0 and standard deviation 1, from outputs 2 · `index` and the next (Box and Muller 1958). */
export function gaussian(seed: number, index: number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - uniform(seed, 2 * index)));
  return radius * Math.cos(2 * Math.PI * uniform(seed, 2 * index + 1));
}

/** Share of the way to a constant input that a first-order lag goes in a step; both times in the same unit. */
export const approach = (duration: number, timeConstant: number) => 1 - Math.exp(-duration / timeConstant);

/** Where `value` is from `from` (0) to `to` (1), held within these. */
export const ramp = (value: number, from: number, to: number) =>
  Math.max(0, Math.min(1, (value - from) / (to - from)));
