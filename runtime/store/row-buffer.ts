import type { Cancel, Clock } from "../../drivers/ports.js";
import type { Millis } from "../../drivers/units.js";

/** How long rows may wait for their commit, by which clock. */
export interface CommitDelay {
  readonly clock: Clock;
  readonly within: Millis;
}

/** Without a delay so many rows share a commit: SD cards wear out by writes, not by bytes. */
const BATCH = 10;
/** In a simulation, of which nothing is kept. */
const RELAXED_BATCH = 200;
/** With a delay they are committed at this number at the latest. A choice: half a megabyte, an hour of 30 series. */
const MAX = 2000;

/** Rows that wait for their commit. `commit` writes them; where that fails they stay, and go with the next. */
export class RowBuffer<Row extends { readonly at: number }> {
  private waiting: Row[] = [];
  private most: number;
  private delay: CommitDelay | undefined;
  private timer: Cancel | undefined;

  constructor(
    private readonly commit: () => Promise<void>,
    /** Told of a commit that failed while nobody waited for it. */
    private readonly onFailure: (error: Error) => void,
    relaxed: boolean,
  ) {
    this.most = relaxed ? RELAXED_BATCH : BATCH;
  }

  /** From now on rows wait so long, and not for others. */
  wait(delay: CommitDelay): void {
    this.delay = delay;
    this.most = MAX;
    if (this.waiting.length > 0) this.arm();
  }

  add(row: Row): void {
    this.waiting.push(row);
    if (this.waiting.length >= this.most) this.commitSoon();
    else this.arm();
  }

  /** Begins a commit for which nobody waits. */
  commitSoon(): void {
    this.disarm();
    this.commit().catch((error: Error) => {
      this.arm();
      this.onFailure(error);
    });
  }

  /** What waits now, oldest first. */
  get rows(): readonly Row[] {
    return this.waiting;
  }

  /** The first `count` are committed. */
  drop(count: number): void {
    this.waiting = this.waiting.slice(count);
    this.disarm();
    if (this.waiting.length > 0) this.arm();
  }

  disarm(): void {
    this.timer?.();
    this.timer = undefined;
  }

  private arm(): void {
    if (!this.delay || this.timer) return;
    this.timer = this.delay.clock.after(this.delay.within, () => {
      this.timer = undefined;
      this.commitSoon();
    });
  }
}
