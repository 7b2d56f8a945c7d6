import t from "tap";
import { minutes } from "../../../drivers/units.js";
import { rigFor } from "../../rig.js";

const RANGE = { start_time: "2026-01-01T00:00:00Z", end_time: "2027-01-01T00:00:00Z" };

t.test("get_care_record tells of cycles, refusals, holds and what lifted them, oldest first", async (t) => {
  const rig = await rigFor(t, { start: "2026-06-01T08:00:00Z" });
  await rig.status([{ action: "water", value: 20 }], { reasoning: "rather dry" }, { as: "agent" });
  await rig.pass(minutes(1));
  await rig.get("set_hold", { hold: true, reason: "on holiday" }, { as: "human" });
  await rig.pass(minutes(1));
  await rig.status([{ action: "water", value: 20 }], {}, { as: "agent" });
  await rig.pass(minutes(1));
  await rig.get("set_hold", { hold: false, reason: "back home" }, { as: "human" });
  const { events } = await rig.get("get_care_record", RANGE, { as: "observer" });
  t.match(events, [
    { kind: "cycle", by: "agent", proceed: true, reasoning: "rather dry", planned_ml: 20, reason: null },
    { kind: "hold", by: "human", reason: "on holiday" },
    { kind: "cycle", proceed: false, reason: /hold/ },
    { kind: "resume", reason: "back home" },
  ]);
  await rig.restart();
  t.match(await rig.get("get_care_record", RANGE), { count: 4, events }, "a restart changes no answer");
});

t.test("get_care_record is of one plant, with the holds of all, and of its range alone", async (t) => {
  const rig = await rigFor(t, {
    start: "2026-06-01T08:00:00Z",
    config:
      "plants: [{ id: basil }, { id: cactus, probe: { channel: 1 } }]\nserver: { calls_per_second: 100000 }",
  });
  await rig.get("set_hold", { hold: true, plant: "cactus" }, { as: "human" });
  await rig.get("set_hold", { hold: true }, { as: "human" });
  t.match(await rig.get("get_care_record", { ...RANGE, plant: "basil" }), { count: 1 });
  t.match(await rig.get("get_care_record", { ...RANGE, plant: "cactus" }), { count: 2 });
  t.match(await rig.get("get_care_record", { ...RANGE, end_time: "2026-05-01T00:00:00Z" }), { count: 0 });
  const { code } = await rig.refused("get_care_record", { ...RANGE, start_time: "2027-02-01T00:00:00Z" });
  t.equal(code, "INVALID_ARGUMENT");
});
