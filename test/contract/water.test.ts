import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { hours, millis, minutes, seconds } from "../../drivers/units.js";
import { type Rig, rigFor } from "../rig.js";

const HUMAN = { as: "human" } as const;
const usage = (rig: Rig) => rig.get("get_water_usage_24h");

/** Pours `ml` in doses of 25, by a person's hand. */
const pour = async (rig: Rig, ml: number) => {
  for (let left = ml; left > 0; left -= 25) await rig.water(Math.min(25, left), HUMAN);
};

t.test(
  "a dose returns what was dispensed, what is used and what is left, and the pump ran exactly that long",
  async (t) => {
    const rig = await rigFor(t);
    const start = rig.clock.monotonic();
    t.match(await rig.water(25, HUMAN), {
      dispensed: 25,
      used_24h: 25,
      remaining_24h: 475,
      timestamp: "2026-06-01T08:00:00.000Z",
    });
    const [on, off] = rig.bench.pumpEdges("basil");
    t.match(on, { level: 1, at: start });
    t.match(off, { level: 0, at: start + Math.floor(25_000 / 1.5) });
  },
);

t.test("doses are whole numbers of 10 to 25 ml: nothing is clipped or rounded", async (t) => {
  const rig = await rigFor(t);
  for (const ml of [9, 26, 1000, 10.5, -10, "20", null, Number.NaN]) {
    t.equal((await rig.refused("dispense_water", { ml }, HUMAN)).code, "INVALID_ARGUMENT", String(ml));
  }
  t.match(await rig.refused("dispense_water", { ml: 20, force: true }, HUMAN), {
    message: /force is not a parameter/,
  });
  t.match(await usage(rig), { used_ml: 0, events: 0 });
  t.equal(rig.bench.pumpEdges("basil").length, 0);
});

t.test(
  "a dose that would exceed 500 ml in 24 h is refused whole, and says what is left and when",
  async (t) => {
    const rig = await rigFor(t, { config: "water: { no_response: { ml: 500 } }" });
    await pour(rig, 490);
    t.match(await rig.refused("dispense_water", { ml: 20 }, HUMAN), {
      code: "BUDGET_EXCEEDED",
      message: /ml are possible from \d{4}-\d\d-\d\dT[\d:.]+Z on/,
      retryable: true,
      retry_after_s: Number,
      details: { requested_ml: 20, used_ml: 490, remaining_ml: 10 },
    });
    t.match(await usage(rig), { used_ml: 490, remaining_ml: 10 });
    t.match(await rig.water(10, HUMAN), { remaining_24h: 0 });
  },
);

t.test("water is counted for 24 h of real time, whatever the wall clock is set to", async (t) => {
  const rig = await rigFor(t);
  await pour(rig, 100);
  rig.clock.stepWall(hours(48));
  t.match(await usage(rig), { used_ml: 100 }, "a step forward refills nothing");
  rig.clock.stepWall(hours(-96));
  t.match(await usage(rig), { used_ml: 100 }, "nor does a step back lose anything");
  await rig.pass(hours(25));
  t.match(await usage(rig), { used_ml: 0 }, "but a day is a day");
});

t.test(
  "the budget survives a restart, and a reboot whose clock nobody has set counts as no time at all",
  async (t) => {
    const rig = await rigFor(t);
    await pour(rig, 100);
    await rig.restart();
    t.match(await usage(rig), { used_ml: 100 });
    await rig.stop();
    rig.clock.reboot({ downtime: hours(30), synchronised: false });
    await rig.open();
    t.match(await usage(rig), { used_ml: 100 });
    await rig.stop();
    rig.clock.reboot({ downtime: hours(30), synchronised: true });
    await rig.open();
    t.match(await usage(rig), { used_ml: 0 }, "with the clock set at both ends, the wall clock counts");
  },
);

