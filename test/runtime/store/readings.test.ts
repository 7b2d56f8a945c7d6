import { join } from "node:path";
import fc from "fast-check";
import t, { type Test } from "tap";
import { hours, minutes } from "../../../drivers/units.js";
import type { BucketItem, HistoryQuery } from "../../../runtime/store/bucket.js";
import { Database } from "../../../runtime/store/database.js";
import type { StoredReading } from "../../../runtime/store/measurements.js";
import { openStore } from "../../../runtime/store/store.js";

const END = Date.parse("2026-06-30T12:00:00.000Z");
const reading = (at: number, value: number, plant = "a"): StoredReading => ({
  plant,
  at,
  value,
  percent: value / 100,
  noise: 12.5,
  level: 1.25,
});

async function open(t: Test) {
  const folder = join(t.testdir(), "state");
  const failures: Error[] = [];
  const store = await openStore({ folder, onFailure: (error) => failures.push(error) });
  t.teardown(() => store.close());
  const ask = (query: Partial<HistoryQuery>) =>
    store.readings.history({
      hours: 24,
      samplesPerHour: 1,
      aggregation: "mean",
      valueField: "value",
      endMs: END,
      plant: "a",
      ...query,
    });
  return { folder, failures, readings: store.readings, ask };
}

t.test("a reading is there as soon as anybody asks", async (t) => {
  const { readings, ask } = await open(t);
  readings.add(reading(END, 12_000));
  t.same(await readings.latest("a", 5), [reading(END, 12_000)]);
  readings.add(reading(END, 13_000));
  t.same(
    (await readings.latest("a", 5)).map(({ value }) => value),
    [12_000, 13_000],
  );
  readings.add(reading(END, 14_000));
  t.match((await ask({})).items, [{ value: 13_000, count: 3 }]);
});

t.test("readings survive a restart exactly, fractions included", async (t) => {
  const folder = join(t.testdir(), "state");
  const exact = { plant: "a", at: END, value: 12_001, percent: 0.1 + 0.2, noise: Math.PI, level: 1 / 3 };
  const first = await openStore({ folder });
  first.readings.add(exact);
  await first.close();
  const second = await openStore({ folder });
  t.same(await second.readings.latest("a", 1), [exact]);
  await second.close();
});

t.test("ten readings are one commit; fewer wait", async (t) => {
  const { folder, readings } = await open(t);
  const other = await Database.open({ file: join(folder, "tendril.sqlite"), setup: [] });
  t.teardown(() => other.close());
  const committed = async () => (await other.get<{ n: number }>("SELECT count(*) AS n FROM readings"))?.n;
  for (let i = 0; i < 9; i += 1) readings.add(reading(END + i, i));
  t.equal(await committed(), 0);
  readings.add(reading(END + 9, 9));
  await readings.flush();
  t.equal(await committed(), 10);
});

t.test("readings that come while a commit is under way are not lost with it", async (t) => {
  const { readings, ask } = await open(t);
  for (let n = 0; n < 10; n += 1) readings.add(reading(END - n, 12_000));
  const committing = readings.flush();
  await Promise.resolve();
  for (let n = 0; n < 3; n += 1) readings.add(reading(END - n, 12_000));
  await committing;
  t.match((await ask({})).items, [{ count: 13 }]);
});

t.test("a commit that fails loses no reading, and is reported though nobody asked", async (t) => {
  const { folder, failures, readings } = await open(t);
  const other = await Database.open({ file: join(folder, "tendril.sqlite"), setup: [] });
  t.teardown(() => other.close());
  await other.script("ALTER TABLE reading_sums RENAME TO hidden");
  for (let i = 0; i < 25; i += 1) readings.add(reading(END + i, i));
  await t.rejects(readings.flush(), { code: "STORE_FAILED" });
  t.match(failures[0], { code: "STORE_FAILED" });
  const all = async () => (await readings.latest("a", 50)).map(({ value }) => value);
  const expected = Array.from({ length: 25 }, (_, i) => i);
  t.same(await all(), expected, "a question sees them while they wait");
  await other.script("ALTER TABLE hidden RENAME TO reading_sums");
  await readings.flush();
  t.same(await all(), expected);
  t.match(await other.get("SELECT count(*) AS n FROM readings"), { n: 25 });
});

