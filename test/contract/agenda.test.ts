import t from "tap";
import { hours } from "../../drivers/units.js";
import { agendaOf } from "../agent-client/agenda-rig.js";
import { rigFor } from "../rig.js";

const START = "2026-06-01T08:00:00.000Z";
const SEVERAL =
  "server: { calls_per_second: 100000 }\nplants: [{ id: basil, name: Basil }, { id: fern, name: Fred, probe: { channel: 1 } }]";
const PERSON = { as: "human" } as const;

t.test("the agenda names what is unread and what is held, and marks nothing as read", async (t) => {
  const rig = await rigFor(t, { start: START, config: SEVERAL });
  await rig.get("send_message_to_agent", { message: "mind the 🌱" }, PERSON);
  await rig.get("set_hold", { hold: true, plant: "basil", reason: "holiday" }, PERSON);
  await rig.pass(hours(1));
  t.match(await agendaOf(rig), {
    timestamp: "2026-06-01T09:00:00.000Z",
    unread: { count: 1, messages: [{ message_id: "1", excerpt: "mind the 🌱", length: 10 }] },
    plants: [
      { plant: "basil", hold: { reason: "holiday" }, care: null },
      { plant: "fern", name: "Fred", hold: null, faults: [] },
    ],
  });
  t.match(await agendaOf(rig), { unread: { count: 1 } }, "the agenda marks nothing as read");
  await rig.get("list_messages_from_human");
  t.match(await agendaOf(rig), { unread: { count: 0, messages: [] } });
});

t.test("watchers are told when the person writes, and when a hold is lifted", async (t) => {
  const rig = await rigFor(t, { start: START });
  let told = 0;
  const cancel = rig.core.house.watchAgenda(() => {
    told += 1;
  });
  const tells = async (news: number, what: string, step: () => Promise<unknown>) => {
    told = 0;
    await step();
    t.equal(told, news, what);
  };
  const writes = () => rig.get("send_message_to_agent", { message: "x" }, PERSON);
  await tells(1, "a message of the person", writes);
  await tells(0, "a message of the agent", () => rig.get("send_message_to_human", { message: "x" }));
  await tells(0, "a hold", () => rig.get("set_hold", { hold: true }, PERSON));
  await tells(1, "a hold that is lifted", () => rig.get("set_hold", { hold: false }, PERSON));
  await tells(0, "no hold to lift", () => rig.get("set_hold", { hold: false }, PERSON));
  cancel();
  await tells(0, "nobody watches", writes);
});
