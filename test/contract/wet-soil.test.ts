import t from "tap";
import { hours, minutes } from "../../drivers/units.js";
import { type Rig, rigFor } from "../rig.js";

const HUMAN = { as: "human" } as const;
const CONFIRMED = { ...HUMAN, confirm: "SOIL_WET" } as const;
const usage = async (rig: Rig) => (await rig.get("get_water_usage_24h")).used_ml;
const letters = async (rig: Rig) =>
  (await rig.get("list_messages_from_agent", {}, HUMAN)).messages as { content: string }[];

const limitIn = async (rig: Rig) =>
  ((await rig.get("get_overview", {}, HUMAN)).plants as { water: { not_above: unknown } }[])[0]?.water
    .not_above;

/** Freshly watered soil, of which the runtime knows nothing but its default. */
const wetPot = (t: Parameters<typeof rigFor>[0]) => rigFor(t, { wetLimit: true });

t.test("no dose flows onto wet soil, whoever asks", async (t) => {
  const rig = await wetPot(t);
  t.same(await limitIn(rig), { percent: 55, from: "default" });
  t.match(await rig.refused("dispense_water", { ml: 20 }, HUMAN), {
    code: "SOIL_WET",
    retryable: false,
    message: /reads \d\d(\.\d)? %.*55 % \(default\)/,
    details: { percent: Number, limit_percent: 55, limit_from: "default" },
  });
  t.equal(await usage(rig), 0);
  t.equal(rig.bench.pumpEdges("basil").length, 0);
});

t.test("a plan with water for wet soil is not cleared, one without is", async (t) => {
  const rig = await wetPot(t);
  const { proceed, reason } = await rig.status([{ action: "water", value: 20 }]);
  t.equal(proceed, false);
  t.match(
    reason,
    /the soil reads \d\d(\.\d)? %, and above 55 % \(default\) no water flows: plan without water/,
  );
  t.match(await rig.status([{ action: "light", value: 30 }]), { proceed: true });
});

t.test("each dose is judged by a reading of its own: those of one minute stop at the limit", async (t) => {
  const rig = await rigFor(t, { wetLimit: true, hydration: 60 });
  await rig.status([{ action: "water", value: 125 }]);
  const results = [];
  for (let dose = 0; dose < 5; dose += 1) results.push(await rig.during("dispense_water", { ml: 25 }));
  t.match(results.at(-1), { ok: false, error: { code: "SOIL_WET" } });
  t.ok(Number(await usage(rig)) < 100);
});

t.test("water that the probe has not read yet counts", async (t) => {
  const rig = await rigFor(t, { wetLimit: true, hydration: 62 });
  rig.bench.faults("basil").probe = "stuck";
  await rig.core.sample();
  await rig.water(25, HUMAN);
  t.match(await rig.refused("dispense_water", { ml: 25 }, HUMAN), {
    code: "AWAITING_SOIL",
    message:
      /^the probe does not show the last 25 ml yet, which may bring basil from [\d.]+ % to [\d.]+ %, above the limit of 55 %: ask again in 60 s, at 20\S+Z, or pour the rest in a later cycle\. If [^.]+ locks the pump \(AWAITING_SOIL\)$/,
    details: { expected_percent: Number, limit_percent: 55, unanswered_ml: 25 },
  });
  await rig.passSampling(minutes(15));
  await rig.water(25, HUMAN);
});

t.test("a person may pour onto wet soil after a yes that no agent can give", async (t) => {
  const rig = await wetPot(t);
  t.match(await rig.water(20, CONFIRMED), { dispensed: 20 });
  t.match(await rig.refused("dispense_water", { ml: 20, confirm: "SOIL_WET" }, HUMAN), {
    code: "INVALID_ARGUMENT",
  });
  t.match(await rig.refused("dispense_water", { ml: 20 }, { ...HUMAN, confirm: "NO_RESPONSE" }), {
    code: "INVALID_ARGUMENT",
    message: /SOIL_WET/,
  });
  t.match(await rig.refused("turn_on_light", { minutes: 30 }, CONFIRMED), { code: "INVALID_ARGUMENT" });
});

t.test("an agent cannot confirm: it is told so, and nothing flows", async (t) => {
  const rig = await rigFor(t, { wetLimit: true, hydration: 60 });
  await rig.status([{ action: "water", value: 20 }]);
  for (const confirm of ["SOIL_WET", "", null, 1])
    t.match(await rig.refused("dispense_water", { ml: 20 }, { confirm }), { code: "FORBIDDEN" });
  t.equal(await usage(rig), 0);
  await rig.get("turn_off_light", {}, { confirm: "SOIL_WET" });
});

