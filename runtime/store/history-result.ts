import { afterReading } from "../../drivers/clock/system-clock.js";
import { hours } from "../../drivers/units.js";
import type { Aggregation, BucketItem, BucketLayout, HistoryQuery, HistoryResult } from "./bucket.js";
import { finite } from "./rollup-levels.js";

/** What one bucket holds. */
export interface BucketFigures {
  readonly records: number;
  /** Records whose field is a number; absent: all. */
  readonly numbers?: number;
  /** Sum of these. */
  readonly total: number | null;
  /** The least or the greatest of these, where it was asked for. */
  readonly extreme?: number | null;
}

/** The whole window as one bucket. */
export function windowOf({ buckets }: BucketLayout): BucketLayout {
  const [lo, hi] = [buckets[0]?.lo ?? 0, buckets.at(-1)?.hi ?? 0];
  return { widthMs: hi - lo, buckets: [{ lo, hi }] };
}

/** A choice: so many items take a millisecond or two, and then all else that waits has its turn. */
const ITEMS_A_TURN = 1000;

/** Does something for each of many, and lets others have their turn meanwhile. */
export async function inTurns<T>(many: readonly T[], act: (each: T, at: number) => void): Promise<void> {
  for (const [at, each] of many.entries()) {
    if (at > 0 && at % ITEMS_A_TURN === 0) await new Promise<void>(afterReading);
    act(each, at);
  }
}

/** The result of count, sum, mean, min and max. A bucket that has no figures is empty. */
export async function aggregated(
  query: HistoryQuery,
  layout: BucketLayout,
  figures: readonly (BucketFigures | undefined)[],
  thinnedBefore?: number,
): Promise<HistoryResult> {
  const items: BucketItem[] = [];
  const edge = isoTexts();
  let [records, withData] = [0, 0];
  // one object a bucket and no more: with ten thousand the collection of garbage takes longer than all else
  await inTurns(layout.buckets, ({ lo, hi }, k) => {
    const its = figures[k];
    const count = (query.valueField === undefined ? its?.records : (its?.numbers ?? its?.records)) ?? 0;
    records += its?.records ?? 0;
    withData += Math.sign(count);
    if (count === 0 && !query.includeEmpty) return;
    const value = figureOf(query.aggregation, count, its);
    items.push({ bucket_start: edge(lo), bucket_end: edge(hi), value, count });
  });
  return historyResult(query, layout, {
    ...{ records, withData, items },
    ...(thinnedBefore !== undefined && { thinnedBefore }),
  });
}

function figureOf(aggregation: Aggregation, count: number, its: BucketFigures | undefined): number | null {
  if (aggregation === "count") return count;
  if (aggregation === "sum") return rounded(count === 0 ? 0 : (its?.total ?? 0));
  if (count === 0) return null;
  return rounded(aggregation === "mean" ? (its?.total ?? 0) / count : (its?.extreme ?? null));
}

/** Digits of a figure. A choice: no sensor has as many, and those behind depend on the order in which rows were added. */
const DIGITS = 12;

const rounded = (given: number | null): number | null => {
  const value = given === null ? null : finite(given);
  return value === null || (value % 1 === 0 && Math.abs(value) < 10 ** DIGITS)
    ? value
    : Number(value.toPrecision(DIGITS));
};

interface Outcome {
  /** Absent where the window has no thinned rows. */
  readonly thinnedBefore?: number;
  readonly records: number;
  readonly withData: number;
  readonly items: HistoryResult["items"];
}

/** What is told of a question, and its items. */
export function historyResult(
  query: HistoryQuery,
  { widthMs, buckets }: BucketLayout,
  { records, withData, items, thinnedBefore }: Outcome,
): HistoryResult {
  const [to, span] = [Math.trunc(query.endMs), Math.round(hours(query.hours))];
  return {
    aggregation: query.aggregation,
    bucket_seconds: widthMs / 1000,
    coverage: {
      from: iso(to - span),
      to: iso(to),
      records,
      buckets: buckets.length,
      buckets_with_data: withData,
      ...(thinnedBefore !== undefined && { thinned_before: iso(thinnedBefore) }),
    },
    items,
  };
}

const iso = (epochMs: number) => new Date(epochMs).toISOString();

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const TWO_DIGITS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, "0"));

/**
 * `iso` for times in order: a thousand of them were a quarter of an answer's time. The day is kept from one to the next, and the end
 * of a bucket is mostly the start of the next.
 */
export function isoTexts(): (epochMs: number) => string {
  let [last, text, day, date] = [Number.NaN, "", Number.NaN, ""];
  return (at) => {
    if (at === last) return text;
    if (Math.floor(at / DAY) !== day) [day, date] = [Math.floor(at / DAY), iso(at).slice(0, -13)];
    const ms = at - day * DAY;
    const [hour, minute, second] = [ms / HOUR, (ms % HOUR) / MINUTE, (ms % MINUTE) / 1000].map(
      (n) => TWO_DIGITS[Math.floor(n)],
    );
    last = at;
    text = `${date}${hour}:${minute}:${second}.${String(ms % 1000).padStart(3, "0")}Z`;
    return text;
  };
}
