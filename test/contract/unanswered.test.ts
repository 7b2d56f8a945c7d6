import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { hours, minutes, seconds } from "../../drivers/units.js";
import { moisture } from "../../runtime/services/moisture/service.js";
import { control } from "../../runtime/services/people/control.js";
import { type Rig, rigFor } from "../rig.js";

const HUMAN = { as: "human" } as const;
const usage = async (rig: Rig) => (await rig.get("get_water_usage_24h")).used_ml;
const refusedDose = (rig: Rig, ml: number) => rig.refused("dispense_water", { ml }, HUMAN);
const journal = (rig: Rig, name: string) => join(rig.state, "journal", `${name}.jsonl`);

/** A pot beside which the tube hangs, with readings from before. */
async function tubeOff(t: Parameters<typeof rigFor>[0]): Promise<Rig> {
  const rig = await rigFor(t);
  rig.bench.faults("basil").pump = "tube off";
  await rig.passSampling(minutes(20));
  return rig;
}

t.test(
  "a dose that would make it more than 60 ml without an answer waits for the soil, and says so",
  async (t) => {
    const rig = await tubeOff(t);
    for (const ml of [25, 25]) await rig.water(ml, HUMAN);
    t.match(await refusedDose(rig, 25), {
      code: "AWAITING_SOIL",
      retryable: true,
      retry_after_s: 60,
      message:
        /25 ml more it would be more than 60 ml: ask again in 60 s, at 20\S+Z, or pour the rest in a later cycle\. If the soil/,
      details: { unanswered_ml: 50, limit_ml: 60, asked_ml: 25, next_at: /^20\S+Z$/ },
    });
    t.equal(await usage(rig), 50, "nothing was poured");
    await rig.water(10, HUMAN);
    t.equal((await refusedDose(rig, 10)).code, "AWAITING_SOIL", "60 is the most");
  },
);

t.test(
  "at most 60 ml flow in 24 hours without an answer of the soil, the dose asked included; then the pump is locked and the person is told",
  async (t) => {
    const rig = await tubeOff(t);
    for (const ml of [25, 25]) await rig.water(ml, HUMAN);
    await rig.passSampling(minutes(14));
    t.equal((await refusedDose(rig, 25)).code, "AWAITING_SOIL");
    await rig.passSampling(minutes(1));
    t.match(await refusedDose(rig, 25), { code: "NO_RESPONSE", message: /50 ml.*25 ml more.*60 ml/ });
    t.match(await rig.get("list_messages_from_agent", {}, HUMAN), {
      messages: [{ content: /NO_RESPONSE.*tube, the tank and the probe.*tendril clear basil/ }],
    });
    t.equal(await usage(rig), 50);
  },
);

t.test("a dose that is more than may flow without an answer locks no pump", async (t) => {
  const rig = await rigFor(t, { config: "{ water: { no_response: { ml: 20 } } }" });
  await rig.passSampling(minutes(20));
  t.match(await refusedDose(rig, 25), { code: "INVALID_ARGUMENT", message: /at most 20 ml/ });
  t.same(rig.core.get(control).faults("basil"), []);
  await rig.water(20, HUMAN);
});

/** What was told of water without an answer, newest first. */
async function told(rig: Rig) {
  const { notifications } = await rig.get("list_notifications", {}, HUMAN);
  return notifications as readonly Record<string, unknown>[];
}

t.test(
  "the person is told once, a quarter of an hour after a dose, that the soil has not answered; no press is needed",
  async (t) => {
    const rig = await tubeOff(t);
    await rig.water(20, HUMAN);
    await rig.passSampling(minutes(14), minutes(1));
    t.same(await told(rig), [], "it may still answer");
    await rig.passSampling(minutes(2), minutes(1));
    const data = { unanswered_ml: 20, minutes: 15 };
    const news = { kind: "water_unanswered", severity: "warning", plant: "basil", data, over_at: null };
    t.match(await told(rig), [news]);
    await rig.water(20, HUMAN);
    await rig.restart();
    rig.bench.faults("basil").pump = "tube off";
    await rig.passSampling(hours(6));
    t.match(await told(rig), [news]);
    t.equal((await told(rig)).length, 1, "once");
    await rig.get("clear_fault", {}, HUMAN);
    await rig.passSampling(minutes(5));
    t.match(await told(rig), [{ over_at: String }], "a person has looked");
    await rig.water(20, HUMAN);
    await rig.passSampling(minutes(20));
    t.match(await told(rig), [{ ...news, data }, { over_at: String }], "then it is news again");
  },
);

