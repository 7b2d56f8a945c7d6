import { join } from "node:path";
import t, { type Test } from "tap";
import { hours, minutes } from "../../../drivers/units.js";
import type { HistoryQuery } from "../../../runtime/store/bucket.js";
import { Database, type Queries } from "../../../runtime/store/database.js";
import { HistoryReader } from "../../../runtime/store/history-reader.js";
import { MeasurementStore } from "../../../runtime/store/measurements.js";
import { DATABASE_FILE, openDatabase } from "../../../runtime/store/open-database.js";
import { numbersTable } from "../../../runtime/store/rollup-schema.js";
import { openStore } from "../../../runtime/store/store.js";

const END = Date.parse("2026-06-30T12:00:00.000Z");
const FIELDS = { temperature_c: "air_temperature", humidity_percent: "relative_humidity" } as const;

async function open(t: Test) {
  const folder = join(t.testdir(), "state");
  const store = await openStore({ folder });
  t.teardown(() => store.close());
  return { folder, ...over(store.measurements) };
}

function over(measurements: MeasurementStore) {
  const add = (ago: number, temperature: number, humidity: number, place = "kitchen") => {
    const here = { place, at: END - ago };
    measurements.add({ ...here, quantity: "air_temperature", value: temperature });
    measurements.add({ ...here, quantity: "relative_humidity", value: humidity });
  };
  const ask = (query: Partial<HistoryQuery>, place = "kitchen") =>
    measurements.history(
      { hours: 24, samplesPerHour: 1, aggregation: "mean", endMs: END, ...query },
      { place, fields: FIELDS },
    );
  return { measurements, add, ask };
}

/** SQLite reads each of these from a text as the number beside it. */
const HARD = [16.21825216161937, 60.02058948391144, 39.60761061851289];

t.test("a value comes back to the last digit", async (t) => {
  const { measurements, ask } = await open(t);
  const add = (value: number, n: number) =>
    measurements.add({ quantity: "air_temperature", place: "kitchen", at: END - minutes(n), value });
  HARD.forEach(add);
  await measurements.flush();
  const stored = await measurements.latest("kitchen", "air_temperature", 9);
  t.same(
    stored.map(({ value }) => value),
    HARD,
  );
  const { items } = await ask({ hours: 1 / 20, samplesPerHour: 60, aggregation: "first" });
  t.same(
    items.map((each) => (each as { temperature_c?: number }).temperature_c),
    HARD.toReversed(),
  );
});

t.test(
  "a figure that is no number is refused, and what an older version has stored of the kind spoils no answer",
  async (t) => {
    const { folder, measurements, add, ask } = await open(t);
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
      t.throws(() => add(0, value, 50), {
        code: "INTERNAL",
        message: new RegExp(`value of measurements is ${value}, no number`),
      });
    add(minutes(1), 21, 50);
    add(minutes(2), 22, 51);
    await measurements.flush();
    const database = await Database.open({
      file: join(folder, DATABASE_FILE),
      setup: ["PRAGMA busy_timeout = 2000"],
    });
    for (const sql of [
      "UPDATE measurements SET value = 9e999 WHERE quantity = 'air_temperature' AND value = 22",
      "UPDATE measurement_sums SET value = -9e999 WHERE quantity = 'air_temperature'",
    ])
      await database.run(sql);
    await database.close();
    for (const aggregation of ["first", "last", "middle", "sum", "mean", "min", "max", "count"] as const)
      for (const [hours, samplesPerHour] of [
        [0.1, 60],
        [24, 1],
      ] as const) {
        const valueField = ["first", "last", "middle"].includes(aggregation)
          ? {}
          : { valueField: "temperature_c" };
        const { items } = await ask({ hours, samplesPerHour, aggregation, ...valueField });
        const shown = `${aggregation} in ${samplesPerHour} buckets an hour`;
        t.ok(items.length > 0, shown);
        t.notMatch(
          JSON.stringify(items.map((each) => Object.values(each).map(String))),
          /NaN|Infinity/,
          shown,
        );
      }
    const narrow = await ask({ hours: 0.1, samplesPerHour: 60, aggregation: "first" });
    t.match(narrow.items, [
      { temperature_c: null, humidity_percent: 51 },
      { temperature_c: 21, humidity_percent: 50 },
    ]);
  },
);

t.test(
  "in narrow buckets a record has what was measured at its time, and the last of several values",
  async (t) => {
    const { measurements, add, ask } = await open(t);
    add(0, 20, 50);
    measurements.add({ quantity: "air_temperature", place: "kitchen", at: END - minutes(1), value: 21 });
    measurements.add({ quantity: "relative_humidity", place: "kitchen", at: END - minutes(2), value: 52 });
    add(minutes(3), 23, 53);
    add(minutes(3), 22, 54);
    await measurements.flush();
    const asked = { hours: 0.1, samplesPerHour: 60, aggregation: "last" } as const;
    const shown = (n: number, temperature_c: number, humidity_percent: number | null) => ({
      timestamp: new Date(END - minutes(n)).toISOString(),
      temperature_c,
      humidity_percent,
    });
    t.match(await ask(asked), {
      coverage: { records: 4 },
      items: [shown(3, 22, 54), shown(1, 21, null), shown(0, 20, 50)],
    });
    t.match((await ask({ ...asked, valueField: "humidity_percent" })).items, [
      { humidity_percent: 54 },
      { humidity_percent: 52, temperature_c: null },
      { humidity_percent: 50 },
    ]);
  },
);

