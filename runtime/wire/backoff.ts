import { type Millis, millis, seconds } from "../../drivers/units.js";

/** Choices: a person hardly notices the first wait; the longest does not burden a server that is recovering. */
const FIRST_WAIT: Millis = millis(200);
const LONGEST_WAIT: Millis = seconds(30);

/**
 * Exponential backoff: waits that double from 0.2 s up to 30 s, each shortened at random by up to half, so that many
 * clients do not return at the same moment. `random` gives [0, 1).
 */
export function* exponentialBackoff(random: () => number): Generator<Millis, never> {
  for (let wait = FIRST_WAIT; ; wait = millis(Math.min(LONGEST_WAIT, wait * 2)))
    yield millis(wait * (1 - random() / 2));
}
