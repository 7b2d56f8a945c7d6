/**
 * Counts the stops of each pump and light: a call that came before a stop is ended by it, also where it had not yet
 * claimed what was stopped, because it waited for the disk or for a person.
 */
export class Stops {
  private made = 0;
  /** Its number, by what was stopped: one entry a pump and light. */
  private readonly last = new Map<string, number>();

  /** How many there have been: what a call notes when it arrives. */
  get count(): number {
    return this.made;
  }

  /** `what` is "pump basil". */
  add(what: string): void {
    this.made += 1;
    this.last.set(what, this.made);
  }

  /** Whether there was one beyond the first `count`. */
  hasBeen(what: string, count: number): boolean {
    return (this.last.get(what) ?? 0) > count;
  }
}
