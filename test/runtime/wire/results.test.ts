import t from "tap";
import { minutes } from "../../../drivers/units.js";
import { describe } from "../../../runtime/cli/status.js";
import { agenda } from "../../../runtime/wire/agenda.js";
import { overview } from "../../../runtime/wire/overview.js";
import { type Rig, rigFor } from "../../rig.js";
import { CONFIG_OF_ALL } from "../../services/contracts.js";

const BUSY = `
interlock: bench
inputs:
  - { kind: leak, name: tray, gpio: 6 }
confirm: { dispense_water: always }
${CONFIG_OF_ALL}
plants:
  - { id: basil, species: basil }
  - { id: fern, name: Fern in the hall, probe: { channel: 1 } }
`;

/** A house with something to say in every part of the overview. */
async function busyHouse(rig: Rig): Promise<void> {
  await rig.get("read_moisture", { plant: "basil" });
  await rig.call("send_message_to_agent", { message: "How are you?" }, { as: "human" });
  await rig.status([{ action: "water", value: 20 }], { plant: "basil" });
  await rig.call("dispense_water", { ml: 20, plant: "basil" });
  rig.bench.setInput("tray", true);
  await rig.call("set_hold", { hold: true, plant: "fern" }, { as: "human" });
  await rig.pass(minutes(1));
}

t.test("a reader takes in all that a runtime says, and adds nothing", async (t) => {
  const rig = await rigFor(t, { config: BUSY });
  await busyHouse(rig);
  const said = await rig.get("get_overview", {}, { as: "human" });
  const read = overview.parse(said);
  t.match(read, {
    interlock: { state: "ok" },
    inputs: [{ active: true }],
    approvals: [{ tool: "dispense_water" }],
    plants: [
      {
        species: "basil",
        moisture: { percent: Number },
        care: { agent: "agent" },
        faults: [{ code: "LEAK" }],
      },
      { name: "Fern in the hall", hold: { by: "human" }, last_status: null },
    ],
  });
  t.same(read, { climate: [], ...said });
  const calls = await rig.core.house.agenda({ name: "agent", role: "agent" });
  t.match(calls, {
    unread: { count: 1 },
    approvals: [{}],
    plants: [{ faults: [{}] }, { hold: {} }],
  });
  t.match(agenda.parse(JSON.parse(JSON.stringify(calls))), calls);
});

t.test("of a runtime where families are switched off, lists are empty and all else is null", async (t) => {
  const read = overview.parse({
    timestamp: "2026-06-01T08:00:00.000Z",
    zone: "UTC",
    board: "bench",
    plants: [{ plant: "basil", name: "Basil" }],
  });
  t.same([read.warnings, read.inputs, read.approvals, read.interlock], [[], [], [], null]);
  t.same(read.zone, "UTC");
  const [plant] = read.plants;
  t.same(plant?.faults, []);
  for (const part of ["moisture", "water", "light", "hold", "fitted", "care", "last_status"] as const)
    t.equal(plant?.[part], null, part);
  t.equal(describe(read), "2026-06-01 08:00 UTC · bench\n\nBasil (basil)\n  moisture  not read yet");
  t.same(
    agenda.parse({ timestamp: "2026-06-01T08:00:00.000Z", plants: [{ plant: "basil", name: "Basil" }] }),
    {
      timestamp: "2026-06-01T08:00:00.000Z",
      due: [],
      open_tasks: null,
      next_due: null,
      unread: { count: 0, messages: [] },
      approvals: [],
      chats: [],
      plants: [{ plant: "basil", name: "Basil", hold: null, faults: [], care: null }],
    },
  );
});
