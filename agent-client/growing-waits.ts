import { type Millis, seconds } from "./units.js";

const FIRST: Millis = 200;
const LONGEST: Millis = seconds(30);

/**
 * Doubling waits, from 0.2 s up to 30 s, each shortened at random by up to half, so that many agents do not come
 * back in step. `random` gives [0, 1).
 */
export function* growingWaits(random: () => number): Generator<Millis, never> {
  for (let wait = FIRST; ; wait = Math.min(LONGEST, wait * 2)) yield wait * (1 - random() / 2);
}
