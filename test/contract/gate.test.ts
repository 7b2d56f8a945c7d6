import { rm } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { minutes } from "../../drivers/units.js";
import { control } from "../../runtime/services/people/control.js";
import type { Role } from "../../runtime/wire/identity.js";
import { rigFor } from "../rig.js";

t.test("without a status no water flows and no light goes on, for an agent", async (t) => {
  const rig = await rigFor(t);
  t.equal((await rig.refused("dispense_water", { ml: 20 })).code, "NO_CYCLE");
  t.equal((await rig.refused("turn_on_light", { minutes: 30 })).code, "NO_CYCLE");
  t.match(await rig.get("get_water_usage_24h"), { used_ml: 0, events: 0 });
});

t.test("a true status with a plan is cleared, and the plan binds", async (t) => {
  const rig = await rigFor(t);
  t.same(await rig.status([{ action: "water", value: 40 }]), { proceed: true });
  await rig.water(20);
  await rig.water(20);
  t.match(await rig.refused("dispense_water", { ml: 10 }), {
    code: "PLAN_EXCEEDED",
    details: { planned: 40, spent: 40, asked: 10, left: 0 },
  });
  t.equal((await rig.refused("turn_on_light", { minutes: 30 })).code, "PLAN_EXCEEDED");
});

t.test("a status with wrong figures is refused with all the true ones, and opens nothing", async (t) => {
  const rig = await rigFor(t);
  const wrong = {
    timestamp: "2026-06-01T07:00:00Z",
    sensor_reading: 1,
    water_24h: 999,
    light_today: 99,
  };
  const answer = await rig.status([{ action: "water", value: 600 }], wrong);
  t.equal(answer.proceed, false);
  for (const part of [
    /timestamp/,
    /the probe read 1 \(sensor_reading\)/,
    /counts 999 ml of water/,
    /counts 99 minutes of light today/,
    /600 ml, but 500 ml/,
  ]) {
    t.match(answer.reason, part);
  }
  t.equal((await rig.refused("dispense_water", { ml: 20 })).code, "CYCLE_REFUSED");
});

t.test("a refused status ends the cycle that was open", async (t) => {
  const rig = await rigFor(t);
  await rig.status([{ action: "water", value: 40 }]);
  await rig.status([], { sensor_reading: -5 });
  t.equal((await rig.refused("dispense_water", { ml: 20 })).code, "CYCLE_REFUSED");
});

t.test("a refused status ends the cycle at once, also for a dose right behind it", async (t) => {
  const rig = await rigFor(t);
  await rig.status([{ action: "water", value: 40 }]);
  const bad = {
    timestamp: new Date(rig.clock.now()).toISOString(),
    sensor_reading: -5,
    water_24h: 0,
    light_today: 0,
    plant_state: "healthy",
    next_action_sequence: [],
    reasoning: "",
  };
  const status = rig.get("write_plant_status", bad);
  t.equal((await rig.refused("dispense_water", { ml: 20 })).code, "CYCLE_REFUSED");
  t.match(await status, { proceed: false });
});

t.test(
  "a cycle is over after 30 minutes and the next status opens a new one: the gate cannot stick",
  async (t) => {
    const rig = await rigFor(t);
    await rig.status([{ action: "water", value: 20 }]);
    await rig.pass(minutes(31));
    t.equal((await rig.refused("dispense_water", { ml: 20 })).code, "CYCLE_EXPIRED");
    for (let day = 0; day < 3; day += 1) {
      t.same(await rig.status([{ action: "water", value: 10 }]), { proceed: true });
      await rig.water(10);
      await rig.pass(minutes(24 * 60));
    }
  },
);

t.test("the gate survives a restart, and belongs to the token, not to the connection", async (t) => {
  const rig = await rigFor(t);
  await rig.status([{ action: "water", value: 40 }]);
  await rig.water(20);
  await rig.restart();
  await rig.water(20);
  t.equal(
    (await rig.refused("dispense_water", { ml: 10 })).code,
    "PLAN_EXCEEDED",
    "the plan is remembered too",
  );
  t.equal((await rig.refused("dispense_water", { ml: 10 }, { token: "agent.other" })).code, "NO_CYCLE");
});

t.test(
  "a reading older than 10 minutes or never stored is refused; one within the noise passes",
  async (t) => {
    const rig = await rigFor(t);
    const { value, noise } = (await rig.get("read_moisture")) as { value: number; noise: number };
    t.match(await rig.status([], { sensor_reading: value + noise }), { proceed: true });
    await rig.pass(minutes(11));
    const stale = { timestamp: new Date(rig.clock.now()).toISOString(), sensor_reading: value + 400 };
    t.match(await rig.status([], stale), { proceed: false, reason: /sensor_reading/ });
  },
);

