import t from "tap";
import { minutes } from "../../drivers/units.js";
import { type CallOptions, type Rig, rigFor } from "../rig.js";

const ATTIC: CallOptions = { instance: "attic" };
const CELLAR: CallOptions = { instance: "cellar" };
const OTHER: CallOptions = { token: "agent.other" };
const PLAN = [{ action: "water", value: 20 }];

async function careOf(rig: Rig): Promise<unknown> {
  const { plants } = (await rig.get("get_overview", {}, { as: "observer" })) as {
    plants: { care: unknown }[];
  };
  return plants[0]?.care;
}

t.test("a second agent is told who cares for the plant, and the first one's cycle goes on", async (t) => {
  const rig = await rigFor(t, { start: "2026-06-01T08:00:00.000Z", hydration: 30 });
  t.match(await rig.status(PLAN, {}, ATTIC), { proceed: true });
  for (const second of [CELLAR, OTHER, {}]) {
    const answer = await rig.status(PLAN, {}, second);
    t.match(answer, {
      proceed: false,
      reason: /basil is cared for by agent \(attic\) until 2026-06-01T08:30:00/,
    });
    t.match(await rig.refused("dispense_water", { ml: 10 }, second), {
      code: "CARE_TAKEN",
      message: /basil is cared for by agent \(attic\) until 2026-06-01T08:30:00.*tendril release/,
      retry_after_s: 30 * 60,
      details: { agent: "agent", instance: "attic", until: "2026-06-01T08:30:00.000Z" },
    });
  }
  t.match(await rig.water(20, ATTIC), { dispensed: 20 });
});

t.test("of two statuses at the same instant one takes the care", async (t) => {
  const rig = await rigFor(t, { hydration: 30 });
  const answers = await Promise.all([rig.status([], {}, ATTIC), rig.status([], {}, CELLAR)]);
  t.same(answers.map(({ proceed }) => proceed).sort(), [false, true]);
});

t.test("an agent with the same token and another name waters on no plan but its own", async (t) => {
  const rig = await rigFor(t, { hydration: 30 });
  await rig.status(PLAN, {}, ATTIC);
  t.equal((await rig.refused("dispense_water", { ml: 10 }, CELLAR)).code, "NO_CYCLE");
});

t.test("the care is free a cycle's time after the holder's last status", async (t) => {
  const rig = await rigFor(t, { hydration: 30 });
  await rig.status([], {}, ATTIC);
  await rig.passSampling(minutes(20));
  await rig.status([], {}, ATTIC);
  await rig.passSampling(minutes(30));
  t.match(await rig.status(PLAN, {}, CELLAR), { proceed: false }, "each status renews it");
  await rig.passSampling(minutes(1));
  t.match(await rig.status(PLAN, {}, CELLAR), { proceed: true });
  t.match(await rig.status(PLAN, {}, ATTIC), { proceed: false, reason: /cellar/ });
});

t.test("an agent that starts anew, and a runtime that does, change nothing about who cares", async (t) => {
  const rig = await rigFor(t, { hydration: 30 });
  await rig.status(PLAN, {}, ATTIC);
  await rig.restart();
  t.match(await rig.status(PLAN, {}, CELLAR), { proceed: false, reason: /attic/ });
  t.match(await rig.status(PLAN, {}, ATTIC), { proceed: true });
  t.match(await rig.water(20, ATTIC), { dispensed: 20 });
});

t.test("a person is bound by no agent's care, and takes none", async (t) => {
  const rig = await rigFor(t, { hydration: 30 });
  await rig.status([], {}, ATTIC);
  t.match(await rig.status([], {}, { as: "human" }), { proceed: true });
  t.match(await careOf(rig), { agent: "agent", instance: "attic" });
  t.match(await rig.water(10, { as: "human" }), { dispensed: 10 });
});

t.test("each plant has a carer of its own, and the overview names them", async (t) => {
  const rig = await rigFor(t, {
    start: "2026-06-01T08:00:00.000Z",
    config:
      "server: { calls_per_second: 100000 }\nplants: [{ id: basil }, { id: fern, probe: { channel: 1 } }]",
  });
  t.equal(await careOf(rig), null);
  await rig.status([], { plant: "basil" }, ATTIC);
  t.match(await rig.status([], { plant: "fern" }, CELLAR), { proceed: true });
  t.same(await careOf(rig), {
    agent: "agent",
    instance: "attic",
    status_at: "2026-06-01T08:00:00.000Z",
    until: "2026-06-01T08:30:00.000Z",
  });
});