t.test("two doses at once: one pours, the other is told the pump is busy", async (t) => {
  const rig = await rigFor(t);
  const first = rig.during("dispense_water", { ml: 20 }, HUMAN);
  t.match(await rig.refused("dispense_water", { ml: 20 }, HUMAN), { code: "PUMP_BUSY", retryable: true });
  t.match(await first, { ok: true, value: { dispensed: 20 } });
  t.equal(rig.bench.pumpEdges("basil").length, 2);
});

t.test("whoever is told that the pump is busy is told how long it will be", async (t) => {
  const rig = await rigFor(t);
  const dose = rig.call("dispense_water", { ml: 15 }, HUMAN); // 1.5 ml/s: ten seconds
  while (rig.bench.pumpEdges("basil").length === 0) await rig.pass(millis(0));
  const busy = () => rig.refused("dispense_water", { ml: 20 }, HUMAN);
  t.match(await busy(), { code: "PUMP_BUSY", retry_after_s: 10 });
  await rig.pass(seconds(7));
  t.match(await busy(), { code: "PUMP_BUSY", retry_after_s: 3 });
  await rig.pass(seconds(4));
  t.match(await dose, { ok: true });
});

t.test(
  "a call that is cancelled stops the pump at once, and only what was delivered is charged",
  async (t) => {
    const rig = await rigFor(t);
    const cancel = new AbortController();
    const dose = rig.call("dispense_water", { ml: 25 }, { ...HUMAN, signal: cancel.signal });
    await untilOn(rig);
    await rig.pass(seconds(4));
    cancel.abort();
    t.match(await dose, {
      ok: false,
      error: { code: "CANCELLED", details: { requested_ml: 25, dispensed_ml: 6 } },
    });
    t.match(await usage(rig), { used_ml: 6, events: 1 });
    const [on, off] = rig.bench.pumpEdges("basil");
    t.equal((off?.at ?? 0) - (on?.at ?? 0), 4000);
  },
);

t.test("stop_all ends a running dose and keeps one in preparation from starting", async (t) => {
  const rig = await rigFor(t);
  const running = rig.call("dispense_water", { ml: 25 }, HUMAN);
  await untilOn(rig);
  await rig.pass(seconds(2));
  await rig.get("stop_all", {}, { as: "observer" });
  t.match(await running, { ok: false, error: { code: "CANCELLED" } });
  const preparing = rig.call("dispense_water", { ml: 25 }, HUMAN);
  await rig.get("stop_all", {}, { as: "observer" });
  t.match(await preparing, { ok: false, error: { code: "CANCELLED", details: { dispensed_ml: 0 } } });
  t.equal(rig.bench.pumpEdges("basil").length, 2, "the second dose never switched anything");
});

t.test(
  "a pump that was switched off is not called pouring while its record waits for the disk",
  async (t) => {
    const rig = await rigFor(t);
    const isPouring = async () => {
      const [plant] = ((await rig.get("get_overview")) as { plants: { water: { pouring: boolean } }[] })
        .plants;
      return plant?.water.pouring;
    };
    const running = rig.call("dispense_water", { ml: 25 }, HUMAN);
    await untilOn(rig);
    t.equal(await isPouring(), true);
    const release = rig.disk.hang();
    await rig.get("stop_all", {}, { as: "observer" });
    t.equal(await isPouring(), false);
    release();
    t.match(await running, { ok: false, error: { code: "CANCELLED" } });
  },
);

t.test(
  "doses that moved nothing are no doses of the day, however many they are, also after a restart",
  async (t) => {
    const rig = await rigFor(t);
    await rig.water(10, HUMAN);
    // more than the ledger reads at once
    for (let n = 0; n < 205; n++) {
      const dose = rig.refused("dispense_water", { ml: 20 }, HUMAN);
      await rig.get("stop_all");
      t.equal((await dose).code, "CANCELLED");
    }
    t.match(await usage(rig), { used_ml: 10, events: 1 });
    await rig.restart();
    t.match(await usage(rig), { used_ml: 10, events: 1 });
  },
);