t.test("what is told of one plant's water is not over with another's", async (t) => {
  const rig = await rigFor(t, { config: "plants: [{ id: basil }, { id: fern, probe: { channel: 1 } }]" });
  for (const plant of ["basil", "fern"]) rig.bench.faults(plant).pump = "tube off";
  await rig.passSampling(minutes(20));
  const pour = (plant: string, ml: number) => rig.during("dispense_water", { ml, plant }, HUMAN);
  await pour("basil", 20);
  for (const ml of [25, 25]) await pour("fern", ml);
  await rig.passSampling(minutes(20), minutes(1));
  t.match(await pour("fern", 25), { ok: false, error: { code: "NO_RESPONSE" } });
  for (const when of ["at once", "after further readings"]) {
    const lasting = (await told(rig)).filter(({ over_at }) => over_at === null);
    t.match(lasting, [
      { kind: "pump_locked", plant: "fern" },
      { kind: "water_unanswered", plant: "basil" },
    ]);
    t.equal(lasting.length, 2, when);
    await rig.passSampling(minutes(10));
  }
});

t.test("that the soil has not answered is over once it answers, or the pump is locked for it", async (t) => {
  const rig = await tubeOff(t);
  await rig.water(20, HUMAN);
  await rig.passSampling(minutes(20));
  delete rig.bench.faults("basil").pump;
  await rig.water(25, HUMAN);
  await rig.passSampling(minutes(20));
  t.match(await told(rig), [{ kind: "water_unanswered", over_at: String }]);
  rig.bench.faults("basil").pump = "tube off";
  for (const _ of [1, 2, 3]) {
    await rig.passSampling(hours(1));
    await rig.water(20, HUMAN);
  }
  await rig.passSampling(hours(1));
  t.match(await told(rig), [
    { kind: "pump_locked", over_at: null },
    { kind: "water_unanswered", over_at: String, data: { unanswered_ml: 20 } },
    { kind: "water_unanswered", over_at: String },
  ]);
});

t.test("water that arrives is told to nobody, nor is a dose that was stopped at once", async (t) => {
  const rig = await rigFor(t, { hydration: 40 });
  await rig.passSampling(minutes(20));
  for (const ml of [10, 25, 10]) {
    await rig.water(ml, HUMAN);
    await rig.passSampling(hours(4));
  }
  rig.bench.faults("basil").pump = "tube off";
  const dose = rig.call("dispense_water", { ml: 25 }, HUMAN);
  while (rig.bench.pumpEdges("basil").at(-1)?.level !== 1) await rig.pass(seconds(0.2));
  await rig.get("stop_all", {}, HUMAN);
  await dose;
  await rig.passSampling(hours(1));
  t.same(await told(rig), []);
});

t.test(
  "hours between the doses help nothing: 54 ml without an answer and 18 ml more are too much",
  async (t) => {
    const rig = await tubeOff(t);
    for (const ml of [18, 18, 18]) await rig.water(ml, HUMAN);
    await rig.passSampling(hours(6), minutes(20));
    t.equal((await refusedDose(rig, 18)).code, "NO_RESPONSE");
    t.equal(await usage(rig), 54);
  },
);

for (const [what, fail] of Object.entries({
  "a tube that comes off": (rig: Rig) => {
    rig.bench.faults("basil").pump = "tube off";
  },
  "a pump that clogs": (rig: Rig) => {
    rig.bench.faults("basil").pump = "clogged";
  },
}))
  t.test(
    `${what} between two doses loses no more than 60 ml: the rise of the first answers for no other`,
    async (t) => {
      const rig = await rigFor(t, { hydration: 20 });
      await rig.passSampling(minutes(30), minutes(1));
      for (const ml of [25, 25]) await rig.water(ml, HUMAN);
      fail(rig);
      let lost = 0;
      for (let call = 0; call < 60; call += 1) {
        const dose = await rig.during("dispense_water", { ml: 10 }, HUMAN);
        if (dose.ok) lost += 10;
        await rig.passSampling(minutes(1), minutes(1));
      }
      t.ok(lost <= 60, `${lost} ml`);
      t.equal((await refusedDose(rig, 10)).code, "NO_RESPONSE");
    },
  );

