import t from "tap";
import { minutes } from "../../drivers/units.js";
import { AgentInRig } from "../agent-in-rig.js";
import { rigFor } from "../rig.js";

/** An evening of a real pot, dry until somebody watered it at 17:27. */
const RECORDING = { replay: "test/fixtures/real-plant/soil.csv", start: "2025-09-15T17:07:00.000Z" };

t.test(
  "the caretaker runs full cycles on a recording of a real pot, through the ADC's register bytes",
  async (t) => {
    const rig = await rigFor(t, RECORDING);
    const caretaker = new AgentInRig(rig);
    const percents: number[] = [];
    for (let cycle = 0; cycle < 8; cycle += 1) {
      t.equal(await caretaker.turn(), true, `cycle ${cycle + 1} is completed`);
      percents.push((await rig.get("read_moisture")).percent as number);
      await rig.passSampling(minutes(30));
    }
    t.ok((percents[0] ?? 100) < 10, "bone dry at first, as recorded");
    t.ok(
      percents.slice(1).every((percent) => percent > 60),
      "and wet after the recorded watering",
    );
    t.match(caretaker.story, /very dry: 2 doses of 25 ml/);
    t.match(caretaker.story, /moist enough/);
    t.match(
      await rig.get("get_water_usage_24h"),
      { used_ml: 50 },
      "doses are charged, though they move nothing here",
    );
  },
);

t.test(
  "a gap in the recording is named as one, not as a broken probe: no water is planned and the person is told",
  async (t) => {
    const rig = await rigFor(t, RECORDING);
    const caretaker = new AgentInRig(rig);
    await rig.passSampling(minutes(6 * 60), minutes(30));
    t.match(await rig.refused("read_moisture"), {
      code: "PROBE_FAULT",
      message: /the recording has a gap from 2025-09-15T\d\d:.* until .*--skip-gaps/,
      details: { cause: "REPLAY_GAP", quality: "disconnected", last_good: { value: Number } },
    });
    const { notifications } = await rig.get("list_notifications", {}, { as: "human" });
    t.same(notifications, [], "the runtime tells of no broken probe");
    t.equal(await caretaker.turn(), true);
    t.notMatch(caretaker.story, /dispense_water/);
    const { messages } = await rig.get("list_messages_from_agent", {}, { as: "human" });
    t.match(messages, [{ content: /gap/i }]);
  },
);

t.test("what the recording shows is what the contract's history shows, to the count", async (t) => {
  const rig = await rigFor(t, RECORDING);
  await rig.passSampling(minutes(60), minutes(1));
  const query = { hours: 1, samples_per_hour: 60, aggregation: "last" };
  const { items, coverage } = await rig.get("get_moisture_history", query);
  t.match(coverage, { records: 60, buckets: 60, buckets_with_data: 60 });
  const at = (items as { timestamp: string; value: number }[]).find(({ timestamp }) =>
    timestamp.includes("17:10"),
  );
  t.equal(at?.value, Math.round(2.687 / (4.096 / 0x8000)), "2.687 V at 17:10, at 125 µV a count");
});
