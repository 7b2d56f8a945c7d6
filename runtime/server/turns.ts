import { afterReading } from "../../drivers/clock/system-clock.js";
import type { Pace } from "./pace.js";

/**
 * Messages that one turn of the event loop takes up. A choice: a message takes some 0.1 ms, so whatever is read next, a
 * `POST /off` among it, waits about a millisecond.
 */
const STEPS = 8;

/** Takes up what tokens ask for by turns: one message of each, and no more at once of one token than `most`. */
export class Turns {
  /** What waits, by token; the token that is next comes first. */
  private readonly lines = new Map<string, Array<() => void>>();
  private readonly running = new Map<string, number>();
  private steps = 0;

  constructor(
    private readonly most: number,
    private readonly pace: Pace,
  ) {}

  /** Calls `begin` in its turn, never at once: what is read in the same turn of the event loop is read first. */
  wait(token: string, begin: () => void): void {
    const line = this.lines.get(token);
    if (line) line.push(begin);
    else this.lines.set(token, [begin]);
    this.arm();
  }

  /** Counts `work` as running until it has ended. */
  async during<T>(token: string, work: () => Promise<T>): Promise<T> {
    this.count(token, 1);
    try {
      return await work();
    } finally {
      this.count(token, -1);
      if (this.lines.has(token)) this.arm();
    }
  }

  private count(token: string, change: 1 | -1): void {
    const running = (this.running.get(token) ?? 0) + change;
    if (running === 0) this.running.delete(token);
    else this.running.set(token, running);
  }

  private arm(): void {
    if (this.steps >= STEPS) return;
    this.steps += 1;
    afterReading(() => this.step());
  }

  /** Each step is a callback of its own: what the message begins is counted before the next one. */
  private step(): void {
    this.steps -= 1;
    const mayBegin = this.pace.mayBegin();
    const begin = mayBegin ? this.next() : undefined;
    if (begin || !mayBegin) this.arm();
    begin?.();
  }

  private next(): (() => void) | undefined {
    for (const [token, line] of this.lines) {
      if ((this.running.get(token) ?? 0) >= this.most) continue;
      const begin = line.shift();
      this.lines.delete(token);
      if (line.length > 0) this.lines.set(token, line);
      return begin;
    }
    return undefined;
  }
}
