import t, { type Test } from "tap";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { EMERGENCY_STOP } from "../../drivers/devices/interlock/panel.js";
import { millis, minutes, seconds } from "../../drivers/units.js";
import { type Rig, rigFor } from "../rig.js";

const HUMAN = { as: "human" } as const;
const CONFIG = `
interlock: bench
plants:
  - { id: basil }
  - { id: fern, probe: { channel: 1 } }
server: { calls_per_second: 100000 }
`;

const interlocked = (t: Test) => rigFor(t, { config: CONFIG });

function interlockOf(rig: Rig) {
  const { interlock } = rig.bench;
  if (!interlock) throw new Error("the bench has no interlock");
  return interlock;
}

const letters = async (rig: Rig): Promise<string[]> => {
  const { messages } = await rig.get("list_messages_from_agent", { limit: 50 }, HUMAN);
  return (messages as { content: string }[]).map(({ content }) => content);
};

/** A dose of basil's that runs. */
async function pouring(rig: Rig) {
  const dose = rig.call("dispense_water", { ml: 25, plant: "basil" }, HUMAN);
  while (rig.bench.pumpEdges("basil").at(-1)?.level !== 1) await rig.pass(millis(20));
  return { dose };
}

/** A call that takes the plant's time before anything goes on. */
async function answered(rig: Rig, call: ReturnType<Rig["call"]>) {
  let done = false;
  const over = () => {
    done = true;
  };
  call.then(over, over);
  while (!done) await rig.pass(millis(20));
  return call;
}

/** Until the runtime has heard of it, and the disk too. */
async function noticed(rig: Rig): Promise<void> {
  await rig.pass(seconds(2));
  await rig.core.settled();
}

t.test("water flows through the interlock as it does without one, and is charged as measured", async (t) => {
  const rig = await interlocked(t);
  t.match(await rig.water(15, HUMAN), { dispensed: 15 });
  t.match(await rig.get("get_water_usage_24h", { plant: "basil" }), { used_ml: 15, events: 1 });
  t.match(await rig.get("get_overview", {}, HUMAN), {
    interlock: { state: "ok", problem: null, firmware: 1, pump_seconds_left: 588 },
  });
  t.match(await rig.during("dispense_water", { ml: 10, plant: "fern" }, HUMAN), { ok: true });
});

t.test("an interlock that is unplugged: nothing goes on, off works, the person is told once", async (t) => {
  const rig = await interlocked(t);
  interlockOf(rig).faults.unplugged = true;
  await noticed(rig);
  const key = { ...HUMAN, key: "once" };
  t.match(await rig.refused("dispense_water", { ml: 20, plant: "basil" }, key), {
    code: "INTERLOCK_LOST",
    retryable: true,
  });
  t.equal(
    (await rig.refused("turn_on_light", { minutes: 30, plant: "basil" }, HUMAN)).code,
    "INTERLOCK_LOST",
  );
  t.match(await rig.status([{ action: "water", value: 20 }], { plant: "basil" }), {
    proceed: false,
    reason: /INTERLOCK_LOST/,
  });
  await rig.get("stop_all");
  await rig.get("read_moisture", { plant: "basil" });
  t.match(await rig.get("get_overview", {}, HUMAN), {
    interlock: { state: "lost", problem: /does not answer/ },
  });
  t.match(await letters(rig), [/INTERLOCK_LOST/]);
  interlockOf(rig).faults.unplugged = false;
  await noticed(rig);
  t.match(
    await rig.during("dispense_water", { ml: 20, plant: "basil" }, key),
    { ok: true },
    "the key stayed free",
  );
});

t.test(
  "a fault of the interlock locks water and light until a person clears it, also over a restart",
  async (t) => {
    const rig = await interlocked(t);
    const { dose } = await pouring(rig);
    interlockOf(rig).faults.unplugged = true;
    await rig.pass(seconds(5));
    t.match(await answered(rig, dose), { ok: false, error: { code: "CANCELLED" } });
    interlockOf(rig).faults.unplugged = false;
    await noticed(rig);
    for (const plant of ["basil", "fern"])
      for (const [tool, args] of [
        ["dispense_water", { ml: 20 }],
        ["turn_on_light", { minutes: 30 }],
      ] as const)
        t.match(await rig.refused(tool, { ...args, plant }, HUMAN), {
          code: "INTERLOCK",
          retryable: false,
          message: /no heartbeat while the pump ran/,
        });
    t.match(await letters(rig), [/no heartbeat.*INTERLOCK.*tendril clear/s, /INTERLOCK_LOST/]);
    t.match(await rig.status([{ action: "light", value: 30 }], { plant: "fern" }), {
      reason: /Plan without water and light/,
    });
    await rig.restart();
    t.equal((await rig.refused("turn_on_light", { minutes: 30, plant: "fern" }, HUMAN)).code, "INTERLOCK");
    await rig.get("clear_fault", {}, HUMAN);
    t.match(await rig.during("dispense_water", { ml: 10, plant: "fern" }, HUMAN), { ok: true });
  },
);