t.test("the latest readings are those that came last, though the wall clock was set back", async (t) => {
  const { readings } = await open(t);
  for (const [i, at] of [END, END + hours(5), END - hours(3), END].entries()) readings.add(reading(at, i));
  readings.add(reading(END, 99, "b"));
  t.same(
    (await readings.latest("a", 2)).map(({ value }) => value),
    [2, 3],
  );
});

t.test("whole readings are one a bucket, with everything in them", async (t) => {
  const { readings, ask } = await open(t);
  for (const m of [59, 31, 29, 0]) readings.add(reading(END - minutes(m), m));
  const item = (m: number) => ({
    timestamp: new Date(END - minutes(m)).toISOString(),
    value: m,
    percent: m / 100,
    noise: 12.5,
    level: 1.25,
  });
  t.same((await ask({ aggregation: "first" })).items, [item(59)]);
  t.same((await ask({ aggregation: "middle" })).items, [item(31)]);
  t.same((await ask({ aggregation: "last" })).items, [item(0)]);
  t.match((await ask({ aggregation: "last" })).coverage, { records: 4, buckets: 24, buckets_with_data: 1 });
});

t.test("a field that readings do not have is refused with those they have", async (t) => {
  const { ask } = await open(t);
  for (const aggregation of ["sum", "last"] as const) {
    await t.rejects(ask({ aggregation, valueField: "moisture" }), {
      code: "UNKNOWN_FIELD",
      message: /value, percent, noise, level/,
    });
  }
  await t.rejects(ask({ aggregation: "sum", valueField: "value; DROP TABLE readings" }), {
    code: "UNKNOWN_FIELD",
  });
});

t.test("a plant's history is its own", async (t) => {
  const { readings, ask } = await open(t);
  readings.add(reading(END, 1, "a"));
  readings.add(reading(END, 2, "b"));
  t.match((await ask({ plant: "b" })).items, [{ value: 2, count: 1 }]);
  t.same((await ask({ plant: "nobody" })).items, []);
});

t.test("whatever the window and the density, the sums are those of the readings themselves", async (t) => {
  const { readings, ask } = await open(t);
  const random = fc.sample(
    fc.tuple(fc.integer({ min: 0, max: hours(60) }), fc.integer({ min: 0, max: 30_000 })),
    { seed: 4, numRuns: 600 },
  );
  const all = random.map(([ago, value]) => reading(END - ago, value));
  for (const each of all) readings.add(each);
  const property = fc.asyncProperty(
    fc.integer({ min: 1, max: 70 }),
    fc.double({ min: 0.02, max: 20, noNaN: true }),
    fc.integer({ min: -hours(30), max: hours(3) }),
    async (span, samplesPerHour, shift) => {
      const result = await ask({
        hours: span,
        samplesPerHour,
        endMs: END + shift,
        aggregation: "sum",
        includeEmpty: true,
      });
      return result.items.every((item) => agrees(item as BucketItem, all));
    },
  );
  await fc.assert(property, { seed: 11, numRuns: 60 });
  t.pass("60 queries");
});

function agrees(
  { bucket_start, bucket_end, value, count }: BucketItem,
  all: readonly StoredReading[],
): boolean {
  const [start, end] = [Date.parse(bucket_start), Date.parse(bucket_end)];
  const inside = all.filter(({ at }) => at > start && at <= end);
  return count === inside.length && value === inside.reduce((sum, each) => sum + each.value, 0);
}

t.test("half-hours that the edges cut are counted to the millisecond", async (t) => {
  const { readings, ask } = await open(t);
  const slot = Date.parse("2026-06-30T10:00:00.000Z");
  for (const at of [slot - 1, slot, slot + 1, slot + minutes(30) - 1, slot + minutes(30)])
    readings.add(reading(at, 1));
  const count = async (endMs: number) =>
    (await ask({ hours: 1, endMs, aggregation: "count" })).coverage.records;
  t.equal(await count(slot - 1), 1);
  t.equal(await count(slot), 2);
  t.equal(await count(slot + minutes(30)), 5);
  t.equal(await count(slot + minutes(60) - 1), 4, "the one at the start is outside");
  t.equal(await count(slot + minutes(60)), 3);
});
