/**
 * A double tap is one wish. What the first tap did has often moved the view, so that the second one lands on something else:
 * the next task's "Done", say. The second tap then does nothing.
 */

/** Milliseconds between two taps. A choice: platforms take up to 300 as a double tap. */
const TWICE = 400;
/** CSS pixels between two taps. A choice: the size of one thing to tap. */
const NEAR = 48;

export interface Tap {
  /** Milliseconds. */
  readonly at: number;
  readonly x: number;
  readonly y: number;
  /** The button or link that it hit. */
  readonly on: unknown;
  /** Twice is not the same as once. The steps of a view, say, may be tapped as fast as one likes. */
  readonly isAct: boolean;
}

export class Taps {
  private last: Tap | undefined;

  /** Whether it is the second tap of a double tap, on something that acts or on something that has moved there meanwhile. */
  isSecond(tap: Tap): boolean {
    const { last } = this;
    this.last = tap;
    if (!last || tap.at - last.at >= TWICE || Math.hypot(tap.x - last.x, tap.y - last.y) > NEAR) return false;
    return tap.isAct || tap.on !== last.on;
  }
}
