import type { Clock } from "../clock.js";
import { hours, type Millis, minutes } from "../units.js";

/** Choices: half of the time from cycle to cycle by default, and what a person who mended a server may well wait for. */
const FIRST: Millis = minutes(15);
const LONGEST: Millis = hours(2);

/**
 * How long a model that is out is left alone after failures that cost something, a cycle or a long wait: twice as long
 * each time. A plant whose cycle it spoiled has the next one without it in any case, however rare cycles are.
 */
export class Pauses {
  private pause = FIRST;
  private until: Millis = 0;
  private readonly spoiled = new Set<string>();

  constructor(private readonly clock: Clock) {}

  /** After a failure; `plant`, by any name that stays the same, is the one that got no cycle by it. */
  grow(plant?: string): void {
    this.until = this.clock.monotonic() + this.pause;
    this.pause = Math.min(LONGEST, this.pause * 2);
    if (plant !== undefined) this.spoiled.add(plant);
  }

  /** Whether the model is to be left alone in this cycle of the plant's. */
  covers(plant: string): boolean {
    return this.spoiled.delete(plant) || this.clock.monotonic() < this.until;
  }

  /** After a whole cycle. */
  reset(): void {
    this.pause = FIRST;
    this.until = 0;
    this.spoiled.clear();
  }
}
