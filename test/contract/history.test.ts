import t from "tap";
import { hours, minutes } from "../../drivers/units.js";
import { type Rig, rigFor } from "../rig.js";

const START = { start: "2026-06-01T00:00:00.000Z" };
const act = (rig: Rig, ml: number) =>
  rig.get("log_action", { type: "water", details: { ml, where: { pot: "big" } } });

t.test(
  "a record exactly at end_time belongs to the newest bucket, and none in the window is lost",
  async (t) => {
    const rig = await rigFor(t, START);
    for (let at = 0; at <= 12; at += 1) {
      await act(rig, at);
      if (at < 12) await rig.pass(hours(1));
    }
    const query = { hours: 12, samples_per_hour: 1, aggregation: "count", end_time: "2026-06-01T12:00:00Z" };
    const { items, coverage } = (await rig.get("get_action_history_bucketed", query)) as {
      items: { bucket_end: string; count: number }[];
      coverage: { records: number };
    };
    t.equal(coverage.records, 12, "the window is open at its start: (00:00, 12:00]");
    t.equal(
      items.reduce((sum, { count }) => sum + count, 0),
      12,
    );
    t.equal(items.at(-1)?.bucket_end, "2026-06-01T12:00:00.000Z");
  },
);

t.test("sum and mean take a dotted path, count only numbers, and name the fields there are", async (t) => {
  const rig = await rigFor(t, START);
  await act(rig, 10);
  await act(rig, 20);
  await rig.get("log_action", { type: "observe", details: { ml: "much" } });
  await rig.pass(minutes(1));
  const query = { hours: 24, samples_per_hour: 0.042, value_field: "details.ml" };
  const one = async (aggregation: string) =>
    (await rig.get("get_action_history_bucketed", { ...query, aggregation })).items;
  t.match(await one("sum"), [{ value: 30, count: 2 }]);
  t.match(await one("mean"), [{ value: 15, count: 2 }]);
  t.match(await one("count"), [{ value: 2, count: 2 }]);
  const wrong = await rig.refused("get_action_history_bucketed", {
    ...query,
    aggregation: "sum",
    value_field: "ml",
  });
  t.match(wrong, { code: "UNKNOWN_FIELD", message: /details\.ml/ });
});

t.test("sampling gives one whole record a bucket", async (t) => {
  const rig = await rigFor(t, START);
  for (const ml of [1, 2, 3]) {
    await rig.pass(minutes(10));
    await act(rig, ml);
  }
  await rig.pass(minutes(30));
  const pick = async (aggregation: string) => {
    const { items } = await rig.get("get_action_history_bucketed", {
      hours: 1,
      samples_per_hour: 1,
      aggregation,
    });
    return (items as { details: { ml: number; where: object } }[]).map(({ details }) => details);
  };
  t.same(await pick("first"), [{ ml: 1, where: { pot: "big" } }]);
  t.same(await pick("last"), [{ ml: 3, where: { pot: "big" } }]);
  t.same(await pick("middle"), [{ ml: 3, where: { pot: "big" } }]);
});

t.test("empty buckets are left out unless asked for: 0 for count and sum, null for mean", async (t) => {
  const rig = await rigFor(t, START);
  await rig.pass(minutes(30));
  await act(rig, 5);
  await rig.pass(minutes(210));
  const query = { hours: 4, samples_per_hour: 1, value_field: "details.ml" };
  const values = async (aggregation: string, include_empty: boolean) => {
    const { items } = await rig.get("get_action_history_bucketed", { ...query, aggregation, include_empty });
    return (items as { value: number | null }[]).map(({ value }) => value);
  };
  t.same(await values("sum", false), [5]);
  t.same(await values("sum", true), [5, 0, 0, 0]);
  t.equal((await values("mean", true)).filter((value) => value === null).length, 3);
  t.equal((await values("count", true)).length, 4);
});

t.test("more than 10,000 buckets are refused with a value that fits, and that value does fit", async (t) => {
  const rig = await rigFor(t, START);
  const refusal = await rig.refused("get_moisture_history", { hours: 8760, samples_per_hour: 60 });
  t.match(refusal, { code: "TOO_MANY_BUCKETS", details: { samples_per_hour: Number } });
  const samples_per_hour = refusal.details?.samples_per_hour;
  await rig.get("get_moisture_history", { hours: 8760, samples_per_hour });
});

t.test(
  "history reads the full store: more than the 1000 records in memory, and the same after a restart",
  async (t) => {
    const rig = await rigFor(t, START);
    await Promise.all(Array.from({ length: 1100 }, (_, ml) => act(rig, ml)));
    const query = { hours: 1, samples_per_hour: 1, aggregation: "count" };
    const before = await rig.get("get_action_history_bucketed", query);
    t.match(before, { items: [{ value: 1100 }] });
    await rig.restart();
    t.same(
      await rig.get("get_action_history_bucketed", {
        ...query,
        end_time: (before.coverage as { to: string }).to,
      }),
      before,
    );
    t.equal(
      (await rig.get("get_recent_actions", { n: 3, offset: 1050 })).count,
      3,
      "and pages reach beyond memory",
    );
  },
);

t.test("moisture history has whole readings, and figures of raw value and percent", async (t) => {
  const rig = await rigFor(t, START);
  await rig.passSampling(hours(2), minutes(10));
  const whole = await rig.get("get_moisture_history", { hours: 2, samples_per_hour: 1, aggregation: "last" });
  t.match(whole.items, [{ timestamp: String, value: Number, percent: Number, noise: Number }]);
  const mean = { hours: 2, samples_per_hour: 1, aggregation: "mean" };
  t.match(await rig.get("get_moisture_history", { ...mean, value_field: "percent" }), {
    items: [{ count: 6 }, { count: 6 }],
  });
  t.match(await rig.refused("get_moisture_history", { ...mean, value_field: "ph" }), {
    code: "UNKNOWN_FIELD",
  });
});
