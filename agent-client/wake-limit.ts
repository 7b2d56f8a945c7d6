import { hours, type Millis } from "./units.js";

/** A choice: what anybody would have themselves reminded of, and no more than one turn in ten minutes that a model can ask for. */
const IN_AN_HOUR = 6;

/**
 * How often due tasks may begin a turn, in real time: a model can add tasks that are due at once, and each turn costs.
 * What is beyond it waits for the next regular turn.
 */
export class WakeLimit {
  private admitted: Millis[] = [];

  /** `now`: monotonic. */
  admits(now: Millis): boolean {
    this.admitted = this.admitted.filter((at) => now - at < hours(1));
    if (this.admitted.length >= IN_AN_HOUR) return false;
    this.admitted.push(now);
    return true;
  }
}
