import { uniform } from "../../../drivers/bench/math.js";

/** Draws from one seed, in order. */
export class Dice {
  private drawn = 0;

  constructor(private readonly seed: number) {}

  /** From 0 to 1. */
  share(): number {
    return uniform(this.seed, this.drawn++);
  }

  between(least: number, most: number): number {
    return least + Math.floor(this.share() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.share() < probability;
  }

  of<T>(choices: readonly T[]): T {
    const chosen = choices[Math.floor(this.share() * choices.length)];
    if (chosen === undefined) throw new Error("nothing to choose from");
    return chosen;
  }
}
