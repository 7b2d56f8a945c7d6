import { hours } from "../../drivers/units.js";
import { TendrilError } from "../errors.js";

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