t.test("a status may be ten minutes late or early, as a reading may, and no more", async (t) => {
  const rig = await rigFor(t);
  const at = (offset: number) => ({ timestamp: new Date(rig.clock.now() + offset).toISOString() });
  t.same(await rig.status([], at(-minutes(10))), { proceed: true });
  t.same(await rig.status([], at(minutes(10))), { proceed: true });
  t.match(await rig.status([], at(-minutes(10) - 1)), {
    proceed: false,
    reason: /\(timestamp\).*it may differ by 10 minutes/,
  });
});

t.test("naive timestamps are UTC, any offset is understood", async (t) => {
  const rig = await rigFor(t, { start: "2026-06-01T08:00:00.000Z" });
  t.same(await rig.status([], { timestamp: "2026-06-01T08:00:00" }), { proceed: true });
  t.same(await rig.status([], { timestamp: "2026-06-01T10:00:00+02:00" }), { proceed: true });
  t.match(await rig.status([], { timestamp: "2026-06-01T08:00:00+02:00" }), {
    proceed: false,
    reason: /timestamp/,
  });
});

t.test("an empty plan is cleared even under a hold; a plan with water or light is not", async (t) => {
  const rig = await rigFor(t);
  await rig.get("set_hold", { hold: true, reason: "repotting" }, { as: "human" });
  t.same(await rig.status([]), { proceed: true });
  t.match(await rig.status([{ action: "water", value: 10 }]), { proceed: false, reason: /repotting/ });
  t.match(await rig.status([{ action: "light", value: 30 }]), { proceed: false, reason: /repotting/ });
});

t.test(
  "with a faulty probe the last good reading passes, for plans without water, and nothing is poured blind",
  async (t) => {
    const rig = await rigFor(t);
    const { value } = await rig.get("read_moisture");
    rig.bench.faults("basil").probe = "unplugged";
    const refusal = await rig.refused("read_moisture");
    t.match(refusal, {
      code: "PROBE_FAULT",
      details: { quality: "disconnected", last_good: { value, quality: "stale" } },
    });
    t.match(await rig.status([{ action: "water", value: 10 }], { sensor_reading: value }), {
      proceed: false,
      reason: /probe/,
    });
    t.same(await rig.status([{ action: "light", value: 30 }], { sensor_reading: value }), { proceed: true });
    t.equal((await rig.refused("dispense_water", { ml: 10 })).code, "PROBE_FAULT");
  },
);

t.test("a person needs no status, but ledger and hold bind them too", async (t) => {
  const rig = await rigFor(t);
  await rig.water(25, { as: "human" });
  await rig.get("set_hold", { hold: true }, { as: "human" });
  t.equal((await rig.refused("dispense_water", { ml: 10 }, { as: "human" })).code, "HOLD");
  await rig.get("set_hold", { hold: false }, { as: "human" });
  await rig.water(25, { as: "human" });
  t.match(await rig.get("get_water_usage_24h"), { used_ml: 50, events: 2 });
});

t.test("an observer may read and switch off, and nothing else", async (t) => {
  const rig = await rigFor(t);
  const as = "observer" as const;
  t.equal((await rig.refused("dispense_water", { ml: 10 }, { as })).code, "FORBIDDEN");
  t.equal((await rig.refused("log_action", { type: "observe", details: {} }, { as })).code, "FORBIDDEN");
  t.equal((await rig.refused("set_hold", { hold: true }, { as: "agent" })).code, "FORBIDDEN");
  await rig.get("read_moisture", {}, { as });
  await rig.get("turn_off_light", {}, { as });
  await rig.get("stop_all", {}, { as });
});

t.test("a hold that comes between the check and the pulse keeps pump and light off", async (t) => {
  const rig = await rigFor(t);
  const hold = () => rig.get("set_hold", { hold: true }, { as: "human" });
  rig.duringNextWrite(hold);
  t.equal((await rig.refused("dispense_water", { ml: 20 }, { as: "human" })).code, "HOLD");
  t.match(await rig.get("get_water_usage_24h"), { used_ml: 0 });
  await rig.get("set_hold", { hold: false }, { as: "human" });
  rig.duringNextWrite(hold);
  t.equal((await rig.refused("turn_on_light", { minutes: 30 }, { as: "human" })).code, "HOLD");
  t.same([...rig.bench.pumpEdges("basil"), ...rig.bench.lightEdges("basil")], []);
  t.match(await rig.get("get_light_status"), { status: "off", last_on: null, light_today: 0 });
});

