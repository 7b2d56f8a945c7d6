import { join } from "node:path";
import t, { type Test } from "tap";
import { hours, minutes } from "../../../drivers/units.js";
import type { Aggregation, HistoryQuery, HistoryResult } from "../../../runtime/store/bucket.js";
import { openStore } from "../../../runtime/store/store.js";

/** As the water ledger has it: the contract's own example must work. */
interface Dose {
  readonly timestamp: string;
  readonly plant?: string;
  readonly ml_dispensed?: number;
  readonly note?: string;
  readonly details?: unknown;
}

const DOSES = { name: "doses", fold: (_: Dose | undefined, entry: Dose): Dose => entry };
const END = Date.parse("2026-06-30T12:00:00.000Z");
const iso = (ms: number) => new Date(ms).toISOString();

async function logOf(t: Test, entries: readonly (Omit<Dose, "timestamp"> & { readonly at: number })[]) {
  const store = await openStore({ folder: join(t.testdir(), "state"), relaxed: true });
  t.teardown(() => store.close());
  const log = await store.log(DOSES);
  await Promise.all(entries.map(({ at, ...rest }) => log.append({ timestamp: iso(at), ...rest })));
  const ask = (query: Partial<HistoryQuery>) =>
    log.history({ hours: 24, samplesPerHour: 1, aggregation: "count", endMs: END, ...query });
  return { log, ask };
}

const values = ({ items }: HistoryResult) => items.map((item) => ("value" in item ? item.value : undefined));
const timesOf = ({ items }: HistoryResult) => items.map((item) => "timestamp" in item && item.timestamp);

t.test("total millilitres a day over a week: the contract's example", async (t) => {
  const { ask } = await logOf(t, [
    { at: END - hours(1), ml_dispensed: 20 },
    { at: END - hours(2), ml_dispensed: 25 },
    { at: END - hours(30), ml_dispensed: 10 },
  ]);
  const result = await ask({
    hours: 168,
    samplesPerHour: 0.042,
    aggregation: "sum",
    valueField: "ml_dispensed",
  });
  t.same(result, {
    aggregation: "sum",
    bucket_seconds: 86_400,
    coverage: { from: iso(END - hours(168)), to: iso(END), records: 3, buckets: 7, buckets_with_data: 2 },
    items: [
      { bucket_start: iso(END - hours(48)), bucket_end: iso(END - hours(24)), value: 10, count: 1 },
      { bucket_start: iso(END - hours(24)), bucket_end: iso(END), value: 45, count: 2 },
    ],
  });
});

t.test("12 hours at one sample a day hold what is in them", async (t) => {
  const { ask } = await logOf(t, [{ at: END - hours(11), ml_dispensed: 20 }]);
  for (const aggregation of ["first", "last", "middle", "count"] as const) {
    t.equal((await ask({ hours: 12, samplesPerHour: 0.042, aggregation })).items.length, 1, aggregation);
  }
});

t.test(
  "a record exactly at the end belongs to the newest bucket, one exactly at the start to none",
  async (t) => {
    const { ask } = await logOf(t, [
      { at: END, ml_dispensed: 1 },
      { at: END - hours(1), ml_dispensed: 2 },
      { at: END - hours(24), ml_dispensed: 4 },
    ]);
    const result = await ask({ aggregation: "sum", valueField: "ml_dispensed" });
    t.same(values(result), [2, 1], "a bucket holds its end and not its start");
    t.equal(result.coverage.records, 2);
    t.same(
      values(await ask({ endMs: END - 1 })),
      [1, 1],
      "a millisecond earlier the last one is outside and the first inside",
    );
  },
);

t.test("no record of the window is lost, whatever the density", async (t) => {
  const { ask } = await logOf(
    t,
    Array.from({ length: 100 }, (_, i) => ({ at: END - i * minutes(17), ml_dispensed: 1 })),
  );
  for (const samplesPerHour of [0.006, 0.042, 0.5, 1, 7, 13, 60]) {
    const result = await ask({ hours: 48, samplesPerHour });
    t.equal(
      values(result).reduce<number>((sum, value) => sum + Number(value), 0),
      100,
      String(samplesPerHour),
    );
  }
});

