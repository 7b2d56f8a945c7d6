import type { Bucket, BucketLayout } from "./bucket.js";
import { type BucketSum, edgesOf, type SumQuery } from "./rollup.js";
import type { RecordShape, SampledRecord } from "./samples.js";

/** A row that waits for its commit. */
export type Pending = Readonly<Record<string, string | number | null>> & { readonly at: number };

export const timesIn = (rows: readonly Pending[], { lo, hi }: Bucket): number[] =>
  rows.flatMap(({ at }) => (at > lo && at <= hi ? [at] : []));

/** Adds rows to the figures of their buckets. */
export function addRows(
  sums: BucketSum[],
  rows: readonly Pending[],
  layout: BucketLayout,
  { column = "", extreme, thinnedBefore }: Omit<SumQuery, "key" | "complete">,
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