t.test("a hold holds even where the disk refuses to note it", async (t) => {
  const rig = await rigFor(t);
  const empty = rig.fillDisk();
  t.match(await rig.refused("set_hold", { hold: true }, { as: "human" }), {
    code: "STORE_FAILED",
    message: /the hold is in force, but could not be written, so a restart may end it/,
  });
  empty();
  t.equal((await rig.refused("dispense_water", { ml: 20 }, { as: "human" })).code, "HOLD");
});

t.test("one plant's hold cannot be lifted out of a hold of all", async (t) => {
  const rig = await rigFor(t, { config: "plants: [{ id: a }, { id: b, probe: { channel: 1 } }]" });
  await rig.get("set_hold", { hold: true }, { as: "human" });
  t.match(await rig.refused("set_hold", { hold: false, plant: "a" }, { as: "human" }), {
    code: "HOLD",
    message: /all plants/,
  });
  await rig.get("set_hold", { hold: false }, { as: "human" });
  await rig.get("set_hold", { hold: false, plant: "a" }, { as: "human", key: "k" });
  const all = await rig.call("set_hold", { hold: false }, { as: "human", key: "k" });
  t.match(
    all,
    { ok: false, error: { code: "IDEMPOTENCY_CONFLICT" } },
    "the plant is part of what a key stands for",
  );
});

t.test("a hold and a pause are in force also with a used key", async (t) => {
  const rig = await rigFor(t);
  const once = { as: "human", key: "k" } as const;
  await rig.get("set_hold", { hold: true, reason: "first" }, once);
  await rig.get("set_hold", { hold: false }, { as: "human" });
  await rig.get("set_hold", { hold: true, reason: "again" }, once);
  t.match(await rig.refused("turn_on_light", { minutes: 30 }, { as: "human" }), {
    code: "HOLD",
    message: /again/,
  });
  await rig.get("set_hold", { hold: false }, { as: "human" });
  for (const _ of ["first", "again"]) {
    await rig.get("pause_agents", { paused: true }, once);
    t.equal((await rig.refused("turn_on_light", { minutes: 30 })).code, "PAUSED");
    await rig.get("pause_agents", { paused: false }, { as: "human" });
  }
});

t.test("holds and faults survive a crash, and their lost journal holds everything", async (t) => {
  const rig = await rigFor(t);
  await rig.get("set_hold", { hold: true, reason: "repotting" }, { as: "human" });
  await rig.crash();
  await rig.open();
  t.match(await rig.refused("turn_on_light", { minutes: 30 }, { as: "human" }), {
    code: "HOLD",
    message: /repotting/,
  });
  await rig.get("set_hold", { hold: false }, { as: "human" });
  await rig.crash();
  await rm(join(rig.state, "journal", "control.jsonl"));
  await rig.open();
  t.equal((await rig.refused("dispense_water", { ml: 20 }, { as: "human" })).code, "HOLD");
  await rig.get("set_hold", { hold: false }, { as: "human" });
  await rig.restart();
  await rig.water(20, { as: "human" });
});

t.test(
  "whatever switches off does so with a used key, on a full disk, and while the runtime stops",
  async (t) => {
    const rig = await rigFor(t);
    for (const off of ["turn_off_light", "stop_all"]) {
      await rig.get(off, {}, { as: "observer", key: off });
      await rig.get("turn_on_light", { minutes: 30 }, { as: "human" });
      const empty = rig.fillDisk();
      rig.core.registry.close();
      await rig.get(off, {}, { as: "observer", key: off });
      t.equal(rig.bench.lightEdges("basil").at(-1)?.level, 0, off);
      t.equal((await rig.refused("dispense_water", { ml: 20 }, { as: "human" })).code, "STOPPING");
      empty();
      await rig.restart();
      await rig.pass(minutes(31));
    }
  },
);

t.test(
  "what a person lifts while that cannot be written stays in force, and can be lifted afterwards",
  async (t) => {
    const rig = await rigFor(t);
    const human = { as: "human" } as const;
    const leak = { kind: "fault", code: "LEAK", by: "runtime", reason: "the tray is wet" } as const;
    await rig.core.get(control).record({ ...leak, timestamp: "2026-06-01T08:00:00.000Z", plant: "basil" });
    await rig.get("set_hold", { hold: true }, human);
    const empty = rig.fillDisk();
    for (const [tool, args] of [
      ["set_hold", { hold: false }],
      ["clear_fault", {}],
    ] as const)
      t.equal((await rig.refused(tool, args, human)).code, "STORE_FAILED", tool);
    empty();
    t.equal((await rig.refused("dispense_water", { ml: 20 }, human)).code, "HOLD");
    await rig.get("set_hold", { hold: false }, human);
    t.equal((await rig.refused("dispense_water", { ml: 20 }, human)).code, "LEAK");
    t.equal(rig.core.get(control).hasFault("basil", "LEAK"), true);
    await rig.get("turn_on_light", { minutes: 30 }, human); // water's fault is not the light's
    await rig.get("clear_fault", {}, human);
    await rig.water(20, human);
  },
);