t.test("first, last and middle give one whole record a bucket", async (t) => {
  const ago = [59, 31, 29, 5].map((m) => ({ at: END - minutes(m), ml_dispensed: m, note: "whole" }));
  const { ask } = await logOf(t, ago);
  const pick = async (aggregation: Aggregation) => (await ask({ aggregation })).items;
  t.same(await pick("first"), [{ timestamp: iso(END - minutes(59)), ml_dispensed: 59, note: "whole" }]);
  t.match(await pick("last"), [{ ml_dispensed: 5 }]);
  t.match(await pick("middle"), [{ ml_dispensed: 31 }], "as near as that of minute 29, and earlier");
});

t.test(
  "the middle is nearest to the centre on either side, and is the earlier of two at one time",
  async (t) => {
    const { ask } = await logOf(t, [
      { at: END - minutes(45), note: "a" },
      { at: END - minutes(28), note: "b" },
      { at: END - minutes(28), note: "c" },
    ]);
    t.match((await ask({ aggregation: "middle" })).items, [{ note: "b" }]);
  },
);

t.test("of records with one time the first is the earlier written, the last the later", async (t) => {
  const { ask } = await logOf(
    t,
    ["a", "b", "c"].map((note) => ({ at: END, note })),
  );
  t.match((await ask({ aggregation: "first" })).items, [{ note: "a" }]);
  t.match((await ask({ aggregation: "last" })).items, [{ note: "c" }]);
});

t.test("items are chronological", async (t) => {
  const { ask } = await logOf(
    t,
    [3, 1, 2].map((h) => ({ at: END - hours(h) })),
  );
  t.same(
    timesOf(await ask({ aggregation: "last" })),
    [3, 2, 1].map((h) => iso(END - hours(h))),
  );
});

t.test("empty buckets are left out unless asked for: then they are 0, 0 and null", async (t) => {
  const { ask } = await logOf(t, [{ at: END, ml_dispensed: 20 }]);
  const full = { hours: 3, valueField: "ml_dispensed", includeEmpty: true } as const;
  t.same(values(await ask({ ...full, aggregation: "count" })), [0, 0, 1]);
  t.same(values(await ask({ ...full, aggregation: "sum" })), [0, 0, 20]);
  t.same(values(await ask({ ...full, aggregation: "mean" })), [null, null, 20]);
  const sparse = await ask({ hours: 3 });
  t.same(values(sparse), [1]);
  t.match(sparse.coverage, { buckets: 3, buckets_with_data: 1 });
});

t.test("values that are no numbers are not counted", async (t) => {
  const odd = [20, "20", true, null, [1], { a: 1 }].map((ml_dispensed) => ({
    at: END,
    ml_dispensed: ml_dispensed as number,
  }));
  const { ask } = await logOf(t, [...odd, { at: END, ml_dispensed: 10.5 }]);
  t.match((await ask({ aggregation: "sum", valueField: "ml_dispensed" })).items, [{ value: 30.5, count: 2 }]);
  t.match((await ask({ aggregation: "mean", valueField: "ml_dispensed" })).items, [
    { value: 15.25, count: 2 },
  ]);
  t.match((await ask({ aggregation: "count", valueField: "ml_dispensed" })).items, [{ value: 2, count: 2 }]);
  t.match((await ask({ aggregation: "count" })).items, [{ value: 7, count: 7 }]);
});

t.test("a dotted path reaches into records, also by names with spaces and umlauts", async (t) => {
  const { ask } = await logOf(t, [{ at: END, details: { soil: { "Tiefe in größe": 7 } } }]);
  const valueField = "details.soil.Tiefe in größe";
  t.match((await ask({ aggregation: "sum", valueField })).items, [{ value: 7 }]);
});

