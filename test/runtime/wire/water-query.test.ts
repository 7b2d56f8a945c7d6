import t from "tap";
import { seconds } from "../../../drivers/units.js";
import type { Bucket, CareEvent, PouredDose } from "../../../runtime/wire/plants.js";
import { askForWater, type WaterReaders } from "../../../runtime/wire/water-query.js";
import { type Rig, rigFor } from "../../rig.js";

/** The question of page and caretaker to the record, put to a real runtime. */

const READERS: WaterReaders = {
  doses: (answer) => {
    const { items, coverage } = answer as { items: PouredDose[]; coverage: { records: number } };
    return { items, records: coverage.records };
  },
  sums: (answer) => (answer as { items: Bucket[] }).items,
  record: (answer) => (answer as { events: CareEvent[] }).events,
};

async function asked(rig: Rig) {
  const end = String((await rig.get("get_current_time")).timestamp);
  const asking = askForWater({ hours: 24, end, which: {} }, READERS);
  const calls: string[] = [];
  let step = asking.next();
  while (!step.done) {
    calls.push(step.value.name);
    step = asking.next(await rig.get(step.value.name, step.value.arguments, { as: "human" }));
  }
  return { calls, ...step.value };
}

t.test("doses within seconds are one of each bucket, and all of them in the total", async (t) => {
  const rig = await rigFor(t, { hydration: 30 });
  await rig.status([{ action: "water", value: 30 }], {}, { as: "agent" });
  for (let dose = 0; dose < 3; dose++) await rig.water(10, { as: "agent" });
  await rig.pass(seconds(30));
  const found = await asked(rig);
  t.ok(found.doses.length < 3, "they share a bucket");
  t.same(found.total, { ml: 30, doses: 3 });
  t.match(found.record, [{ kind: "cycle", planned_ml: 30 }]);
});

t.test("where every dose is seen by itself, nothing is added up", async (t) => {
  const rig = await rigFor(t, { hydration: 30 });
  await rig.status([{ action: "water", value: 10 }], {}, { as: "agent" });
  await rig.water(10, { as: "agent" });
  await rig.pass(seconds(30));
  const found = await asked(rig);
  t.match(found.doses, [{ ml_dispensed: 10 }]);
  t.equal(found.total, undefined);
  t.same(found.calls, ["get_water_history", "get_care_record"], "and two calls suffice");
});