t.test("a stop ends a dose that came before it also while its key is being written", async (t) => {
  const rig = await rigFor(t);
  rig.duringNextWrite(() => rig.get("stop_all", {}, { as: "observer" }));
  const dose = await rig.during("dispense_water", { ml: 20 }, { ...HUMAN, key: "dose" });
  t.match(dose, { ok: false, error: { code: "CANCELLED", details: { dispensed_ml: 0 } } });
  t.equal(rig.bench.pumpEdges("basil").length, 0);
  await rig.water(20, { ...HUMAN, key: "next" });
});

t.test("a call that is cancelled ends no other that came before", async (t) => {
  const rig = await rigFor(t);
  const cancel = new AbortController();
  const running = rig.call("dispense_water", { ml: 25 }, { ...HUMAN, signal: cancel.signal });
  await untilOn(rig);
  rig.duringNextWrite(async () => {
    cancel.abort();
    await running;
  });
  const next = rig.call("dispense_water", { ml: 20 }, { ...HUMAN, key: "dose" });
  t.match(await running, { ok: false, error: { code: "CANCELLED" } });
  await untilOn(rig);
  await rig.pass(seconds(30));
  t.match(await next, { ok: true, value: { dispensed: 20 } });
});

t.test("progress comes in millilitres while the pump runs", async (t) => {
  const rig = await rigFor(t);
  const seen: [number, number][] = [];
  await rig.during(
    "dispense_water",
    { ml: 15 },
    { ...HUMAN, onProgress: (done, total) => seen.push([done, total]) },
  );
  t.ok(seen.length >= 8);
  t.same(seen[0], [1.5, 15]);
});

t.test(
  "a repeated call with the same key pours once and gets the first answer, also after a restart",
  async (t) => {
    const rig = await rigFor(t);
    const once = { ...HUMAN, key: "dose-1" };
    const first = await rig.during("dispense_water", { ml: 20 }, once);
    t.same(await rig.call("dispense_water", { ml: 20 }, once), first);
    await rig.restart();
    t.same(await rig.call("dispense_water", { ml: 20 }, once), first);
    t.match(await usage(rig), { used_ml: 20, events: 1 });
    t.equal((await rig.refused("dispense_water", { ml: 25 }, once)).code, "IDEMPOTENCY_CONFLICT");
    await rig.during("dispense_water", { ml: 20 }, { ...once, token: "human.other" });
    t.match(await usage(rig), { events: 2 }, "another token's key is another key");
  },
);

t.test("a repeated call while the first still pours waits for it and pours nothing", async (t) => {
  const rig = await rigFor(t);
  const once = { ...HUMAN, key: "dose-2" };
  const first = rig.during("dispense_water", { ml: 20 }, once);
  const second = rig.call("dispense_water", { ml: 20 }, once);
  t.same(await second, await first);
  t.equal(rig.bench.pumpEdges("basil").length, 2);
});

t.test("what can be no key is refused, and nothing moves", async (t) => {
  const rig = await rigFor(t);
  for (const key of ["", "k".repeat(201), 7]) {
    t.equal((await rig.refused("dispense_water", { ml: 20 }, { ...HUMAN, key })).code, "INVALID_ARGUMENT");
  }
  t.match(await usage(rig), { events: 0 });
});

t.test("a refused call leaves its key free: nothing happened", async (t) => {
  const rig = await rigFor(t);
  const key = "dose-3";
  t.equal((await rig.refused("dispense_water", { ml: 20 }, { key })).code, "NO_CYCLE");
  await rig.status([{ action: "water", value: 20 }]);
  t.match(await rig.during("dispense_water", { ml: 20 }, { key }), { ok: true });
});

