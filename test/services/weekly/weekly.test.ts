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

t.test(
  "it says what was refused, how long the light was on, and what agents say their models cost",
  async (t) => {
    const rig = await rigFor(t, { config: CONFIG, start: START, hydration: 30 });
    const report = (model: string, tokens: number, money: number | null) =>
      rig.get("report_cost", { model, calls: 2, tokens, money });
    await report("openai:gpt-4.1", 1000, 0.5);
    await report("openai:gpt-4.1", 500, 0.25);
    await report("ollama:qwen3", 10, null);
    await rig.get("turn_on_light", { minutes: 30 }, { as: "human" });
    for (const ml of [20, 20]) await rig.refused("dispense_water", { ml });
    await rig.pass(hours(1));
    await rig.core.house.everyHour();
    const [told] = (await weekly(rig)) as unknown as { data: object }[];
    t.match(told?.data, {
      plants: [{ light_minutes: 30, days: { 6: { moisture_percent: Number } } }],
      refused: [{ code: String, doses: 1 }],
      costs: [
        { model: "ollama:qwen3", calls: 2, tokens: 10, money: null },
        { model: "openai:gpt-4.1", calls: 4, tokens: 1500, money: 0.75 },
      ],
    });
  },
);

t.test("a week is said whole: nothing refused and nothing reported are said too", async (t) => {
  const rig = await rigFor(t, { config: CONFIG, start: START });
  await rig.pass(hours(1));
  await rig.core.house.everyHour();
  t.match(await weekly(rig), [{ data: { refused: [], costs: [], asked: { yes: 0, no: 0 } } }]);
});

t.test("without `weekly_letter:` nothing is told", async (t) => {
  const rig = await rigFor(t, { config: "server: { calls_per_second: 100000 }", start: START });
  await rig.pass(hours(1));
  await rig.core.house.everyHour();
  t.same(await weekly(rig), []);
});