t.test(
  "a confirmation overrides wet soil alone: holds, faults and unanswered water still bind",
  async (t) => {
    const rig = await wetPot(t);
    await rig.get("set_hold", { hold: true }, HUMAN);
    t.equal((await rig.refused("dispense_water", { ml: 20 }, CONFIRMED)).code, "HOLD");
    await rig.get("set_hold", { hold: false }, HUMAN);
    rig.bench.faults("basil").pump = "tube off";
    for (const ml of [25, 25]) await rig.water(ml, CONFIRMED);
    t.equal((await rig.refused("dispense_water", { ml: 25 }, CONFIRMED)).code, "AWAITING_SOIL");
  },
);

t.test("the confirmation is part of what an idempotency key means", async (t) => {
  const rig = await wetPot(t);
  t.equal((await rig.refused("dispense_water", { ml: 20 }, { ...HUMAN, key: "one" })).code, "SOIL_WET");
  const first = await rig.water(20, { ...CONFIRMED, key: "two" });
  t.same(await rig.water(20, { ...CONFIRMED, key: "two" }), first);
  const without = await rig.refused("dispense_water", { ml: 20 }, { ...HUMAN, key: "two" });
  t.equal(without.code, "IDEMPOTENCY_CONFLICT");
  t.equal(await usage(rig), 20);
});

t.test("a person's yes to an agent's dose is no confirmation of wet soil", async (t) => {
  const config = "confirm: { dispense_water: always }";
  const rig = await rigFor(t, { wetLimit: true, hydration: 62, config });
  await rig.status([{ action: "water", value: 20 }]);
  const asked = await rig.refused("dispense_water", { ml: 20 });
  t.equal(asked.code, "APPROVAL_NEEDED");
  await rig.get("answer_approval", { id: asked.details?.id, approve: true }, HUMAN);
  for (const ml of [20, 20, 20]) await rig.during("dispense_water", { ml }, CONFIRMED);
  t.equal((await rig.refused("dispense_water", { ml: 20 })).code, "SOIL_WET");
});

t.test(
  "the limit is the plant's own where the configuration names one, and none where it says off",
  async (t) => {
    const own = await rigFor(t, { config: "plants: [{ id: basil, water: { not_above: 80 } }]" });
    t.same(await limitIn(own), { percent: 80, from: "configured" });
    await own.water(20, HUMAN);
    const off = await rigFor(t, {
      config: "plants: [{ id: basil, water: { not_above: off } }]",
      wetLimit: true,
    });
    t.equal(await limitIn(off), null);
    await off.water(20, HUMAN);
  },
);

t.test(
  "a pot that a person has soaked three times has shown its own limit, also to the next start",
  async (t) => {
    const rig = await rigFor(t, { wetLimit: true, hydration: 95 });
    await rig.passSampling(hours(2), minutes(10));
    for (let soak = 0; soak < 3; soak += 1) {
      t.same(await limitIn(rig), { percent: 55, from: "default" });
      for (const ml of [25, 25, 10]) await rig.water(ml, CONFIRMED);
      await rig.passSampling(hours(40), minutes(10));
    }
    t.match(await limitIn(rig), { from: "fitted" });
    const shown = await limitIn(rig);
    await rig.restart();
    t.same(await limitIn(rig), shown);
  },
);

t.test("a probe stuck at wet is told to the person once, and again only after it has fallen", async (t) => {
  const rig = await wetPot(t);
  rig.bench.faults("basil").probe = "stuck";
  await rig.passSampling(hours(24 * 4), minutes(30));
  t.same(await letters(rig), []);
  await rig.passSampling(hours(24 * 2), minutes(30));
  t.match(await letters(rig), [{ content: /Basil.*above 55 % for 5 days.*probe is stuck.*tendril water/ }]);
  await rig.restart();
  await rig.passSampling(hours(24 * 6), minutes(30));
  t.equal((await letters(rig)).length, 1, "once, also after a restart");
  delete rig.bench.faults("basil").probe;
  await rig.passSampling(hours(24 * 3), minutes(30));
  rig.bench.faults("basil").probeIn = "water";
  await rig.passSampling(hours(24 * 6), minutes(30));
  t.equal((await letters(rig)).length, 2);
});

t.test("freshly watered soil that dries as soil does is no news", async (t) => {
  const rig = await wetPot(t);
  await rig.passSampling(hours(24 * 8), minutes(30));
  t.same(await letters(rig), []);
});