t.test("whatever switches off does so beyond the rate of calls", async (t) => {
  const rig = await rigFor(t, { config: "server: { calls_per_second: 1 }", peopleToo: true });
  const observer = { as: "observer" } as const;
  for (const off of ["turn_off_light", "stop_all"]) {
    await rig.get("turn_on_light", { minutes: 30 }, { as: "human" });
    while ((await rig.call("get_overview", {}, observer)).ok);
    t.equal((await rig.refused("get_overview", {}, observer)).code, "RATE_LIMITED");
    await rig.get(off, {}, observer);
    t.equal(rig.bench.lightEdges("basil").at(-1)?.level, 0, off);
    await rig.pass(minutes(31));
  }
});

t.test(
  "words of a person that say off do so beyond the rate of calls, also where the call is refused",
  async (t) => {
    const config = "server: { calls_per_second: 1 }\nplants: [{ id: basil }]";
    const rig = await rigFor(t, { config, peopleToo: true });
    const lit = () => rig.bench.lightEdges("basil").at(-1)?.level === 1;
    for (const [tool, args] of [
      ["send_chat_message", { text: "stop!" }],
      ["send_message_to_agent", { message: "stop!" }],
      ["send_chat_message", { text: "stop!", chat_id: "nobody's", user_id: "nobody" }],
      ["send_chat_message", { text: "stop!", force: true }],
    ] as const) {
      await rig.get("turn_on_light", { minutes: 30 }, { as: "human" });
      while ((await rig.call("get_overview", {}, { as: "human" })).ok);
      t.equal((await rig.refused(tool, { ...args, forwarded: true }, { as: "human" })).code, "RATE_LIMITED");
      t.notOk((await rig.call(tool, args, { as: "agent" })).ok);
      t.equal(lit(), true, "words of others, and of agents, switch nothing off");
      const call = (role: Role, more = {}) => ({
        ...{ name: tool, arguments: { ...args, ...more }, identity: { name: role, role } },
      });
      t.equal(rig.core.registry.isUrgent(call("human")), true, "it waits behind no other message");
      t.equal(rig.core.registry.isUrgent(call("human", { forwarded: true })), false);
      t.equal(rig.core.registry.isUrgent(call("agent")), false);
      t.equal((await rig.refused(tool, args, { as: "human" })).code, "RATE_LIMITED");
      t.equal(lit(), false, JSON.stringify(args));
      await rig.pass(minutes(31));
    }
  },
);

t.test("a hold is counted, and refused by no rate of calls", async (t) => {
  const rig = await rigFor(t, { config: "server: { calls_per_second: 1 }", peopleToo: true });
  while ((await rig.call("get_overview", {}, { as: "human" })).ok);
  await rig.get("set_hold", { hold: true }, { as: "human" });
  t.equal((await rig.refused("set_hold", { hold: false }, { as: "human" })).code, "RATE_LIMITED");
  t.equal((await rig.refused("set_hold", { hold: true }, { as: "observer" })).code, "FORBIDDEN");
});

t.test(
  "whatever switches off does so with wrong arguments too, and says what was wrong with them",
  async (t) => {
    const rig = await rigFor(t, { config: "plants: [{ id: a }, { id: b, probe: { channel: 1 } }]" });
    for (const args of [{ force: true }, { plant: "cactus" }, { plant: 7 }, []]) {
      for (const plant of ["a", "b"]) await rig.get("turn_on_light", { minutes: 30, plant }, { as: "human" });
      const refusal = await rig.refused("turn_off_light", args as Record<string, unknown>, {
        as: "observer",
      });
      t.match(refusal.message, /carried out for every plant all the same/);
      for (const plant of ["a", "b"])
        t.equal(rig.bench.lightEdges(plant).at(-1)?.level, 0, `${plant} is off`);
      await rig.pass(minutes(31));
    }
    await rig.get("turn_on_light", { minutes: 30 }, { as: "human" });
    await rig.refused("stop_all", { now: true }, { as: "observer" });
    t.equal(rig.bench.lightEdges("a").at(-1)?.level, 0);
  },
);
