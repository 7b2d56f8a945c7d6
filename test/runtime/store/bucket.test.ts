import fc from "fast-check";
import t from "tap";
import { hours, minutes, seconds } from "../../../drivers/units.js";
import { TendrilError } from "../../../runtime/errors.js";
import {
  bucketWidth,
  type HistoryQuery,
  isoTexts,
  layOutBuckets,
  MAX_BUCKETS,
} from "../../../runtime/store/bucket.js";

const END = Date.parse("2026-06-30T12:34:56.789Z");
const query = (span: number, samplesPerHour: number): HistoryQuery => ({
  hours: span,
  samplesPerHour,
  aggregation: "count",
  endMs: END,
});

t.test("widths are what samples_per_hour says, snapped to whole weeks, days and hours", async (t) => {
  const widths = {
    0.006: hours(168),
    0.042: hours(24),
    0.0417: hours(24),
    1: hours(1),
    6: minutes(10),
    3600: seconds(1),
  };
  for (const [samples, width] of Object.entries(widths))
    t.equal(bucketWidth(Number(samples)), width, samples);
  t.equal(bucketWidth(0.5), hours(2));
  t.equal(bucketWidth(0.334), hours(3), "2.994 h are within 1 % of 3");
});

t.test("what is further than 1 % from whole hours is left as it is", async (t) => {
  t.equal(bucketWidth(0.043), hours(1 / 0.043));
  t.equal(bucketWidth(7), hours(1 / 7));
  t.equal(bucketWidth(1.02), hours(1 / 1.02));
});

t.test("12 hours at one sample a day are one bucket, not none", async (t) => {
  t.same(layOutBuckets(query(12, 0.042)).buckets, [{ lo: END - hours(12), hi: END }]);
});

t.test("buckets are laid back from the end, the oldest may be shorter", async (t) => {
  const { buckets } = layOutBuckets(query(25, 0.042));
  t.same(buckets, [
    { lo: END - hours(25), hi: END - hours(24) },
    { lo: END - hours(24), hi: END },
  ]);
});

t.test("a density that divides the window evenly leaves no sliver", async (t) => {
  for (const samples of [6, 7, 11, 13, 60])
    t.equal(layOutBuckets(query(24, samples)).buckets.length, 24 * samples);
});

t.test("the buckets are the window: without gap, overlap or remainder", async (t) => {
  const property = fc.property(
    fc.integer({ min: 1, max: 9000 }),
    fc.double({ min: 0.0001, max: 3600, noNaN: true }),
    (span, samples) => {
      fc.pre(span * samples < MAX_BUCKETS / 1.02);
      const { buckets } = layOutBuckets(query(span, samples));
      const joined = buckets.every(({ lo, hi }, i) => lo < hi && (i === 0 || buckets[i - 1]?.hi === lo));
      return joined && buckets[0]?.lo === END - hours(span) && buckets.at(-1)?.hi === END;
    },
  );
  fc.assert(property, { seed: 5, numRuns: 300 });
  t.pass("300 layouts");
});

t.test("too many buckets are refused with a value that fits", async (t) => {
  const property = fc.property(
    fc.integer({ min: 1, max: 876_000 }),
    fc.double({ min: 0.02, max: 3600, noNaN: true }),
    (span, samples) => {
      const fits = suggestion(span, samples);
      return fits === undefined || layOutBuckets(query(span, fits)).buckets.length <= MAX_BUCKETS;
    },
  );
  fc.assert(property, { seed: 6, numRuns: 500 });
  t.throws(() => layOutBuckets(query(24, 3600)), {
    code: "TOO_MANY_BUCKETS",
    message: /86400 buckets, the most is 10000; samples_per_hour 412 would fit/,
  });
});

t.test("10,000 buckets are answered", async (t) => {
  t.equal(layOutBuckets(query(10_000, 1)).buckets.length, MAX_BUCKETS);
  t.throws(() => layOutBuckets(query(10_001, 1)), { code: "TOO_MANY_BUCKETS" });
});

function suggestion(span: number, samples: number): number | undefined {
  try {
    layOutBuckets(query(span, samples));
    return undefined;
  } catch (error) {
    if (!(error instanceof TendrilError)) throw error;
    return Number(error.particulars.details?.samples_per_hour);
  }
}

t.test("times of buckets are written as Date writes them, whatever their order", async (t) => {
  const times = fc.array(
    fc.oneof(fc.integer({ min: -9e12, max: 9e14 }), fc.integer({ min: END, max: END + 9e7 })),
  );
  const property = fc.property(times, (all) => {
    const text = isoTexts();
    return all.flatMap((at) => [at, at]).every((at) => text(at) === new Date(at).toISOString());
  });
  fc.assert(property, { seed: 7, numRuns: 300 });
  t.pass("300 lists of times");
});