t.test("an answer that shows already lets the next dose flow at once", async (t) => {
  const rig = await rigFor(t, { hydration: 40 });
  const began = rig.clock.monotonic();
  for (const ml of [25, 25, 25, 25, 25]) await rig.water(ml, HUMAN);
  t.ok(rig.clock.monotonic() - began < minutes(2), "nothing but the pump took time");
});

t.test("one plant's unanswered water keeps no water from another", async (t) => {
  const config = "plants: [{ id: basil }, { id: fern, probe: { channel: 1 } }]";
  const rig = await rigFor(t, { config });
  rig.bench.faults("basil").pump = "tube off";
  for (const ml of [25, 25]) await rig.water(ml, HUMAN);
  t.equal((await refusedDose(rig, 25)).code, "AWAITING_SOIL");
  t.match(await rig.during("dispense_water", { ml: 25, plant: "fern" }, HUMAN), { ok: true });
});

t.test("an answer outlives a reboot after which nobody knows the time", async (t) => {
  const rig = await rigFor(t, { hydration: 40 });
  for (const ml of [25, 25]) await rig.water(ml, HUMAN);
  await rig.passSampling(minutes(4), minutes(1));
  t.match(await readFile(journal(rig, "control"), "utf8"), /"kind":"answered".*"after_dose":\d/);
  await rig.stop();
  rig.clock.reboot({ downtime: minutes(5), synchronised: false });
  await rig.open();
  for (const ml of [25, 25]) await rig.water(ml, HUMAN);
  t.equal(await usage(rig), 100);
});

t.test(
  "a restart forgets no reading of the day, and takes no rise from before a dose for its answer",
  async (t) => {
    const rig = await rigFor(t, { hydration: 20 });
    await rig.passSampling(minutes(20), minutes(1));
    for (const ml of [25, 25, 25]) await rig.water(ml, HUMAN);
    await rig.passSampling(minutes(20), minutes(1));
    rig.bench.faults("basil").pump = "tube off";
    await rig.water(25, HUMAN);
    await rig.stop();
    await rig.open();
    rig.bench.faults("basil").pump = "tube off";
    await rig.passSampling(minutes(20), minutes(1));
    t.ok(rig.core.get(moisture).course("basil").length > 60, "one reading a minute is known again");
    await rig.water(25, HUMAN);
    t.match(await refusedDose(rig, 25), { code: "AWAITING_SOIL", details: { unanswered_ml: 50 } });
  },
);

t.test("what a reboot without the time leaves unanswered counts, waits and then locks", async (t) => {
  const rig = await tubeOff(t);
  for (const ml of [25, 25]) await rig.water(ml, HUMAN);
  await rig.stop();
  rig.clock.reboot({ downtime: hours(5), synchronised: false });
  await rig.open();
  rig.bench.faults("basil").pump = "tube off";
  t.equal((await refusedDose(rig, 25)).code, "AWAITING_SOIL", "of the five hours nothing is proved");
  await rig.passSampling(minutes(15));
  t.equal((await refusedDose(rig, 25)).code, "NO_RESPONSE");
  await rig.get("clear_fault", {}, HUMAN);
  await rig.water(25, HUMAN);
});

t.test("an answer to a ledger that is lost settles nothing of the new one", async (t) => {
  const rig = await rigFor(t, { hydration: 40 });
  for (const ml of [25, 25]) await rig.water(ml, HUMAN);
  await rig.passSampling(minutes(4), minutes(1));
  await rig.stop();
  await rm(journal(rig, "water"));
  await rig.open();
  await rig.passSampling(hours(25), minutes(20));
  rig.bench.faults("basil").pump = "tube off";
  for (const ml of [25, 25]) await rig.water(ml, HUMAN);
  t.equal((await refusedDose(rig, 25)).code, "AWAITING_SOIL");
});

t.test("an answer that cannot be kept settles nothing", async (t) => {
  const rig = await rigFor(t, { hydration: 40 });
  for (const ml of [25, 25]) await rig.water(ml, HUMAN);
  const empty = rig.fillDisk();
  await rig.passSampling(minutes(4), minutes(1));
  empty();
  t.equal(rig.core.get(control).settledDose("basil"), 0);
  await rig.passSampling(minutes(1));
  t.ok(rig.core.get(control).settledDose("basil") > 0, "it is written as soon as it can be");
});
