import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import fc from "fast-check";
import t, { type Test } from "tap";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { hours, minutes } from "../../../drivers/units.js";
import {
  AGGREGATIONS,
  type Aggregation,
  type HistoryQuery,
  layOutBuckets,
  needsField,
} from "../../../runtime/store/bucket.js";
import { Database } from "../../../runtime/store/database.js";
import type { MeasurementStore } from "../../../runtime/store/measurements.js";
import { openStore } from "../../../runtime/store/store.js";
import { spawnNode } from "../../spawn-node.js";

const END = Date.parse("2026-06-30T12:34:56.789Z");
const days = (n: number) => hours(24 * n);
const FILE = "tendril.sqlite";
const FIELDS = { temperature_c: "air_temperature" } as const;
interface Row {
  readonly at: number;
  readonly value: number;
  readonly quality: string | null;
}

/** What happens to a database: rows come, the program starts again. */
type Event = { readonly kind: "rows"; readonly rows: readonly Row[] } | { readonly kind: "restart" };

/** Minutes, hours and days apart, with gaps; some at the same time. The list is in the order of arrival, which is any. */
const at = fc
  .tuple(fc.constantFrom(0, 1, 30, 400, 1900), fc.nat(1440), fc.nat(3))
  .map(([day, minute, ms]) => END - day * days(1) - minute * minutes(1) + ms);
const rows = fc.array(
  fc.record({
    at,
    value: fc.integer({ min: -110_000, max: 110_000 }).map((hundredths) => hundredths / 100),
    quality: fc.constantFrom(null, null, "doubtful"),
  }),
  { maxLength: 60 },
);
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: rows.map((each) => ({ kind: "rows" as const, rows: each })) },
  fc.constant({ kind: "restart" as const }),
);
const query: fc.Arbitrary<HistoryQuery> = fc
  .record({
    hours: fc.constantFrom(1, 5, 26, 200, 1000, 9000, 45_000),
    buckets: fc.integer({ min: 1, max: 200 }),
    aggregation: fc.constantFrom(...AGGREGATIONS),
    endMs: fc.tuple(fc.nat(3), fc.nat(90_000_000)).map(([day, ms]) => END - day * days(1) + ms),
  })
  .map(({ buckets, ...asked }) => ({
    ...asked,
    samplesPerHour: Math.min(3600, buckets / asked.hours),
    ...(needsField(asked.aggregation) && { valueField: "temperature_c" }),
  }));

const measurement = (row: Row) =>
  ({ ...row, place: "kitchen", quantity: "air_temperature", unit: "°C" }) as const;

async function withDatabase(folder: string, work: (database: Database) => Promise<unknown>): Promise<void> {
  const database = await Database.open({ file: join(folder, FILE), setup: [] });
  try {
    await work(database);
  } finally {
    await database.close();
  }
}

async function playEvents(folder: string, events: readonly Event[]): Promise<Row[]> {
  const all: Row[] = [];
  for (const each of events) {
    const store = await openStore({ folder });
    if (each.kind === "rows") for (const row of each.rows) store.measurements.add(measurement(row));
    await store.close();
    if ("rows" in each) all.push(...each.rows);
  }
  return all;
}

/** The same question, answered by looking at each row. */
function plainly(all: readonly Row[], asked: HistoryQuery) {
  // a sort keeps the order of arrival of what has one time
  const inOrder = all.toSorted((a, b) => a.at - b.at);
  return layOutBuckets(asked).buckets.flatMap(({ lo, hi }) => {
    const here = inOrder.filter((row) => row.at > lo && row.at <= hi);
    return here.length === 0 ? [] : [{ here, lo, hi, item: PLAIN[asked.aggregation](here, lo + hi) }];
  });
}

const sumOf = (here: readonly Row[]) => here.reduce((sum, { value }) => sum + value, 0);
/** A record shows the last value of its time. */
const shown = (here: readonly Row[], found: Row | undefined) =>
  here.findLast((row) => row.at === found?.at)?.value ?? Number.NaN;

