import type { Bucket, BucketLayout } from "./bucket.js";
import { type BucketSum, edgesOf, type SumQuery } from "./rollup.js";
import type { RecordShape, SampledRecord, Sampling } from "./samples.js";

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
