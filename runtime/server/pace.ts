import { afterReading } from "../../drivers/clock/system-clock.js";

/**
 * With newcomers in every turn of the event loop, work is begun in one of so many. A choice: to accept takes 0.1 to 0.2 ms, work
 * some ms, so that this halves what others get done, at worst.
 */
const WORK_EVERY = 16;

/**
 * When work may begin. libuv accepts one connection in a turn of the event loop, so a `POST /off` on a new connection waits
 * for as many turns as there are connections before it: while connections come, turns are kept short.
 */
export class Pace {
  private accepted = false;
  /** Turns in a row in which a connection was accepted. */
  private inARow = 0;

  /** A connection was accepted. */
  newcomer(): void {
    if (this.accepted) return;
    this.accepted = true;
    this.inARow += 1;
    afterReading(() => {
      this.accepted = false;
    });
  }

  /** To be asked before work is begun, after reading. */
  mayBegin(): boolean {
    if (!this.accepted) this.inARow = 0;
    return this.inARow % WORK_EVERY === 0;
  }
}
