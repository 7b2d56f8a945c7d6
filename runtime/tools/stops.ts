import { afterReading } from "../../drivers/clock/system-clock.js";

/**
 * Counts the stops of each pump and light: a call that came before a stop is ended by it, also where it had not yet
 * claimed what was stopped, because it waited for the disk or for a person.
 */
export class Stops {
  private made = 0;
  /** How many there had been when what is being read now began to be read. */
  private before = 0;
  /** Its number, by what was stopped: one entry a pump and light. */
  private readonly last = new Map<string, number>();

  /** How many there have been: what a call notes when it arrives. */
  get count(): number {
    return this.made;
  }

  /**
   * What a call from the wire notes: those before this turn of the event loop. Nobody can tell in which order what is
   * read in one turn was sent, so a stop ends every call of its own turn. Its answer leaves later than that.
   */
  get beforeThisTurn(): number {
    return this.before;
  }

  /** `what` is "pump basil". */
  add(what: string): void {
    if (this.made === this.before) afterReading(() => this.settle());
    this.made += 1;
    this.last.set(what, this.made);
  }

  /** Whether there was one beyond the first `count`. */
  hasBeen(what: string, count: number): boolean {
    return (this.last.get(what) ?? 0) > count;
  }

  private settle(): void {
    this.before = this.made;
  }
}
