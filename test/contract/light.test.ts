import { rm } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { hours, minutes } from "../../drivers/units.js";
import { stampOf } from "../../runtime/safety/stamp.js";
import { LIGHT_LOG } from "../../runtime/services/light/ledger.js";
import { type Rig, rigFor } from "../rig.js";

const HUMAN = { as: "human" } as const;
const status = (rig: Rig) => rig.get("get_light_status");

t.test("a light that was never on has null times and is available", async (t) => {
  const rig = await rigFor(t);
  t.same(await status(rig), {
    status: "off",
    last_on: null,
    last_off: null,
    can_activate: true,
    minutes_until_available: 0,
    light_today: 0,
  });
});

t.test(
  "it goes on for the minutes asked and off by its own hardware timer, to the millisecond",
  async (t) => {
    const rig = await rigFor(t, { start: "2026-06-01T08:00:00.000Z" });
    const start = rig.clock.monotonic();
    t.same(await rig.get("turn_on_light", { minutes: 90 }, HUMAN), {
      status: "on",
      duration_minutes: 90,
      off_at: "2026-06-01T09:30:00.000Z",
    });
    await rig.pass(minutes(30));
    t.match(await status(rig), {
      status: "on",
      minutes_until_available: 90,
      can_activate: false,
      light_today: 30,
    });
    await rig.pass(minutes(61));
    t.match(await status(rig), {
      status: "off",
      light_today: 90,
      minutes_until_available: 29,
      can_activate: false,
    });
    t.match(rig.bench.lightEdges("basil"), [
      { level: 1, at: start },
      { level: 0, at: start + minutes(90) },
    ]);
  },
);

t.test("30 to 120 whole minutes, nothing else", async (t) => {
  const rig = await rigFor(t);
  for (const n of [29, 121, 30.5, 0, "60"]) {
    t.equal((await rig.refused("turn_on_light", { minutes: n }, HUMAN)).code, "INVALID_ARGUMENT", String(n));
  }
});

t.test("a runtime whose state was taken over switches no light on, and still switches one off", async (t) => {
  const rig = await rigFor(t);
  await rig.get("turn_on_light", { minutes: 30 }, HUMAN);
  await rm(join(rig.state, "lock.sqlite"));
  t.match(await rig.get("turn_off_light", {}, { as: "observer" }), { was_on: true });
  t.equal(rig.bench.lightEdges("basil").at(-1)?.level, 0);
  await rig.pass(minutes(31));
  t.equal((await rig.refused("turn_on_light", { minutes: 30 }, HUMAN)).code, "STATE_IN_USE");
  t.equal(rig.bench.lightEdges("basil").length, 2);
});

t.test("a light that is switched off while it is being admitted does not go on", async (t) => {
  const rig = await rigFor(t);
  const asked = rig.refused("turn_on_light", { minutes: 30 }, HUMAN);
  await rig.get("turn_off_light", {}, { as: "observer" });
  t.equal((await asked).code, "CANCELLED");
  t.equal(rig.bench.lightEdges("basil").length, 0);
});

t.test("already on is an error, and so is a rest of less than 30 minutes, however it went off", async (t) => {
  const rig = await rigFor(t);
  await rig.get("turn_on_light", { minutes: 30 }, HUMAN);
  t.equal((await rig.refused("turn_on_light", { minutes: 30 }, HUMAN)).code, "LIGHT_ALREADY_ON");
  await rig.pass(minutes(10));
  t.match(await rig.get("turn_off_light", {}, { as: "observer" }), { status: "off", was_on: true });
  t.match(await rig.refused("turn_on_light", { minutes: 30 }, HUMAN), {
    code: "LIGHT_COOLDOWN",
    retry_after_s: 1800,
  });
  await rig.pass(minutes(29));
  t.match(await status(rig), { minutes_until_available: 1, can_activate: false });
  await rig.pass(minutes(1));
  await rig.get("turn_on_light", { minutes: 30 }, HUMAN);
});