t.test("without a ledger that can be written no water flows", async (t) => {
  const rig = await rigFor(t);
  const restore = rig.fillDisk();
  const refusal = await rig.refused("dispense_water", { ml: 20 }, HUMAN);
  t.equal(refusal.code, "LEDGER_UNAVAILABLE");
  t.equal(rig.bench.pumpEdges("basil").length, 0);
  restore();
  await rig.water(20, HUMAN);
});

t.test("a dose that was stopped on the way is not poured again with its key", async (t) => {
  const rig = await rigFor(t);
  const once = { ...HUMAN, key: "dose-6" };
  const dose = rig.call("dispense_water", { ml: 25 }, once);
  await untilOn(rig);
  await rig.pass(seconds(2));
  await rig.get("stop_all");
  t.match(await dose, { ok: false, error: { code: "CANCELLED" } });
  const before = await usage(rig);
  const again = await rig.during("dispense_water", { ml: 25 }, once);
  t.match(again, { ok: false, error: { code: "OUTCOME_UNKNOWN" } });
  t.same(await usage(rig), before);
});

t.test("the key of a dose that runs is no other dose's", async (t) => {
  const rig = await rigFor(t);
  const once = { ...HUMAN, key: "dose-7" };
  const dose = rig.call("dispense_water", { ml: 20 }, once);
  await untilOn(rig);
  t.equal((await rig.refused("dispense_water", { ml: 10 }, once)).code, "IDEMPOTENCY_CONFLICT");
  await rig.pass(seconds(20));
  t.match(await dose, { ok: true });
});

t.test("a dose that a crash cuts off counts in full, and its key pours nothing more", async (t) => {
  const rig = await rigFor(t);
  const unanswered = rig.call("dispense_water", { ml: 20 }, { ...HUMAN, key: "dose-4" });
  unanswered.catch(() => undefined);
  await untilOn(rig);
  await rig.pass(seconds(2));
  await rig.crash();
  await rig.open();
  t.match(await usage(rig), { used_ml: 20, events: 1 });
  t.equal(
    (await rig.refused("dispense_water", { ml: 20 }, { ...HUMAN, key: "dose-4" })).code,
    "OUTCOME_UNKNOWN",
  );
  const whole = { hours: 24, samples_per_hour: 0.042, aggregation: "last" };
  t.match((await rig.get("get_water_history", whole)).items, [{ outcome: "uncertain", ml_dispensed: 20 }]);
});

t.test(
  "an answer that cannot be kept is given all the same, and the same key never pours twice",
  async (t) => {
    const rig = await rigFor(t);
    const once = { ...HUMAN, key: "dose-5" };
    const dose = rig.call("dispense_water", { ml: 20 }, once);
    await untilOn(rig);
    const empty = rig.fillDisk();
    await rig.pass(seconds(20));
    t.match(await dose, { ok: false, error: { code: "DOSE_UNCERTAIN", details: { dispensed_ml: 20 } } });
    empty();
    t.equal((await rig.refused("dispense_water", { ml: 20 }, once)).code, "OUTCOME_UNKNOWN");
    t.match(await usage(rig), { used_ml: 20, events: 1 });
    t.equal(rig.bench.pumpEdges("basil").length, 2);
  },
);

t.test("a dose that was stopped early counts in full where that cannot be written", async (t) => {
  const rig = await rigFor(t);
  const dose = rig.call("dispense_water", { ml: 25 }, HUMAN);
  await untilOn(rig);
  await rig.pass(seconds(2));
  const empty = rig.fillDisk();
  await rig.call("stop_all");
  t.match(await dose, { ok: false, error: { code: "DOSE_UNCERTAIN", details: { dispensed_ml: 25 } } });
  t.match(await usage(rig), { used_ml: 25 });
  empty();
  await rig.restart();
  t.match(await usage(rig), { used_ml: 25 });
});

