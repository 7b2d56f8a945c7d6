import t from "tap";
import { hours, minutes } from "../../drivers/units.js";
import { AgentInRig } from "../agent-in-rig.js";
import { rigFor } from "../rig.js";

t.test(
  "three days with the caretaker: every cycle completed, the pot never bone dry, the budget never touched",
  async (t) => {
    const rig = await rigFor(t, { start: "2026-06-01T06:00:00.000Z", hydration: 36 });
    const caretaker = new AgentInRig(rig);
    for (let cycle = 0; cycle < 72; cycle += 1) {
      t.equal(await caretaker.turn(), true, `cycle ${cycle + 1}`);
      await rig.passSampling(hours(1), minutes(10));
    }
    const daily = { hours: 72, samples_per_hour: 0.042, aggregation: "sum", value_field: "ml_dispensed" };
    const { items } = await rig.get("get_water_history", daily);
    for (const { value } of items as { value: number }[])
      t.ok(value > 0 && value <= 300, `${value} ml a day`);
    const moisture = { hours: 66, samples_per_hour: 6, aggregation: "mean", value_field: "percent" };
    const lowest = Math.min(
      ...((await rig.get("get_moisture_history", moisture)).items as { value: number }[]).map(
        ({ value }) => value,
      ),
    );
    t.ok(lowest > 30, `never below ${lowest} %`);
    const lit = { hours: 72, samples_per_hour: 0.042, aggregation: "sum", value_field: "minutes" };
    t.ok(((await rig.get("get_light_history", lit)).items as unknown[]).length >= 3, "light on every day");
  },
);

t.test("several plants are each cared for by their own figures", async (t) => {
  const config = "plants: [{ id: basil }, { id: fern, name: Farn, probe: { channel: 1 } }]";
  const rig = await rigFor(t, { config, hydration: 36 });
  const caretaker = new AgentInRig(rig);
  t.equal(await caretaker.turn(), true);
  for (const plant of ["basil", "FARN"]) {
    const { used_ml } = await rig.get("get_water_usage_24h", { plant });
    t.ok((used_ml as number) > 0, plant);
  }
  t.match(await rig.refused("read_moisture", { plant: "cactus" }), {
    code: "UNKNOWN_PLANT",
    message: /basil, fern/,
  });
});
