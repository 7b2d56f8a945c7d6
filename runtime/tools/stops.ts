import { afterReading } from "../../drivers/clock/system-clock.js";

/**
 * Counts the stops of each pump and light. A stop ends every call that came before it, even one that has not claimed
 * the device yet because it waited for the disk or for a person.
 */
export class Stops {
  private made = 0;
  private ending = 0;
  /** The count when the current turn of the event loop began to read. */
  private before = 0;
  /** The number of the last stop for each pump and light. */
  private readonly last = new Map<string, number>();

  /** How many there have been. A call notes it when it arrives. */
  get count(): number {
    return this.made;
  }

  /**
   * The count for a call from the wire: the stops before this turn of the event loop. The order of messages that are
   * read in one turn is unknown, so a stop ends every call of its own turn. Its answer leaves later.
   */
  get beforeThisTurn(): number {
    return this.before;
  }

  /** How many of them ended something: a dose or a light, which only the first stop ends. */
  get ended(): number {
    return this.ending;
  }

  /** `what` is "pump basil". `ends`: it was at work, and no stop came before. */
  add(what: string, ends = false): void {
    if (this.made === this.before) afterReading(() => this.settle());
    this.made += 1;
    if (ends) this.ending += 1;
    this.last.set(what, this.made);
  }

  /** Whether there was a stop after the first `count`. */
  hasBeen(what: string, count: number): boolean {
    return (this.last.get(what) ?? 0) > count;
  }

  private settle(): void {
    this.before = this.made;
  }
}
