import { join } from "node:path";
import t, { type Test } from "tap";
import { hours, minutes } from "../../../drivers/units.js";
import { type Aggregation, needsField } from "../../../runtime/store/bucket.js";
import { Database } from "../../../runtime/store/database.js";
import { openStore } from "../../../runtime/store/store.js";

const END = Date.parse("2026-06-30T12:34:56.789Z");
const days = (n: number) => hours(24 * n);
const FIELDS = { temperature_c: "air_temperature" } as const;
/** A measurement every ten minutes over 100 days. */
const ROWS = Array.from({ length: 100 * 144 }, (_, n) => ({
  at: END - n * minutes(10),
  value: ((n * 7919) % 997) / 10,
}));
const KEPT_FROM = END - days(40);
/** Rows are kept from the beginning of this half-hour on. */
const THINNED_BEFORE = Math.floor(KEPT_FROM / minutes(30)) * minutes(30);

async function open(t: Test) {
  const folder = join(t.testdir(), "state");
  const store = await openStore({ folder });
  t.teardown(() => store.close().catch(() => undefined)); // some tests close it themselves
  for (const row of ROWS) store.measurements.add({ ...row, place: "kitchen", quantity: "air_temperature" });
  await store.measurements.flush();
  return { folder, store };
}

const ask = (
  { measurements }: Pick<Awaited<ReturnType<typeof openStore>>, "measurements">,
  aggregation: Aggregation,
  asked: { hours: number; buckets: number; endMs?: number },
) =>
  measurements.history(
    {
      ...{ hours: asked.hours, samplesPerHour: asked.buckets / asked.hours },
      ...{ aggregation, endMs: asked.endMs ?? END },
      ...(needsField(aggregation) && { valueField: "temperature_c" }),
    },
    { place: "kitchen", fields: FIELDS },
  );

const FIGURES = ["count", "sum", "mean", "min", "max"] as const;

t.test("figures of half-hours and longer stay as they were, with edges at half-hours", async (t) => {
  const { store } = await open(t);
  // half-hours of the clock: no edge is rounded
  const window = { hours: 99 * 24, buckets: 99, endMs: Date.parse("2026-06-30T00:00:00.000Z") - 1 };
  const before = await Promise.all(FIGURES.map((each) => ask(store, each, window)));
  await store.tidyHistory(KEPT_FROM);
  for (const [at, aggregation] of FIGURES.entries()) {
    const { items, coverage } = await ask(store, aggregation, window);
    t.same(items, before[at]?.items, aggregation);
    t.equal(coverage.thinned_before, new Date(THINNED_BEFORE).toISOString());
  }
});

t.test("a bucket whose edge was rounded has the rows of whole half-hours", async (t) => {
  const { store } = await open(t);
  await store.tidyHistory(KEPT_FROM);
  const nearest = (edge: number) => Math.floor((edge + 1 + minutes(15)) / minutes(30)) * minutes(30);
  const behind = (edge: number) => (edge + 1 < THINNED_BEFORE ? nearest(edge) : edge + 1);
  const { items } = await ask(store, "max", { hours: 90 * 24, buckets: 540 });
  t.equal(items.length, 540);
  for (const [k, item] of items.entries()) {
    const [lo, hi] = [END - (540 - k) * hours(4), END - (539 - k) * hours(4)];
    const here = ROWS.filter(({ at }) => at >= behind(lo) && at < behind(hi)).map(({ value }) => value);
    t.match(item, { value: Math.max(...here), count: here.length });
  }
});

t.test("what needs single readings from before is refused, and says how far back it can ask", async (t) => {
  const { store } = await open(t);
  await store.tidyHistory(KEPT_FROM);
  const raw_from = new Date(THINNED_BEFORE).toISOString();
  const refusal = { code: "HISTORY_THINNED", particulars: { details: { raw_from, hours: 960 } } };
  for (const aggregation of ["first", "last", "middle"] as const)
    await t.rejects(ask(store, aggregation, { hours: 961, buckets: 10 }), refusal);
  await t.rejects(ask(store, "mean", { hours: 961, buckets: 9610 }), refusal, "six minutes are too short");
  for (const aggregation of ["first", "last", "middle", "mean"] as const)
    t.match(await ask(store, aggregation, { hours: 960, buckets: 10 }), { items: { length: 10 } });
  t.notMatch(await ask(store, "sum", { hours: 960, buckets: 10 }), { coverage: { thinned_before: String } });
});

t.test("rows go in small steps that a stop may interrupt, and the next start knows of it", async (t) => {
  const { folder, store } = await open(t);
  const thinning = store.tidyHistory(KEPT_FROM);
  t.match(await ask(store, "count", { hours: 24, buckets: 24 }), { coverage: { records: 144 } });
  await store.close();
  await thinning;
  const again = await openStore({ folder });
  t.teardown(() => again.close());
  await again.tidyHistory(KEPT_FROM);
  await again.tidyHistory(KEPT_FROM - days(5));
  await t.rejects(ask(again, "first", { hours: 961, buckets: 10 }), { code: "HISTORY_THINNED" });
  t.match(await ask(again, "count", { hours: 24, buckets: 24 }), { coverage: { records: 144 } });
});

t.test("a row that comes late for a thinned half-hour is in its figures", async (t) => {
  const { folder, store } = await open(t);
  await store.tidyHistory(KEPT_FROM);
  const window = { hours: 24, buckets: 1, endMs: Date.parse("2026-05-01T00:00:00.000Z") - 1 };
  const value = async (aggregation: Aggregation) =>
    (await ask(store, aggregation, window)).items[0]?.value as number;
  const [count, max] = [await value("count"), await value("max")];
  const late = { place: "kitchen", quantity: "air_temperature", at: window.endMs - hours(3) } as const;
  store.measurements.add({ ...late, value: -50 });
  await store.measurements.flush();
  t.same([await value("count"), await value("min"), await value("max")], [count + 1, -50, max]);
  const other = await Database.open({ file: join(folder, "tendril.sqlite"), setup: [] });
  t.teardown(() => other.close());
  // as the version before does it: minimum and maximum are worked out by the trigger, from the rows that are left
  await other.run("UPDATE measurement_sums SET n = n + 1, value = value + 200 WHERE slot = ?", [
    Math.floor((window.endMs - hours(3)) / minutes(30)),
  ]);
  t.same([await value("count"), await value("min"), await value("max")], [count + 2, -50, max]);
});

t.test("where all is kept, nothing goes", async (t) => {
  const { store } = await open(t);
  await store.tidyHistory(undefined);
  t.match(await ask(store, "first", { hours: 99 * 24, buckets: 10 }), { items: { length: 10 } });
});
