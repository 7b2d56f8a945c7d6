import { setImmediate } from "node:timers/promises";
import t from "tap";
import { minutes, seconds } from "../../../drivers/units.js";
import { runtimeApi } from "../../../runtime/core.js";
import { type Rig, rigFor } from "../../rig.js";

const RANGE = { start_time: "2026-01-01T00:00:00Z", end_time: "2027-01-01T00:00:00Z" };

/** The offs on record, once there are so many: who switches off does not wait for the line. */
async function offsNoted(rig: Rig, count: number) {
  for (;;) {
    const { events } = await rig.get("get_care_record", RANGE);
    const offs = (events as { kind: string; by: string }[]).filter(({ kind }) => kind === "all_off");
    if (offs.length >= count) return offs;
    await rig.pass(seconds(0));
  }
}

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

t.test(
  "each off that ended something is on record once; of those that ended nothing the first of a minute, and of a chat's turn",
  async (t) => {
    const config = "people: [{ id: anna }]\nserver: { calls_per_second: 100000 }";
    const rig = await rigFor(t, { start: "2026-06-01T08:00:00Z", config, peopleToo: true });
    const chat = { chat_id: "kitchen", user_id: "anna" };
    await rig.get("send_chat_message", { text: "hello", ...chat }, { as: "human" });
    const turn = { kind: "conversation", chat_id: chat.chat_id };
    const { turn_id } = await rig.get("begin_turn", turn, { as: "agent" });
    const post = () => runtimeApi(rig.core).switchEverythingOff("POST /off");
    const said = () => rig.get("stop_all", {}, { as: "agent", turn: turn_id });
    const pressed = (as: "observer" | "human") => rig.get("stop_all", {}, { as });
    await rig.pass(minutes(1));
    for (const off of [() => pressed("observer"), post, () => pressed("human"), said]) await off();
    for (const first of [post, said, () => pressed("human")]) {
      const dose = rig.call("dispense_water", { ml: 10 }, { as: "human" });
      while (rig.bench.pumpEdges("basil").at(-1)?.level !== 1) await setImmediate();
      await Promise.all([first(), post(), pressed("human"), said()]); // as the page does it, and `tendril off`
      await dose;
      await rig.pass(seconds(5));
    }
    await rig.pass(minutes(1));
    await said();
    await rig.pass(minutes(2));
    await said(); // by the agent's model, which thinks for long
    const off = (by: string, reason: string) => ({ kind: "all_off", by, reason });
    const wanted = [
      off("observer", "by a button or a command"),
      off("somebody", "POST /off"),
      off("anna@chat", "in a conversation"),
      off("human", "by a button or a command"),
      off("anna@chat", "in a conversation"),
    ];
    t.match(await offsNoted(rig, wanted.length), wanted);
    await rig.restart();
    const again = await offsNoted(rig, wanted.length);
    t.match(again, wanted, "a restart changes no answer");
    t.equal(again.length, wanted.length);
  },
);

t.test(
  "an off that ends a light is on record as one that ends a dose, also right after another off",
  async (t) => {
    const rig = await rigFor(t, { start: "2026-06-01T08:00:00Z", peopleToo: true });
    await rig.get("stop_all", {}, { as: "human" });
    await rig.get("turn_on_light", { minutes: 30 }, { as: "human" });
    for (const _ of [1, 2]) await rig.get("stop_all", {}, { as: "human" });
    await rig.pass(minutes(1));
    t.equal((await offsNoted(rig, 2)).length, 2);
  },
);

t.test("clearing is told of the plants that were locked, and of no others", async (t) => {
  const config = `plants: [{ id: basil }, { id: cactus, probe: { channel: 1 } }]
inputs: [{ kind: leak, name: sink, gpio: 6, plants: [basil] }]
server: { calls_per_second: 100000 }`;
  const rig = await rigFor(t, { start: "2026-06-01T08:00:00Z", config, hydration: 40 });
  await rig.water(20, { as: "human" });
  t.match(await rig.get("clear_fault", {}, { as: "human" }), { changed: true }, "the dose needs no answer");
  const told = async (plant: string) => {
    const { events } = await rig.get("get_care_record", { ...RANGE, plant });
    return (events as { kind: string }[]).map(({ kind }) => kind);
  };
  t.same(await told("basil"), []);
  for (const isWet of [true, false]) {
    rig.bench.setInput("sink", isWet);
    await rig.core.settled();
  }
  await rig.get("clear_fault", {}, { as: "human" });
  t.same(await told("basil"), ["fault", "clear"]);
  t.same(await told("cactus"), []);
  await rig.restart();
  t.same(await told("basil"), ["fault", "clear"], "a restart changes no answer");
});

t.test("a plan that was refused is on record with what was wrong, as values too", async (t) => {
  const rig = await rigFor(t, { start: "2026-06-01T08:00:00Z" });
  await rig.status([], { water_24h: 99 }, { as: "agent" });
  const problems = [{ is: "water_24h", claimed: 99, actual: 0 }];
  t.match(await rig.get("get_care_record", RANGE), { events: [{ proceed: false, problems }] });
  t.match(await rig.get("get_overview"), { plants: [{ last_status: { proceed: false, problems } }] });
});