t.test("after a restart the light is off, last_off is recorded and the rest begins", async (t) => {
  const rig = await rigFor(t);
  await rig.get("turn_on_light", { minutes: 60 }, HUMAN);
  await rig.pass(minutes(10));
  await rig.restart();
  t.match(await status(rig), {
    status: "off",
    last_off: String,
    light_today: 10,
    minutes_until_available: 30,
  });
  t.equal((await rig.refused("turn_on_light", { minutes: 30 }, HUMAN)).code, "LIGHT_COOLDOWN");
});

t.test("a crash ends the light too: last_off is recorded and the rest begins with the restart", async (t) => {
  const rig = await rigFor(t);
  await rig.get("turn_on_light", { minutes: 60 }, HUMAN);
  await rig.pass(minutes(10));
  await rig.crash();
  await rig.pass(minutes(5));
  await rig.open();
  t.match(await status(rig), {
    status: "off",
    last_off: "2026-06-01T08:15:00.000Z",
    minutes_until_available: 30,
  });
  t.equal((await rig.refused("turn_on_light", { minutes: 30 }, HUMAN)).code, "LIGHT_COOLDOWN");
});

t.test("a light journal that is gone counts as a light that has just gone off", async (t) => {
  const rig = await rigFor(t);
  await rig.get("turn_on_light", { minutes: 30 }, HUMAN);
  await rig.pass(minutes(45));
  await rig.crash();
  await rm(join(rig.state, "journal", "light.jsonl"));
  await rig.open();
  t.match(await status(rig), { can_activate: false, minutes_until_available: 30 });
  const asked = { hours: 1, samples_per_hour: 1, aggregation: "sum", value_field: "minutes_requested" };
  t.match(await rig.get("get_light_history", asked), { items: [{ value: 0 }] }, "and adds no light");
  await rig.restart();
  await rig.pass(minutes(30));
  await rig.get("turn_on_light", { minutes: 30 }, HUMAN);
});

t.test("an end of a light that no line has switched on is no record", async (t) => {
  const rig = await rigFor(t);
  const stamp = stampOf(rig.clock);
  const timestamp = new Date(rig.clock.now()).toISOString();
  const end = { timestamp, stamp, kind: "off", of: 7, ended: "elapsed", lit_ms: 0 } as const;
  t.throws(() => LIGHT_LOG.fold(undefined, end), /an "off" of 7, which no line has switched on/);
});

t.test("a light whose end a full disk cannot note is off all the same, and rests from then", async (t) => {
  const rig = await rigFor(t, { start: "2026-06-01T08:00:00.000Z" });
  await rig.get("turn_on_light", { minutes: 30 }, HUMAN);
  await rig.pass(minutes(20));
  const empty = rig.fillDisk();
  await rig.pass(minutes(11));
  t.match(await status(rig), { status: "off", light_today: 30, minutes_until_available: 29 });
  empty();
  await rig.pass(minutes(29));
  t.match(await status(rig), { can_activate: true, light_today: 30 });
});

t.test("a light switched off while it is being switched on never goes on", async (t) => {
  const rig = await rigFor(t);
  rig.duringNextWrite(() => rig.get("turn_off_light", {}, { as: "observer" }));
  t.equal((await rig.refused("turn_on_light", { minutes: 30 }, HUMAN)).code, "CANCELLED");
  t.same(rig.bench.lightEdges("basil"), []);
});

t.test("a stop ends a light that was asked for before it also while its key is being written", async (t) => {
  for (const off of ["turn_off_light", "stop_all"]) {
    const rig = await rigFor(t);
    rig.duringNextWrite(() => rig.get(off, {}, { as: "observer" }));
    const refusal = await rig.refused("turn_on_light", { minutes: 30 }, { ...HUMAN, key: "light" });
    t.equal(refusal.code, "CANCELLED", off);
    t.same(rig.bench.lightEdges("basil"), []);
    await rig.get("turn_on_light", { minutes: 30 }, { ...HUMAN, key: "next" });
  }
});

t.test("a light that is switched off leaves a dose that came before alone", async (t) => {
  const rig = await rigFor(t);
  rig.duringNextWrite(() => rig.get("turn_off_light", {}, { as: "observer" }));
  t.match(await rig.during("dispense_water", { ml: 20 }, { ...HUMAN, key: "dose" }), { ok: true });
});

