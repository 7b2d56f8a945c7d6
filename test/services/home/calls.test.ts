import t from "tap";
import type { Question } from "../../../runtime/tools/tool.js";
import { configOf, HomeHouse, LISTED } from "./home-house.js";

const UNLOCK = { domain: "lock", service: "unlock", entity_id: "lock.front_door" };
const ON = { domain: "light", service: "turn_on", entity_id: "light.kitchen_lights" };

t.test("an agent switches a light on at once, and is told what became of it", async (t) => {
  const house = await HomeHouse.start(t);
  await house.service({ ...ON, service: "turn_off" });
  t.same(await house.service({ ...ON, service_data: '{"brightness_pct": 40}' }), {
    status: "success",
    entities: [
      { entity_id: "light.kitchen_lights", friendly_name: "Kitchen lights", before: "off", after: "on" },
    ],
  });
  t.equal(house.state("light.kitchen_lights"), "on");
  t.match(house.home.calls.at(-1), { service_data: { brightness_pct: 40 } });
});

t.test(
  "what no record can hold in service_data refuses the call: nothing is dropped without a word",
  async (t) => {
    const house = await HomeHouse.start(t);
    for (const service_data of [
      '{"brightness_pct": 40, "__proto__": {"transition": 3}}',
      '{"brightness_pct": {"__proto__": 1}}',
      JSON.parse('{"__proto__": {"brightness_pct": 40}}'),
    ])
      t.match(await house.rig.refused("call_ha_service", { ...ON, service_data }), {
        code: "INVALID_ARGUMENT",
        message: /service_data has __proto__/,
      });
    t.same(house.sent, []);
  },
);

t.test("a lock waits for a person's yes, then unlocks exactly once, whoever repeats the call", async (t) => {
  const house = await HomeHouse.start(t);
  const first = await house.service(UNLOCK, { key: "k" });
  t.match(first, { status: "pending", entities: [{ before: "locked", after: null }] });
  const request = await house.requestOf("agent");
  t.equal(first.request_id, request?.id);
  t.match(request?.words, /^unlock Front door \(lock\.front_door, now locked\)/);
  t.equal(house.state("lock.front_door"), "locked");
  const waiting = house.agent("call_ha_service", UNLOCK, { key: "k" });
  await house.answer(first.request_id ?? 0);
  const done = { status: "success", entities: [{ before: "locked", after: "unlocked" }] };
  t.match(await waiting, done);
  t.match(await house.agent("call_ha_service", UNLOCK, { key: "k" }), done, "the same answer again");
  t.same(house.sent, ["lock.unlock lock.front_door"]);
  t.match(await house.service(UNLOCK, { key: "another" }), { status: "pending" }, "a yes is for one call");
});

t.test("a no is a no, and the same call asks nobody again", async (t) => {
  const house = await HomeHouse.start(t);
  const { request_id = 0 } = await house.service(UNLOCK);
  await house.answer(request_id, false);
  const refused = { status: "rejected", reason: "a person said no" };
  t.match(await house.service(UNLOCK), refused);
  await house.restart();
  t.match(await house.service(UNLOCK), refused);
  t.same(house.sent, []);
});

t.test("a runtime that dies is a no, for what waits and for a yes that was not used", async (t) => {
  const house = await HomeHouse.start(t);
  const { request_id = 0 } = await house.service(UNLOCK, { key: "k" });
  await house.answer(request_id);
  const other = { ...UNLOCK, service: "lock" };
  t.match(await house.service(other, { token: "agent.b" }), { status: "pending" });
  await house.crash();
  const no = { status: "rejected", reason: /restarted/ };
  t.match(await house.service(UNLOCK, { key: "k" }), no);
  t.match(await house.service(other, { token: "agent.b" }), no);
  t.same(house.sent, []);
});

t.test("kill -9 after the yes, while Home Assistant works, leaves one unlock and an unknown", async (t) => {
  const house = await HomeHouse.start(t);
  house.home.silent.add("lock.unlock");
  const { request_id = 0 } = await house.service(UNLOCK, { key: "k" });
  void house.agent("call_ha_service", UNLOCK, { key: "k" }).catch(() => undefined);
  await house.answer(request_id);
  await house.until(() => house.sent.length === 1);
  await house.crash();
  t.match(await house.service(UNLOCK, { key: "k" }), { status: "unknown", entities: [] });
  t.same(house.sent, ["lock.unlock lock.front_door"]);
  const { notifications } = await house.rig.get("list_notifications", {}, { as: "human" });
  t.match(notifications, [{ kind: "job_unknown", data: { adapter: "home", words: /^unlock Front door/ } }]);
});