t.test("one tendril off is one off on record, also on a bench that is 60 times as fast", async (t) => {
  const rig = await rigFor(t, { start: "2026-06-01T08:00:00Z" });
  await runtimeApi(rig.core).switchEverythingOff("POST /off");
  await rig.pass(minutes(5)); // of the plants' clock: five seconds of a person's
  await rig.get("set_hold", { hold: true, reason: "tendril off" }, { as: "human" });
  await rig.get("stop_all", {}, { as: "human" });
  await rig.pass(minutes(1));
  t.match(await rig.get("get_care_record", RANGE), {
    count: 2,
    events: [
      { kind: "all_off", by: "somebody", reason: "POST /off", timestamp: "2026-06-01T08:00:00.000Z" },
      { kind: "hold", by: "human", reason: "tendril off" },
    ],
  });
});

t.test("an off that ends nothing is on record once in a minute", async (t) => {
  const rig = await rigFor(t, { peopleToo: true });
  for (const wait of [30, 31, 60]) {
    await rig.get("stop_all", {}, { as: "human" });
    await rig.pass(seconds(wait));
  }
  t.match(await rig.get("get_care_record", RANGE), { count: 2 });
});

t.test("everything goes off where the record of it cannot be written", async (t) => {
  const rig = await rigFor(t, { start: "2026-06-01T08:00:00Z" });
  rig.disk.fill();
  t.match(await rig.get("stop_all", {}, { as: "human" }), { success: true });
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

t.test("get_care_record tells which doses were refused and why, after a restart too", async (t) => {
  const rig = await rigFor(t, { start: "2026-06-01T08:00:00Z", hydration: 40 });
  await rig.refused("dispense_water", { ml: 20 }, { as: "agent" });
  await rig.get("set_hold", { hold: true, reason: "on holiday" }, { as: "human" });
  await rig.refused("dispense_water", { ml: 15 }, { as: "human" });
  const refusedOnes = async () => {
    const { events } = await rig.get("get_care_record", RANGE, { as: "observer" });
    return (events as { kind: string }[]).filter(({ kind }) => kind === "dose_refused");
  };
  const wanted = [
    { by: "agent", code: "NO_CYCLE", ml: 20, reason: /./ },
    { by: "human", code: "HOLD", ml: 15, reason: /on holiday/ },
  ];
  t.match(await refusedOnes(), wanted);
  await rig.restart();
  t.match(await refusedOnes(), wanted);
});

t.test(
  "wet soil that a person confirms has refused nothing once water has flowed; before, and without, it has",
  async (t) => {
    const rig = await rigFor(t, { start: "2026-06-01T08:00:00Z", wetLimit: true });
    const human = { as: "human" } as const;
    const refused = async () => {
      const { events } = await rig.get("get_care_record", RANGE);
      return (events as object[]).map((event) => ({ ...event, reason: undefined }));
    };
    const line = { kind: "dose_refused", by: "human", code: "SOIL_WET", ml: 20 };
    t.equal((await rig.refused("dispense_water", { ml: 20 }, human)).code, "SOIL_WET");
    t.match(await refused(), [line]);
    await rig.water(20, { ...human, confirm: "SOIL_WET" });
    t.same(await refused(), [], "it was a question");
    t.equal((await rig.refused("dispense_water", { ml: 20 }, human)).code, "SOIL_WET");
    t.match(await refused(), [line], "asked again at once, and not answered");
    await rig.restart();
    t.equal((await refused()).length, 1, "a restart changes no answer");
  },
);

t.test("a caller that tries again and again is on record once in ten minutes", async (t) => {
  const rig = await rigFor(t, { start: "2026-06-01T08:00:00Z" });
  const tries = async () => {
    for (const ml of [20, 20, 25]) await rig.refused("dispense_water", { ml }, { as: "agent" });
  };
  await tries();
  t.match(await rig.get("get_care_record", RANGE), { count: 1 });
  await rig.pass(minutes(11));
  await tries();
  t.match(await rig.get("get_care_record", RANGE), { count: 2 });
});

t.test("a person's no is on record; a call that waits for the answer is not", async (t) => {
  const config = "confirm: { dispense_water: always }\nserver: { calls_per_second: 100000 }";
  const rig = await rigFor(t, { start: "2026-06-01T08:00:00Z", hydration: 40, config });
  await rig.status([{ action: "water", value: 20 }], {}, { as: "agent" });
  t.match(await rig.refused("dispense_water", { ml: 20 }, { as: "agent" }), { code: "APPROVAL_NEEDED" });
  t.match(await rig.get("get_care_record", RANGE), { count: 1 }, "the cycle alone");
  const { approvals } = await rig.get("list_approvals", {}, { as: "human" });
  const [{ id }] = approvals as [{ id: number }];
  await rig.get("answer_approval", { id, approve: false }, { as: "human" });
  t.match(await rig.refused("dispense_water", { ml: 20 }, { as: "agent" }), { code: "APPROVAL_DENIED" });
  const { events } = await rig.get("get_care_record", RANGE);
  t.match((events as object[]).at(-1), { kind: "dose_refused", code: "APPROVAL_DENIED", ml: 20 });
});
