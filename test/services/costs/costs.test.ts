import t from "tap";
import { minutes } from "../../../drivers/units.js";
import { rigFor } from "../../rig.js";

const START = "2026-06-01T08:00:00.000Z";
const AT_ONCE = { start_time: START, end_time: START };

t.test("what an agent reported is told for its time, with who said it", async (t) => {
  const rig = await rigFor(t, { start: START });
  const cost = { model: "openai:gpt-4.1", calls: 3, tokens: 12_000, money: 0.02 };
  await rig.get("report_cost", cost);
  await rig.pass(minutes(30));
  await rig.get("report_cost", { ...cost, model: "ollama:qwen3", money: null });
  t.match(await rig.get("get_costs", AT_ONCE, { as: "observer" }), {
    count: 1,
    costs: [{ timestamp: START, ...cost, by: "agent" }],
  });
  await rig.restart();
  const whole = { start_time: START, end_time: "2026-06-01T09:00:00Z" };
  t.match(await rig.get("get_costs", whole, { as: "human" }), { count: 2, costs: [{}, { money: null }] });
  const backwards = { start_time: "2026-06-01T09:00:00Z", end_time: START };
  t.equal((await rig.refused("get_costs", backwards)).code, "INVALID_ARGUMENT");
});
