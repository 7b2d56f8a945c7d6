import t from "tap";
import type { Runtime } from "../../agent-client/link/runtime.js";
import type { Rig } from "../rig.js";
import { agentOf, soon, wiredRig } from "./agenda-rig.js";

async function writeStatus(runtime: Runtime, rig: Rig): Promise<unknown> {
  const reading = await rig.get("read_moisture");
  const answer = await runtime.call("write_plant_status", {
    timestamp: soon(rig, 0),
    sensor_reading: reading.value,
    water_24h: 0,
    light_today: 0,
    plant_state: "healthy",
    next_action_sequence: [],
    reasoning: "a test",
  });
  return answer.ok ? answer.value : answer.error;
}

t.test(
  "of two agents with one token, the second is told over the wire who cares for the plant",
  async (t) => {
    const wired = await wiredRig(t);
    const [attic, cellar] = [await agentOf(t, wired, "attic"), await agentOf(t, wired, "cellar")];
    t.match(await writeStatus(attic, wired.rig), { proceed: true });
    t.match(await writeStatus(cellar, wired.rig), { proceed: false, reason: /agent \(attic\)/ });
    t.match((await cellar.agenda())?.plants, [{ care: { agent: "agent", instance: "attic" } }]);
  },
);

t.test("an agent that starts anew on its computer goes on caring", async (t) => {
  const wired = await wiredRig(t);
  const before = await agentOf(t, wired, "attic");
  t.match(await writeStatus(before, wired.rig), { proceed: true });
  await before.close();
  t.match(await writeStatus(await agentOf(t, wired, "attic"), wired.rig), { proceed: true });
});
