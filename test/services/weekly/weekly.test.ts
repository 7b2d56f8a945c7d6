import t from "tap";
import { hours } from "../../../drivers/units.js";
import { type Rig, rigFor } from "../../rig.js";

const CONFIG = `server: { calls_per_second: 100000 }
zone: Europe/Berlin
confirm: { save_notes: always }
weekly_letter: { day: sunday, hour: 18 }`;
/** A Sunday, 17:30 in Berlin. */
const START = "2026-06-07T15:30:00.000Z";

const weekly = async (rig: Rig) =>
  ((await rig.get("list_notifications", {}, { as: "human" })).notifications as { kind: string }[]).filter(
    ({ kind }) => kind === "weekly",
  );

t.test("once a week the house tells what each plant got and what people were asked", async (t) => {
  const rig = await rigFor(t, { config: CONFIG, start: START });
  await rig.water(20, { as: "human" });
  await rig.refused("save_notes", { content: "n" });
  await rig.core.house.everyHour();
  t.same(await weekly(rig), [], "not before its hour");
  await rig.pass(hours(1));
  await rig.core.house.everyHour();
  await rig.core.house.everyHour();
  const told = await weekly(rig);
  t.equal(told.length, 1);
  t.match(told, [
    {
      severity: "info",
      data: {
        ...{ from: "2026-06-01", to: "2026-06-07", asked: { yes: 0, no: 1 } },
        plants: [{ plant: "basil", doses: 1, days: { length: 7, 6: { day: "2026-06-07", ml: 20 } } }],
      },
    },
  ]);
  await rig.restart();
  await rig.core.house.everyHour();
  t.equal((await weekly(rig)).length, 1, "nor again after a restart");
});

t.test("without `weekly_letter:` nothing is told", async (t) => {
  const rig = await rigFor(t, { config: "server: { calls_per_second: 100000 }", start: START });
  await rig.pass(hours(1));
  await rig.core.house.everyHour();
  t.same(await weekly(rig), []);
});