// approved, used, the idempotency key, sent, the job's claim; and what the outbox writes beside them
for (const line of [1, 2, 3, 4, 5])
  t.test(
    `kill -9 at line ${line} of those that follow a yes: no unlock, or one that nobody is sure of`,
    async (t) => {
      const house = await HomeHouse.start(t);
      const { request_id = 0 } = await house.service(UNLOCK, { key: "k" });
      void house.agent("call_ha_service", UNLOCK, { key: "k" }).catch(() => undefined);
      const died = house.diesWhileWriting(line);
      void house.answer(request_id).catch(() => undefined);
      await died;
      const { status } = await house.service(UNLOCK, { key: "k" });
      const [sure, unsure] = [["rejected", "pending", "unknown"], ["unknown"]];
      t.ok((house.sent.length === 0 ? sure : unsure).includes(status), `${status} after ${house.sent}`);
      t.ok(house.sent.length <= 1);
    },
  );

t.test(
  "a bridge that loses Home Assistant after the call leaves an unknown, and repeats nothing",
  async (t) => {
    const house = await HomeHouse.start(t);
    house.home.silent.add("lock.unlock");
    const { request_id = 0 } = await house.service(UNLOCK, { key: "k" });
    const waiting = house.agent("call_ha_service", UNLOCK, { key: "k" });
    await house.answer(request_id);
    await house.until(() => house.sent.length === 1);
    house.home.drop();
    t.match(await waiting, { status: "unknown" });
    t.match(await house.agent("call_ha_service", UNLOCK, { key: "k" }), { status: "unknown" });
    t.equal(house.sent.length, 1);
  },
);

t.test(
  "a yes is for the entities that were shown: where a group has changed, a person is asked anew",
  async (t) => {
    const house = await HomeHouse.start(t);
    const group = { domain: "lock", service: "lock", entity_id: "group.downstairs" };
    const first = await house.service(group);
    t.match(first, { status: "pending", entities: [{ entity_id: "lock.front_door" }] });
    await house.regroup("group.downstairs", ["lock.kitchen_door"]);
    const second = await house.service(group);
    t.match(second, { status: "pending", entities: [{ entity_id: "lock.kitchen_door" }] });
    t.not(second.request_id, first.request_id);
    await house.answer(first.request_id ?? 0);
    t.match(await house.service(group), { status: "pending", request_id: second.request_id });
    t.same(house.sent, []);
  },
);

t.test("a group that changes while the person thinks is asked for anew", async (t) => {
  const house = await HomeHouse.start(t);
  const group = { domain: "lock", service: "lock", entity_id: "group.downstairs" };
  const waiting = house.agent("call_ha_service", group);
  const first = await house.until(() => house.requestOf("agent"));
  await house.regroup("group.downstairs", ["lock.kitchen_door"]);
  await house.answer(first.id);
  const second = await house.until(() => house.requestOf("agent"));
  t.match(second.words, /^lock Kitchen door/);
  await house.answer(second.id);
  t.match(await waiting, { status: "success", entities: [{ entity_id: "lock.kitchen_door" }] });
  t.same(house.sent, ["lock.lock lock.kitchen_door"]);
});

t.test("who has read words of strangers changes nothing unasked; names and states are none", async (t) => {
  const house = await HomeHouse.start(t);
  const { turn_id } = await house.agent("begin_turn", { kind: "care" });
  const turn = { turn: turn_id };
  await house.agent("get_ha_entities", {}, turn);
  await house.agent("get_entity_state", { entity_id: "sensor.soil_moisture" }, turn);
  t.match(await house.service(ON, turn), { status: "success" });
  await house.agent("get_entity_state", { entity_id: "sensor.long_text" }, turn);
  t.match(await house.service({ ...ON, service: "turn_off" }, turn), { status: "pending" });
  t.match((await house.requestOf("agent"))?.words, /^switch off Kitchen lights/);
  t.equal(house.state("light.kitchen_lights"), "on");
});

t.test("a person needs no yes, and no person opens what the owner has not opted in to", async (t) => {
  const house = await HomeHouse.start(t);
  const person = { as: "human" } as const;
  t.match(await house.service(UNLOCK, person), { status: "success" });
  const kitchen = { ...UNLOCK, entity_id: "lock.kitchen_door" };
  t.match(await house.service(kitchen, person), { status: "blocked", reason: /opted in/ });
  t.same(house.sent, ["lock.unlock lock.front_door"]);
});