t.test("a measurement keeps its quantity, unit, place, time, value and quality", async (t) => {
  const { measurements } = await open(t);
  measurements.add({
    quantity: "air_pressure",
    place: "kitchen",
    at: END,
    value: 1013.25,
    quality: "doubtful",
  });
  measurements.add({ quantity: "air_pressure", place: "attic", at: END, value: 1 });
  t.same(await measurements.latest("kitchen", "air_pressure", 9), [
    { quantity: "air_pressure", unit: "hPa", place: "kitchen", at: END, value: 1013.25, quality: "doubtful" },
  ]);
});

t.test("what was measured at once is one record of the history", async (t) => {
  const { measurements, add, ask } = await open(t);
  for (const m of [59, 31, 29, 0]) add(minutes(m), 20 + m, 40 + m);
  add(minutes(31), 0, 0, "attic");
  measurements.add({ quantity: "air_temperature", place: "kitchen", at: END - hours(5), value: 9 });
  const item = (m: number) => ({
    timestamp: new Date(END - minutes(m)).toISOString(),
    temperature_c: 20 + m,
    humidity_percent: 40 + m,
  });
  const lone = {
    timestamp: new Date(END - hours(5)).toISOString(),
    temperature_c: 9,
    humidity_percent: null,
  };
  t.same((await ask({ aggregation: "first" })).items, [lone, item(59)]);
  t.same((await ask({ aggregation: "middle" })).items, [lone, item(31)]);
  t.same((await ask({ aggregation: "last" })).items, [lone, item(0)]);
  t.match((await ask({ aggregation: "last" })).coverage, { records: 5, buckets: 24, buckets_with_data: 2 });
});

t.test("count, sum and mean are those of one quantity at one place", async (t) => {
  const { add, ask } = await open(t);
  for (const m of [90, 59, 31, 29, 0]) add(minutes(m), m, 10 * m);
  add(minutes(1), 1000, 1000, "attic");
  t.match((await ask({ valueField: "temperature_c" })).items, [
    { value: 90, count: 1 },
    { value: 119 / 4, count: 4 },
  ]);
  t.match((await ask({ aggregation: "sum", valueField: "humidity_percent" })).items, [
    { value: 900 },
    { value: 1190 },
  ]);
  t.match((await ask({ aggregation: "count" })).items, [{ value: 1 }, { value: 4 }]);
  t.same((await ask({ aggregation: "count" }, "cellar")).items, []);
});

t.test("a field that is not measured is refused with those that are", async (t) => {
  const { ask } = await open(t);
  for (const aggregation of ["sum", "last"] as const)
    await t.rejects(ask({ aggregation, valueField: "value" }), {
      code: "UNKNOWN_FIELD",
      message: /temperature_c, humidity_percent/,
    });
  await t.rejects(ask({ aggregation: "sum" }), { code: "INVALID_ARGUMENT" });
});

/** Keeps what it was asked. */
class NotingReader extends HistoryReader {
  readonly asked: string[] = [];

  override ask<T>(work: (queries: Queries) => Promise<T>, buckets?: number): Promise<T> {
    const noted = (sql: string) => {
      this.asked.push(sql);
      return sql;
    };
    const noting = (queries: Queries): Queries => ({
      run: (sql, params) => queries.run(noted(sql), params),
      get: (sql, params) => queries.get(noted(sql), params),
      all: (sql, params) => queries.all(noted(sql), params),
    });
    return super.ask((queries) => work(noting(queries)), buckets);
  }
}

t.test("no query reads a table from end to end", async (t) => {
  const folder = t.testdir();
  const { database } = await openDatabase(folder, false);
  const reader = new NotingReader(join(folder, DATABASE_FILE));
  const { asked } = reader;
  const onFailure = (error: Error) => void t.fail(error.message);
  const { add, ask, measurements } = over(
    new MeasurementStore({ database, reader, onFailure, relaxed: false }),
  );
  t.teardown(async () => {
    await measurements.close();
    await reader.close();
    await database.close();
  });
  add(0, 20, 40);
  for (const aggregation of ["first", "last", "middle", "count", "mean", "min"] as const)
    for (const hours of [24, 24 * 365])
      await ask({ hours, samplesPerHour: 24 / hours, aggregation, valueField: "temperature_c" });
  await measurements.flush();
  const other = await Database.open({ file: join(folder, DATABASE_FILE), setup: numbersTable(10_000) });
  t.teardown(() => other.close());
  const plans = await Promise.all(
    [...asked].map((sql) => other.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)),
  );
  const scans = plans.flat().filter(({ detail }) => /SCAN (measure|s\d)/.test(detail));
  const sorts = plans.flat().filter(({ detail }) => /GROUP BY/.test(detail));
  t.same(sorts, [], "nor sorts what it has read");
  t.ok(plans.length >= 5);
  t.same(scans, []);
});