t.test("a call that was cancelled before it began pours nothing", async (t) => {
  const rig = await rigFor(t);
  const cancelled = { ...HUMAN, signal: AbortSignal.abort() };
  t.match(await rig.call("dispense_water", { ml: 20 }, cancelled), {
    ok: false,
    error: { code: "CANCELLED" },
  });
  t.match([(await usage(rig)).used_ml, rig.bench.pumpEdges("basil").length], [0, 0]);
});

t.test("a mark of the clock in the middle of a dose does not make it older than it is", async (t) => {
  const rig = await rigFor(t);
  const dose = rig.call("dispense_water", { ml: 25 }, HUMAN);
  await untilOn(rig);
  await rig.pass(seconds(1));
  await rig.core.mark();
  await rig.pass(seconds(16));
  await dose;
  const [, off] = rig.bench.pumpEdges("basil");
  await rig.pass(millis((off?.at ?? 0) + hours(24) - 1 - rig.clock.monotonic()));
  t.match(await usage(rig), { used_ml: 25 });
  await rig.pass(seconds(1));
  t.match(await usage(rig), { used_ml: 0 });
});

t.test("a dose whose pump loses track counts in full", async (t) => {
  const rig = await rigFor(t);
  rig.bench.faults("basil").pump = "unknown outcome";
  t.match(await rig.during("dispense_water", { ml: 20 }, HUMAN), {
    ok: false,
    error: { code: "DOSE_UNCERTAIN" },
  });
  t.match(await usage(rig), { used_ml: 20 });
});

t.test("a journal that is missing, emptied, cut short or damaged allows less, never more", async (t) => {
  const rig = await rigFor(t);
  await pour(rig, 50);
  await rig.stop();
  const journal = join(rig.state, "journal", "water.jsonl");
  const text = await readFile(journal, "utf8");
  await rm(journal);
  await rig.open();
  t.match(await usage(rig), { remaining_ml: 0 });
  t.equal((await rig.refused("dispense_water", { ml: 10 }, HUMAN)).code, "BUDGET_EXCEEDED");
  await rig.restart();
  t.match(await usage(rig), { remaining_ml: 0 }, "also after the next restart");
  await rig.pass(hours(25));
  t.match(await usage(rig), { remaining_ml: 500 }, "and a day later the plant gets water again");
  await rig.stop();
  await writeFile(journal, text.replace(/"kind":"stopped"/, '"kind":garbage'));
  await rm(join(rig.state, "tendril.sqlite"));
  await rig.open();
  t.match(await usage(rig), { remaining_ml: 0 });
});

t.test(
  "an emptied water journal counts as a spent budget, an emptied control journal holds, an emptied light journal rests",
  async (t) => {
    const rig = await rigFor(t);
    await pour(rig, 100);
    await rig.get("set_hold", { hold: true }, HUMAN);
    await rig.get("set_hold", { hold: false }, HUMAN);
    await rig.get("turn_on_light", { minutes: 30 }, HUMAN);
    await rig.stop();
    for (const name of ["water", "control", "light"])
      await writeFile(join(rig.state, "journal", `${name}.jsonl`), "");
    await rig.open();
    t.match(await usage(rig), { remaining_ml: 0 });
    t.equal((await rig.refused("turn_on_light", { minutes: 30 }, HUMAN)).code, "HOLD");
    await rig.get("set_hold", { hold: false }, HUMAN);
    t.equal((await rig.refused("turn_on_light", { minutes: 30 }, HUMAN)).code, "LIGHT_COOLDOWN");
  },
);

t.test("a runtime whose state was taken over pours nothing more", async (t) => {
  const rig = await rigFor(t);
  await rm(join(rig.state, "lock.sqlite"));
  t.equal((await rig.refused("dispense_water", { ml: 20 }, HUMAN)).code, "STATE_IN_USE");
  t.equal(rig.bench.pumpEdges("basil").length, 0);
});

t.test("water right after the first start is judged too", async (t) => {
  const rig = await rigFor(t);
  rig.bench.faults("basil").pump = "tube off";
  await pour(rig, 60);
  await rig.passSampling(minutes(40));
  t.equal((await rig.refused("dispense_water", { ml: 10 }, HUMAN)).code, "NO_RESPONSE");
});

