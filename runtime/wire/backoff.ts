/** Milliseconds. Choices: a person hardly notices the first; the longest does not burden a server that is recovering. */
const FIRST_WAIT = 200;
const LONGEST_WAIT = 30_000;

/**
 * Exponential backoff: waits in milliseconds that double from 0.2 s up to 30 s, each shortened at random by up to half, so
 * that many clients do not return at the same moment. `random` gives [0, 1).
 */
export function* exponentialBackoff(random: () => number): Generator<number, never> {
  for (let wait = FIRST_WAIT; ; wait = Math.min(LONGEST_WAIT, wait * 2)) yield wait * (1 - random() / 2);
}