const PLAIN: Record<Aggregation, (here: readonly Row[], lohi: number) => number> = {
  first: (here) => shown(here, here[0]),
  last: (here) => shown(here, here.at(-1)),
  middle: (here, lohi) => {
    const distance = (row: Row) => Math.abs(2 * row.at - lohi);
    return shown(here, here.toSorted((a, b) => distance(a) - distance(b) || a.at - b.at)[0]);
  },
  count: (here) => here.length,
  sum: sumOf,
  mean: (here) => sumOf(here) / here.length,
  min: (here) => Math.min(...here.map(({ value }) => value)),
  max: (here) => Math.max(...here.map(({ value }) => value)),
};

async function assertPlain(
  t: Test,
  measurements: MeasurementStore,
  all: readonly Row[],
  asked: HistoryQuery,
) {
  const { items, coverage } = await measurements.history(asked, { place: "kitchen", fields: FIELDS });
  const expected = plainly(all, asked);
  const words = JSON.stringify(asked);
  t.equal(
    coverage.records,
    expected.reduce((sum, { here }) => sum + here.length, 0),
    words,
  );
  t.equal(items.length, expected.length, words);
  const exact = asked.aggregation !== "sum" && asked.aggregation !== "mean";
  for (const [at, { item, here }] of expected.entries()) {
    const found = items[at] as { value?: number; count?: number; temperature_c?: number };
    const value = found.value ?? found.temperature_c ?? Number.NaN;
    if (found.count !== undefined) t.equal(found.count, here.length, words);
    const most = Math.max(1, ...here.map((row) => Math.abs(row.value))) * here.length;
    if (exact) t.equal(value, item, words);
    else if (!(Math.abs(value - item) <= 1e-9 * most)) t.equal(value, item, words);
  }
}

t.test(
  "any question is answered as a look at each row would, whatever happened to the database, also of rows that wait for their commit",
  async (t) => {
    let run = 0;
    const property = fc.asyncProperty(
      fc.array(event, { minLength: 1, maxLength: 6 }),
      rows,
      fc.array(query, { minLength: 6, maxLength: 12 }),
      async (events, waiting, queries) => {
        const folder = join(t.testdirName, `state-${run}`);
        run += 1;
        const all = [...(await playEvents(folder, events)), ...waiting];
        const store = await openStore({ folder });
        try {
          store.delayCommits({ clock: new SystemClock(), within: hours(1) });
          for (const row of waiting) store.measurements.add(measurement(row));
          for (const asked of queries) await assertPlain(t, store.measurements, all, asked);
        } finally {
          await store.close();
        }
        return t.passing();
      },
    );
    t.testdir();
    await fc.assert(property, { numRuns: 12, seed: 20 });
  },
);

const CHILD = join(import.meta.dirname, "measuring.js");

async function measureAndKill(folder: string, from: number, enough: number): Promise<number> {
  const child = spawnNode([CHILD, folder, String(from)]);
  child.stderr.pipe(process.stderr);
  const exited = once(child, "exit");
  let committed = from;
  let lines = 0;
  for await (const line of createInterface(child.stdout)) {
    committed = Number(line) + 1;
    lines += 1;
    if (lines === enough) child.kill("SIGKILL");
  }
  await exited;
  return committed;
}

t.test("after kill -9 at any point rows, slots and days agree", async (t) => {
  const folder = join(t.testdir(), "state");
  let from = 0;
  for (const round of [1, 7, 23]) {
    from = await measureAndKill(folder, from, 20 + round);
    await withDatabase(folder, async (database) => {
      const disagreeing = async (
        fine: string,
        coarse: string,
        ratio: number,
        position: string,
        n: string,
      ) => {
        const sql = `SELECT * FROM (SELECT ${position} / ${ratio} AS at, ${n} AS n, total(value) AS total FROM ${fine} GROUP BY 1) AS fine
          FULL JOIN ${coarse} AS coarse ON coarse.${coarse === "measurement_days" ? "day" : "slot"} = fine.at
          WHERE fine.n IS NOT coarse.n OR abs(fine.total - coarse.value) > 1e-6`;
        return database.all(sql);
      };
      t.same(await disagreeing("measurements", "measurement_sums", hours(0.5), "at", "count(*)"), []);
      t.same(await disagreeing("measurement_sums", "measurement_days", 48, "slot", "sum(n)"), []);
      t.ok(((await database.get<{ n: number }>("SELECT count(*) AS n FROM measurements"))?.n ?? 0) >= from);
    });
  }
});
