import { hours } from "../../drivers/units.js";
import type { Aggregation, BucketItem, BucketLayout, HistoryQuery, HistoryResult } from "./bucket.js";

/** What one bucket holds. */
export interface BucketFigures {
  /** The bucket's place in the layout. */
  readonly k: number;
  readonly records: number;
  /** Records that have the field at all. */
  readonly present: number;
  /** Records whose field is a number. */
  readonly numbers: number;
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

/** The result of count, sum, mean, min and max. */
export function aggregated(
  query: HistoryQuery,
  layout: BucketLayout,
  figures: readonly BucketFigures[],
  thinnedBefore?: number,
): HistoryResult {
  const byBucket = new Map(figures.map((each) => [each.k, each]));
  const all = layout.buckets.map((bucket, k) => ({ bucket, figure: figureOf(query, byBucket.get(k)) }));
  const withData = all.filter(({ figure }) => figure.count > 0);
  // a month mostly has empty buckets, and the texts of their times are most of what they cost
  const edge = isoTexts();
  const items = (query.includeEmpty ? all : withData).map(
    ({ bucket: { lo, hi }, figure: { value, count } }) => ({
      bucket_start: edge(lo),
      bucket_end: edge(hi),
      value,
      count,
    }),
  );
  const records = figures.reduce((sum, each) => sum + each.records, 0);
  return historyResult(query, layout, {
    records,
    withData: withData.length,
    items,
    ...(thinnedBefore !== undefined && { thinnedBefore }),
  });
}

function figureOf(
  { aggregation, valueField }: HistoryQuery,
  figures?: BucketFigures,
): Pick<BucketItem, "value" | "count"> {
  const count = (valueField === undefined ? figures?.records : figures?.numbers) ?? 0;
  const total = figures?.total ?? 0;
  const figure = count > 0 ? { count, total, extreme: figures?.extreme ?? null } : EMPTY;
  return { value: rounded(FIGURE[aggregation]?.(figure)), count };
}

/** Digits of a figure. A choice: no sensor has as many, and those behind depend on the order in which rows were added. */
const DIGITS = 12;

const rounded = (value: number | null | undefined): number | null =>
  typeof value !== "number"
    ? null
    : value % 1 === 0 && Math.abs(value) < 10 ** DIGITS
      ? value
      : Number(value.toPrecision(DIGITS));

interface Figure {
  readonly count: number;
  readonly total: number;
  readonly extreme: number | null;
}

const EMPTY: Figure = { count: 0, total: 0, extreme: null };
const extremeOf = ({ extreme }: Figure) => extreme;
/** What does not stand here gives whole records. */
const FIGURE: Partial<Record<Aggregation, (figure: Figure) => number | null>> = {
  count: ({ count }) => count,
  sum: ({ total }) => total,
  mean: ({ total, count }) => (count > 0 ? total / count : null),
  min: extremeOf,
  max: extremeOf,
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