t.test("Home Assistant's own words come back, and count as a stranger's", async (t) => {
  const house = await HomeHouse.start(t);
  const call = { ...ON, service_data: { brightness_pct: 400 } };
  const { structuredContent, _meta } = await house.raw("call_ha_service", call);
  t.match(structuredContent, { status: "failed", reason: /^invalid_format: value must be at most 100/ });
  t.match(_meta, { "tendril/untrusted": ["home assistant"] });
});

t.test("a jammed lock is unconfirmed, not done", async (t) => {
  const door = "lock.poorly_installed_door";
  const house = await HomeHouse.start(t, configOf({ [door]: "{ name: Old door }" }));
  const lock = { domain: "lock", service: "lock", entity_id: door };
  house.home.home.set(door, "unlocked");
  await house.until(
    async () => (await house.agent("get_entity_state", { entity_id: door })).state === "unlocked",
  );
  t.match(await house.service(lock, { as: "human" }), {
    status: "unconfirmed",
    entities: [{ before: "unlocked", after: "jammed" }],
  });
});

t.test("without a bridge a call is refused at once, and nothing is asked or sent", async (t) => {
  const house = await HomeHouse.start(t);
  await house.leave();
  const { code } = await house.rig.refused("call_ha_service", ON, { key: "k" });
  t.equal(code, "BRIDGE_AWAY");
});

t.test("what was asked for and what became of it is in the journal, with who asked", async (t) => {
  const house = await HomeHouse.start(t);
  await house.service(ON, { token: "agent.a" });
  await house.service({ ...ON, entity_id: "light.bed_light,switch.ac" }).catch(() => undefined);
  await house.service({ domain: "homeassistant", service: "restart" });
  t.match(await house.journal(), [
    { by: "agent.a", service: "light.turn_on", entity_ids: ["light.kitchen_lights"], status: "sent" },
    { of: 1, status: "success" },
    {
      by: "agent",
      service: "homeassistant.restart",
      status: "blocked",
      reason: /its services reach everything/,
    },
  ]);
});

t.test(
  "a client that can ask the person gets the question; its yes counts with confirm_by: client, its no always",
  async (t) => {
    for (const by of ["client", "person"]) {
      const house = await HomeHouse.start(t, configOf(LISTED, `confirm_by: ${by}`));
      const round = (dialogue: object) =>
        house.rig.callOrAsk("call_ha_service", UNLOCK, dialogue, { key: "k" });
      const question = (await round({})) as Question;
      t.match(question.message, /unlock Front door/);
      t.same(house.sent, []);
      const answered = round({ state: question.state, answer: "yes" });
      if (by === "person") await house.answer(Number(question.state));
      t.match(await answered, { ok: true, value: { status: "success" } });
      t.same(house.sent, ["lock.unlock lock.front_door"]);
      const other = (await house.rig.callOrAsk(
        "call_ha_service",
        { ...UNLOCK, service: "lock" },
        {},
      )) as Question;
      const no = { state: other.state, answer: "no" } as const;
      t.match(await house.rig.callOrAsk("call_ha_service", { ...UNLOCK, service: "lock" }, no), {
        ok: true,
        value: { status: "rejected" },
      });
      await house.end();
    }
  },
);

t.test("who was asked hears that a restart has ended the question", async (t) => {
  const house = await HomeHouse.start(t);
  const { request_id = 0 } = await house.service(UNLOCK);
  await house.answer(request_id);
  await house.crash();
  const { notifications } = await house.rig.get("list_notifications", {}, { as: "human" });
  t.match(notifications, [{ kind: "approval_void", data: { id: request_id, words: /^unlock Front door/ } }]);
});

t.test("ids, names and areas of the home are private words, also while the home is away", async (t) => {
  const house = await HomeHouse.start(t);
  const words = async () => {
    const all: string[] = [];
    for await (const { kind, words } of house.rig.core.house.privateWords()) all.push(`${kind} ${words}`);
    return all;
  };
  const there = await words();
  for (const each of ["entity lock.front_door", "device Front door", "place Kitchen"])
    t.ok(there.includes(each), each);
  t.notOk(
    there.some((each) => each.includes("garage_door")),
    "only what is listed",
  );
  await house.leave();
  t.same((await words()).sort(), there.sort());
});
