import { afterReading } from "../../drivers/clock/system-clock.js";
import { hours } from "../../drivers/units.js";
import { TendrilError } from "../errors.js";
import { finite } from "./rollup-schema.js";

export const AGGREGATIONS = ["first", "last", "middle", "count", "sum", "mean", "min", "max"] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];

/** Whether it needs the field of which it gives a figure. */
export const needsField = (aggregation: Aggregation): boolean =>
  aggregation === "sum" || aggregation === "mean" || isExtreme(aggregation);

export const isExtreme = (aggregation: Aggregation): aggregation is "min" | "max" =>
  aggregation === "min" || aggregation === "max";

export interface HistoryQuery {
  /** Length of the window. */
  readonly hours: number;
  /** In (0, 3600]. */
  readonly samplesPerHour: number;
  readonly aggregation: Aggregation;
  /** Dotted path of the field to aggregate; required for sum, mean, min and max. */
  readonly valueField?: string;
  /** End of the window, included; epoch milliseconds. */
  readonly endMs: number;
  /** Also gives the buckets without a value (not for first, last and middle). Default false. */
  readonly includeEmpty?: boolean;
  readonly plant?: string;
}

/** A bucket of an aggregation: (start, end], `count` values entered `value`. */
export interface BucketItem {
  readonly bucket_start: string;
  readonly bucket_end: string;
  readonly value: number | null;
  readonly count: number;
}

export interface HistoryResult {
  readonly aggregation: Aggregation;
  readonly bucket_seconds: number;
  readonly coverage: {
    readonly from: string;
    readonly to: string;
    /** Records in the window. */
    readonly records: number;
    readonly buckets: number;
    readonly buckets_with_data: number;
    /** Present where rows of the window are thinned: before it the edges of buckets are those of half-hours. */
    readonly thinned_before?: string;
  };
  /** Oldest first: whole records (first, last, middle) or `BucketItem`s (the others). */
  readonly items: readonly (BucketItem | Readonly<Record<string, unknown>>)[];
}

/** Whole milliseconds: lo < at ≤ hi. */
export interface Bucket {
  readonly lo: number;
  readonly hi: number;
}

export interface BucketLayout {
  readonly widthMs: number;
  /** Oldest first; together they are exactly the window (end − hours, end]. */
  readonly buckets: readonly Bucket[];
}

export const MAX_BUCKETS = 10_000;
/** Weeks are tried first, then days, then hours. */
const WHOLE_UNITS_H = [168, 24, 1];
const SNAP = 0.01;
/** Keeps binary fractions (24 h at 7 an hour) from making one bucket too many. */
const ROUNDING = 1e-6;

/** 0.042 an hour is a day, 0.006 a week: a width within 1 % of whole hours is those hours. Milliseconds, may be a fraction. */
export function bucketWidth(samplesPerHour: number): number {
  const wanted = 1 / samplesPerHour;
  for (const unit of WHOLE_UNITS_H) {
    const whole = Math.round(wanted / unit) * unit;
    if (whole > 0 && Math.abs(wanted - whole) <= SNAP * whole) return hours(whole);
  }
  return hours(wanted);
}

/** Lays buckets back from the end of the window; the oldest may be shorter. Throws TOO_MANY_BUCKETS. */
export function layOutBuckets({ hours: span, samplesPerHour, endMs }: HistoryQuery): BucketLayout {
  const end = Math.trunc(endMs);
  const from = end - Math.round(hours(span));
  const widthMs = bucketWidth(samplesPerHour);
  const count = Math.max(1, Math.ceil((end - from) / widthMs - ROUNDING));
  if (count > MAX_BUCKETS) throw tooMany(span, samplesPerHour, count);
  const edge = (back: number) => (back === count ? from : end - Math.round(back * widthMs));
  const buckets = Array.from({ length: count }, (_, i) => ({ lo: edge(count - i), hi: edge(count - i - 1) }));
  return { widthMs, buckets };
}

function tooMany(span: number, asked: number, count: number): TendrilError {
  const fits = roundDown((MAX_BUCKETS / span) * (1 - SNAP));
  const what = `${span} h at samples_per_hour ${asked} are ${count} buckets, the most is ${MAX_BUCKETS}; samples_per_hour ${fits} would fit`;
  return new TendrilError("TOO_MANY_BUCKETS", what, {
    details: { buckets: count, limit: MAX_BUCKETS, samples_per_hour: fits },
  });
}

/** To three significant digits. */
function roundDown(value: number): number {
  const scale = 10 ** (2 - Math.floor(Math.log10(value)));
  return Math.floor(value * scale) / scale;
}

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