t.test("a dose stopped on the way leaves no crumbs of binary fractions in the figures", async (t) => {
  const rig = await rigFor(t);
  for (const wait of [1.1, 2.3, 3.7]) {
    const dose = rig.call("dispense_water", { ml: 25 }, HUMAN);
    await untilOn(rig);
    await rig.pass(seconds(wait));
    await rig.get("stop_all", {}, HUMAN);
    await dose;
  }
  const { used_ml, remaining_ml } = await usage(rig);
  t.match([String(used_ml), String(remaining_ml)], [/^\d+(\.\d{1,2})?$/, /^\d+(\.\d{1,2})?$/]);
});

t.test(
  "water that does not arrive locks the pump until a person clears it, and the person is told",
  async (t) => {
    const rig = await rigFor(t);
    rig.bench.faults("basil").pump = "tube off";
    await rig.passSampling(minutes(20));
    await pour(rig, 60);
    await rig.passSampling(minutes(40));
    t.match(await rig.refused("dispense_water", { ml: 10 }, HUMAN), {
      code: "NO_RESPONSE",
      retryable: false,
    });
    const { messages } = await rig.get("list_messages_from_agent", {}, HUMAN);
    t.match(messages, [{ content: /NO_RESPONSE/ }]);
    await rig.restart();
    t.equal(
      (await rig.refused("dispense_water", { ml: 10 }, HUMAN)).code,
      "NO_RESPONSE",
      "a restart clears nothing",
    );
    t.equal((await rig.refused("clear_fault", {}, { as: "agent" })).code, "FORBIDDEN");
    await rig.get("clear_fault", {}, HUMAN);
    await rig.passSampling(minutes(10));
    t.match(await rig.water(10, HUMAN), { dispensed: 10 }, "what was poured before is forgiven");
  },
);

t.test(
  "an agent that reads the probe all the time does not outlive the memory of unanswered water",
  async (t) => {
    const rig = await rigFor(t);
    rig.bench.faults("basil").pump = "tube off";
    await rig.passSampling(minutes(20));
    await pour(rig, 50);
    for (let i = 0; i < 4; i += 1) {
      await rig.passSampling(minutes(10));
      for (let poll = 0; poll < 1000; poll += 1) await rig.get("read_moisture");
    }
    await pour(rig, 10);
    await rig.passSampling(minutes(30));
    t.equal((await rig.refused("dispense_water", { ml: 10 }, HUMAN)).code, "NO_RESPONSE");
  },
);

t.test("water that does arrive locks nothing", async (t) => {
  const rig = await rigFor(t);
  await rig.passSampling(minutes(20));
  await pour(rig, 75);
  await rig.passSampling(minutes(60));
  await rig.water(10, HUMAN);
});

t.test(
  "water history adds up the millilitres of each day by ml_dispensed, and names the fields of a wrong one",
  async (t) => {
    const rig = await rigFor(t);
    await pour(rig, 50);
    const daily = { hours: 168, samples_per_hour: 0.042, aggregation: "sum", value_field: "ml_dispensed" };
    t.match(await rig.get("get_water_history", daily), {
      bucket_seconds: 86_400,
      items: [{ value: 50, count: 2 }],
    });
    const wrong = await rig.refused("get_water_history", { ...daily, value_field: "millilitres" });
    t.match(wrong, { code: "UNKNOWN_FIELD", message: /ml_dispensed/ });
    t.equal((await rig.refused("get_water_history", { aggregation: "sum" })).code, "INVALID_ARGUMENT");
  },
);

/** Until the disk has let the pump go on. */
async function untilOn(rig: Rig): Promise<void> {
  while (rig.bench.pumpEdges("basil").at(-1)?.level !== 1) await rig.pass(seconds(0));
}