t.test(
  "its emergency stop counts as a stop button, and its fault is not cleared while it is pressed",
  async (t) => {
    const rig = await interlocked(t);
    interlockOf(rig).faults.stopPressed = true;
    await noticed(rig);
    t.equal((await rig.refused("dispense_water", { ml: 20, plant: "basil" }, HUMAN)).code, "HOLD");
    t.match(await rig.refused("clear_fault", {}, HUMAN), {
      code: "INTERLOCK_FAULT",
      message: /emergency stop is pressed/,
    });
    t.match(await rig.refused("set_hold", { hold: false }, HUMAN), { code: "INPUT_ACTIVE" });
    t.match((await letters(rig)).sort(), [/interlock has switched off/, new RegExp(EMERGENCY_STOP)]);
    interlockOf(rig).faults.stopPressed = false;
    await noticed(rig);
    await rig.get("set_hold", { hold: false }, HUMAN);
    t.equal((await rig.refused("dispense_water", { ml: 20, plant: "basil" }, HUMAN)).code, "INTERLOCK");
    await rig.get("clear_fault", {}, HUMAN);
    t.match(await rig.during("dispense_water", { ml: 20, plant: "basil" }, HUMAN), { ok: true });
    t.equal((await letters(rig)).length, 2);
  },
);

t.test(
  "a relay of the Pi that has welded: the dose counts, everything is on hold, the person is told",
  async (t) => {
    const rig = await interlocked(t);
    rig.bench.faults("basil").pump = "relay welded";
    t.match(await rig.during("dispense_water", { ml: 20, plant: "basil" }, HUMAN), {
      ok: false,
      error: { code: "DOSE_UNCERTAIN" },
    });
    await rig.core.settled();
    t.match(await rig.get("get_water_usage_24h", { plant: "basil" }), { used_ml: 20 });
    t.match(await rig.refused("dispense_water", { ml: 20, plant: "fern" }, HUMAN), {
      code: "HOLD",
      message: /live behind/,
    });
    t.match(await letters(rig), [/RELAY_WELDED.*on hold/s]);
  },
);

t.test(
  "a light waits for the interlock's own rest after its start, as a refusal that says how long",
  async (t) => {
    const rig = await interlocked(t);
    const lit = rig.call("turn_on_light", { minutes: 30, plant: "basil" }, HUMAN);
    t.match(await answered(rig, lit), { ok: false, error: { code: "INTERLOCK_REST", retryable: true } });
    await rig.pass(minutes(10));
    const later = rig.call("turn_on_light", { minutes: 30, plant: "basil" }, HUMAN);
    t.match(await answered(rig, later), { ok: true });
  },
);

/** The disk takes real time, and the plant's must not pass meanwhile: the rest would be over. */
async function ordered(rig: Rig, isOnDisk: () => Promise<boolean>): Promise<void> {
  for (; !(await isOnDisk()); await rig.pass(millis(1))) await new SystemClock().sleep(millis(5));
}

for (const [code, forbid] of [
  ["HOLD", (rig: Rig) => rig.get("set_hold", { hold: true }, HUMAN)],
  ["UNAUTHORIZED", async (rig: Rig) => rig.revokeToken("human")],
] as const) {
  t.test(
    `a dose is forbidden while the pump rests: it does not flow, and does not count (${code})`,
    async (t) => {
      const rig = await interlocked(t);
      const used = async () => (await rig.get("get_water_usage_24h", { plant: "basil" })).used_ml;
      await rig.water(10, HUMAN); // then the pump rests for 10 s
      const poured = rig.bench.pumpEdges("basil").length;
      const dose = rig.call("dispense_water", { ml: 10, plant: "basil" }, HUMAN);
      await ordered(rig, async () => (await used()) === 20);
      await forbid(rig);
      t.match(await answered(rig, dose), { ok: false, error: { code } });
      t.equal(rig.bench.pumpEdges("basil").length, poured);
      t.equal(await used(), 10);
    },
  );

  t.test(
    `a light is forbidden while it rests: it does not go on, and does not count (${code})`,
    async (t) => {
      const rig = await interlocked(t);
      const status = () => rig.get("get_light_status", { plant: "basil" });
      await rig.pass(millis(minutes(10) - seconds(14))); // a rest of up to 15 s is waited out
      const light = rig.call("turn_on_light", { minutes: 30, plant: "basil" }, HUMAN);
      await ordered(rig, async () => (await status()).status === "on");
      await forbid(rig);
      t.match(await answered(rig, light), { ok: false, error: { code } });
      t.same(rig.bench.lightEdges("basil"), []);
      t.match(await status(), { last_on: null, can_activate: true });
    },
  );
}

t.test(
  "a light that is switched off while the interlock gets ready never goes on, and the call is told",
  async (t) => {
    const rig = await interlocked(t);
    await rig.pass(minutes(11));
    const lit = rig.call("turn_on_light", { minutes: 30, plant: "basil" }, HUMAN);
    await rig.pass(seconds(0));
    await rig.get("turn_off_light", { plant: "basil" });
    t.match(await answered(rig, lit), { ok: false, error: { code: "CANCELLED" } });
    t.same(rig.bench.lightEdges("basil"), []);
  },
);
