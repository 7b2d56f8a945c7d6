import type { Cancel, Clock } from "../../drivers/ports.js";
import type { Millis } from "../../drivers/units.js";
import type { Bucket, BucketLayout } from "./bucket.js";
import { type BucketSum, edgesOf, type SumQuery } from "./rollup.js";
import type { RecordShape, SampledRecord, Sampling } from "./samples.js";

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

/** A row that waits for its commit. */
export type Pending = Readonly<Record<string, string | number | null>> & { readonly at: number };

export const timesIn = (rows: readonly Pending[], { lo, hi }: Bucket): number[] =>
  rows.flatMap(({ at }) => (at > lo && at <= hi ? [at] : []));

/**
 * The time of each bucket's record, if it has any: of those that were found, and of rows that wait. Of two that are equally near to the
 * middle the earlier.
 */
export function chosenTimes(
  sampling: Sampling,
  { buckets }: BucketLayout,
  found: readonly (readonly (number | null)[])[],
  waiting: readonly Pending[],
): number[] {
  return buckets.flatMap((bucket, k) => {
    const distance = (at: number) =>
      sampling === "middle" ? Math.abs(2 * at - bucket.lo - bucket.hi) : sampling === "first" ? at : -at;
    const nearer = (best: number | null, at: number | null) => {
      if (at === null || best === null) return best ?? at;
      return (distance(at) - distance(best) || at - best) < 0 ? at : best;
    };
    let best: number | null = null;
    for (const times of found) best = nearer(best, times[k] ?? null);
    if (waiting.length > 0) best = timesIn(waiting, bucket).reduce(nearer, best);
    return best ?? [];
  });
}

export function addRows(
  sums: BucketSum[],
  rows: readonly Pending[],
  layout: BucketLayout,
  { column = "", extreme, thinnedBefore }: Omit<SumQuery, "key">,
): BucketSum[] {
  if (rows.length === 0) return sums;
  const edges = edgesOf(layout, thinnedBefore);
  for (const row of rows) {
    const sum = row.at < (edges[0] ?? 0) ? undefined : sums[edges.findIndex((edge) => row.at < edge) - 1];
    if (!sum) continue;
    const value = Number(row[column]);
    sum.records += 1;
    if (column !== "") sum.total += value;
    if (extreme) sum.extreme = Math[extreme](value, sum.extreme ?? value);
  }
  return sums;
}

/** The values of a record that is shown, where rows of its time wait. They came later than what is stored. */
export function overlaid(
  { at, values }: SampledRecord,
  { fields, newest }: RecordShape,
  /** For each field the rows of its series. */
  waiting: readonly (readonly Pending[])[],
): (number | null)[] {
  if (waiting.every((rows) => rows.length === 0)) return [...values];
  return fields.map(({ column }, n) => {
    const stored = values[n] ?? null;
    const same = (waiting[n] ?? []).filter((row) => row.at === at);
    const row = newest ? same.at(-1) : same[0];
    return row && (newest || stored === null) ? Number(row[column]) : stored;
  });
}