t.test("a field that no record has is an error that names the fields there are", async (t) => {
  const { ask } = await logOf(t, [{ at: END, ml_dispensed: 20, note: "x", details: { ph: 6.5 } }]);
  const numeric = {
    code: "UNKNOWN_FIELD",
    particulars: { details: { fields: ["details.ph", "ml_dispensed"] } },
  };
  await t.rejects(ask({ aggregation: "sum", valueField: "ml" }), {
    ...numeric,
    message: /"ml".*details\.ph, ml_dispensed/,
  });
  await t.rejects(ask({ aggregation: "mean", valueField: "timestamp.x" }), numeric);
  const all = ["details", "details.ph", "ml_dispensed", "note", "timestamp"];
  await t.rejects(ask({ valueField: "ml" }), {
    code: "UNKNOWN_FIELD",
    particulars: { details: { fields: all } },
  });
  await t.rejects(
    ask({ aggregation: "last", valueField: "ml" }),
    { code: "UNKNOWN_FIELD" },
    "also where it is not needed",
  );
  t.equal((await ask({ aggregation: "last", valueField: "note" })).items.length, 1);
});

t.test("no text breaks out of a path", async (t) => {
  const { ask } = await logOf(t, [{ at: END, ml_dispensed: 20 }]);
  for (const valueField of [
    '"',
    'ml_dispensed"',
    "a.",
    ".",
    "$",
    "[0]",
    "ml_dispensed[0]",
    "\\",
    "'",
    "a\u0000b",
  ]) {
    await t.rejects(
      ask({ aggregation: "sum", valueField }),
      { code: "UNKNOWN_FIELD" },
      JSON.stringify(valueField),
    );
  }
});

t.test("an empty window is an answer, not an error", async (t) => {
  const { ask } = await logOf(t, []);
  t.match(await ask({ aggregation: "sum", valueField: "ml_dispensed" }), {
    items: [],
    coverage: { records: 0, buckets: 24 },
  });
  t.match(await ask({ aggregation: "middle" }), {
    items: [],
    coverage: { records: 0, buckets_with_data: 0 },
  });
});

t.test("sum and mean without a field are refused", async (t) => {
  const { ask } = await logOf(t, []);
  for (const aggregation of ["sum", "mean"] as const) {
    await t.rejects(ask({ aggregation }), { code: "INVALID_ARGUMENT", message: /value_field is missing/ });
  }
});

t.test("one plant's history is that plant's alone", async (t) => {
  const { ask } = await logOf(t, [
    { at: END, plant: "a", ml_dispensed: 20 },
    { at: END, plant: "b", ml_dispensed: 10 },
  ]);
  t.same(values(await ask({ aggregation: "sum", valueField: "ml_dispensed", plant: "b" })), [10]);
  t.match(await ask({ aggregation: "last", plant: "b" }), {
    items: [{ plant: "b" }],
    coverage: { records: 1 },
  });
  t.same(values(await ask({})), [2]);
});

t.test("history is not limited to the thousand records in memory", async (t) => {
  const { log, ask } = await logOf(
    t,
    Array.from({ length: 1500 }, (_, i) => ({ at: END - (1499 - i) * 1000, ml_dispensed: 1 })),
  );
  await log.recent(1, 0);
  t.match(await ask({}), { coverage: { records: 1500 } });
  t.match((await ask({ aggregation: "first" })).items, [{ timestamp: iso(END - 1499_000) }]);
});

t.test("a window older than the first record, or longer than the calendar, is answered", async (t) => {
  const { ask } = await logOf(t, [{ at: END, ml_dispensed: 20 }]);
  t.match(await ask({ hours: 876_000, samplesPerHour: 0.006 }), {
    items: [{ value: 1 }],
    coverage: { buckets: 5215 },
  });
  t.match(await ask({ endMs: 0 }), { items: [] });
});