t.test("stop_all records last_off and starts the rest too", async (t) => {
  const rig = await rigFor(t);
  await rig.get("turn_on_light", { minutes: 60 }, HUMAN);
  await rig.pass(minutes(5));
  await rig.get("stop_all", {}, { as: "observer" });
  t.match(await status(rig), {
    status: "off",
    last_off: "2026-06-01T08:05:00.000Z",
    minutes_until_available: 30,
  });
});

t.test("a disk that hangs does not hold up the answer of an off, and the rest begins at once", async (t) => {
  for (const [off, of] of [
    ["turn_off_light", "light"],
    ["stop_all", "all"],
  ] as const) {
    const rig = await rigFor(t, { start: "2026-06-01T08:00:00.000Z" });
    await rig.get("turn_on_light", { minutes: 60 }, HUMAN);
    await rig.pass(minutes(5));
    const release = rig.disk.hang();
    await rig.get(off, {}, { as: "observer" });
    t.equal(rig.bench.lightEdges("basil").at(-1)?.level, 0, of);
    t.match(await status(rig), { status: "off", can_activate: false, minutes_until_available: 30 }, of);
    t.equal((await rig.refused("turn_on_light", { minutes: 30 }, HUMAN)).code, "LIGHT_COOLDOWN", of);
    release();
    await rig.pass(minutes(1));
    await rig.restart();
    t.match(await status(rig), { last_off: "2026-06-01T08:05:00.000Z", light_today: 5 }, of);
  }
});

t.test("a light that the end of the runtime switches off is on record", async (t) => {
  const rig = await rigFor(t, { start: "2026-06-01T08:00:00.000Z" });
  await rig.get("turn_on_light", { minutes: 60 }, HUMAN);
  await rig.pass(minutes(5));
  await rig.restart();
  t.match(await rig.get("get_light_history", { hours: 24, samples_per_hour: 1 }), {
    items: [{ minutes: 5, ended: "turned_off" }],
  });
});

t.test("a clock set forward does not shorten the rest, nor does a reboot with an unset clock", async (t) => {
  const rig = await rigFor(t);
  await rig.get("turn_on_light", { minutes: 30 }, HUMAN);
  await rig.pass(minutes(31));
  rig.clock.stepWall(hours(5));
  t.match(await status(rig), { minutes_until_available: 29 });
  await rig.stop();
  rig.clock.reboot({ downtime: hours(5), synchronised: false });
  await rig.open();
  t.match(await status(rig), { minutes_until_available: 30 });
  await rig.pass(minutes(30));
  t.match(await status(rig), { can_activate: true });
});

t.test("light_today begins anew at midnight UTC, in the middle of a stretch", async (t) => {
  const rig = await rigFor(t, { start: "2026-06-01T23:00:00.000Z" });
  await rig.get("turn_on_light", { minutes: 120 }, HUMAN);
  await rig.pass(minutes(59));
  t.match(await status(rig), { light_today: 59 });
  await rig.pass(minutes(21));
  t.match(await status(rig), { light_today: 20 });
});

t.test("an agent's light is bound by the plan of its cleared status", async (t) => {
  const rig = await rigFor(t);
  await rig.status([{ action: "light", value: 45 }]);
  t.equal((await rig.refused("turn_on_light", { minutes: 60 })).code, "PLAN_EXCEEDED");
  await rig.get("turn_on_light", { minutes: 45 });
  t.match(await rig.status([{ action: "light", value: 30 }]), { proceed: false, reason: /is on already/ });
});

t.test("light history adds up the minutes of a day", async (t) => {
  const rig = await rigFor(t);
  await rig.get("turn_on_light", { minutes: 30 }, HUMAN);
  await rig.pass(minutes(61));
  await rig.get("turn_on_light", { minutes: 45 }, HUMAN);
  await rig.pass(minutes(46));
  const daily = { hours: 24, samples_per_hour: 0.042, aggregation: "sum", value_field: "minutes" };
  t.match(await rig.get("get_light_history", daily), { items: [{ value: 75, count: 2 }] });
});