t.test("reading and logging need nobody's care", async (t) => {
  const rig = await rigFor(t);
  await rig.status([], {}, ATTIC);
  await rig.get("read_moisture", {}, CELLAR);
  await rig.get("log_action", { type: "observe", details: {} }, CELLAR);
});

t.test("what cannot be an agent's name is refused, but never what switches off", async (t) => {
  const rig = await rigFor(t);
  for (const instance of ["", "two\nlines", 7, "x".repeat(301)]) {
    t.equal((await rig.refused("read_moisture", {}, { instance })).code, "INVALID_ARGUMENT");
    t.match(await rig.get("stop_all", {}, { instance }), { success: true });
  }
});

t.test("a care that its agent gives up is free at once, and so it is after a restart", async (t) => {
  const rig = await rigFor(t, { hydration: 30 });
  for (const restart of [false, true]) {
    await rig.status(PLAN, {}, ATTIC);
    t.match(await rig.get("release_care", {}, ATTIC), {
      released: [{ plant: "basil", agent: "agent", instance: "attic" }],
    });
    if (restart) await rig.restart();
    t.equal(await careOf(rig), null);
    t.match(await rig.status([], {}, OTHER), { proceed: true });
    await rig.get("release_care", {}, OTHER);
  }
});

t.test("whoever gave up a care waters on its plan no more, also after a restart", async (t) => {
  const rig = await rigFor(t, { hydration: 30 });
  await rig.status(PLAN, {}, ATTIC);
  await rig.get("release_care", {}, ATTIC);
  t.equal((await rig.refused("dispense_water", { ml: 10 }, ATTIC)).code, "NO_CYCLE");
  await rig.restart();
  t.equal((await rig.refused("dispense_water", { ml: 10 }, ATTIC)).code, "NO_CYCLE");
  t.match(await rig.status(PLAN, {}, ATTIC), { proceed: true }, "a new status takes it anew");
  t.match(await rig.water(20, ATTIC), { dispensed: 20 });
});

t.test("a person ends any agent's care; an agent ends its own alone", async (t) => {
  const rig = await rigFor(t, { hydration: 30 });
  await rig.status(PLAN, {}, ATTIC);
  t.same((await rig.get("release_care", {}, CELLAR)).released, []);
  t.match(await careOf(rig), { instance: "attic" });
  t.equal((await rig.call("release_care", {}, { as: "observer" })).ok, false);
  t.match(await rig.get("release_care", {}, { as: "human" }), { released: [{ instance: "attic" }] });
  t.match(await rig.status(PLAN, {}, CELLAR), { proceed: true });
});

t.test("an agent that names another's plant is told whose care it is", async (t) => {
  const rig = await rigFor(t, {
    config:
      "server: { calls_per_second: 100000 }\nplants: [{ id: basil }, { id: fern, probe: { channel: 1 } }]",
  });
  await rig.status([], { plant: "basil" }, ATTIC);
  await rig.status([], { plant: "fern" }, CELLAR);
  t.match(await rig.refused("release_care", { plant: "fern" }, ATTIC), {
    code: "CARE_TAKEN",
    details: { instance: "cellar" },
  });
  t.match(await rig.get("release_care", {}, ATTIC), { released: [{ plant: "basil" }] });
  t.match(await rig.get("release_care", {}, { as: "human" }), { released: [{ plant: "fern" }] });
});

t.test("a disk that takes no line keeps the care, and the cycle of whoever gave it up is over", async (t) => {
  const rig = await rigFor(t, { hydration: 30 });
  await rig.status(PLAN, {}, ATTIC);
  const mend = rig.fillDisk();
  t.equal((await rig.refused("release_care", {}, ATTIC)).code, "STORE_FAILED");
  mend();
  t.match(await careOf(rig), { instance: "attic" });
  t.equal((await rig.refused("dispense_water", { ml: 10 }, ATTIC)).code, "NO_CYCLE");
});

t.test("the care of a token that was revoked is free at once", async (t) => {
  const rig = await rigFor(t, { hydration: 30 });
  await rig.status(PLAN, {}, OTHER);
  t.match(await rig.status(PLAN, {}, ATTIC), { proceed: false, reason: /agent\.other/ });
  rig.revokeToken("agent.other");
  t.equal(await careOf(rig), null);
  t.match(await rig.status(PLAN, {}, ATTIC), { proceed: true });
});
