import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { hours, millis, minutes } from "../../drivers/units.js";
import { control } from "../../runtime/services/people/control.js";
import { water } from "../../runtime/services/water/service.js";
import { type Rig, rigFor } from "../rig.js";

const HUMAN = { as: "human" } as const;
const COMMON = "server: { calls_per_second: 100000 }, water: { no_response: { ml: 500 } }";

/** Plants by id: the pump's pin, the probe's channel, and what else their entry has. */
const garden = (
  plants: Readonly<Record<string, { pin: number; channel: number; more?: string }>>,
): string => {
  const entries = Object.entries(plants).map(
    ([id, { pin, channel, more = "" }]) =>
      `{ id: ${id}, pump: { output: { gpio: ${pin} } }, probe: { channel: ${channel} }, water: { not_above: off }${more} }`,
  );
  return `{ ${COMMON}, plants: [${entries.join(", ")}] }`;
};

const pour = async (rig: Rig, plant: string, ml: number): Promise<void> => {
  for (let left = ml; left > 0; left -= 25) {
    const result = await rig.during("dispense_water", { plant, ml: Math.min(25, left) }, HUMAN);
    if (!result.ok) throw new Error(result.error.message);
  }
};

const used = async (rig: Rig, plant: string) =>
  (await rig.get("get_water_usage_24h", several(rig) ? { plant } : {})).used_ml;
const several = (rig: Rig): boolean => rig.core.house.plants.several;

const FERN = { pin: 22, channel: 1 };

/** 475 ml on basil, then another configuration. */
async function rewired(t: Test, after: string): Promise<Rig> {
  const rig = await rigFor(t, { config: garden({ basil: { pin: 17, channel: 0 }, fern: FERN }) });
  await pour(rig, "basil", 475);
  await rig.restart(after);
  return rig;
}

t.test(
  "the account is the pot's: a plant that is renamed, or gets another pump or probe, keeps it",
  async (t) => {
    const rig = await rewired(t, garden({ mint: { pin: 17, channel: 0 }, fern: FERN }));
    t.equal(await used(rig, "mint"), 475);
    t.equal(await used(rig, "fern"), 0, "a plant that was there all along has nothing to do with it");
    t.match(
      rig.core.store.warnings.join(),
      /mint counts 475 ml .* charged as basil.* another pot.* formerly: \[basil\] below the renamed plant/,
      "and it says so, what it means, and what to do",
    );
    await pour(rig, "mint", 25);
    t.match(await rig.refused("dispense_water", { plant: "mint", ml: 10 }, HUMAN), {
      code: "BUDGET_EXCEEDED",
    });
    await rig.restart(garden({ parsley: { pin: 17, channel: 0 }, fern: FERN }));
    t.equal(await used(rig, "parsley"), 500, "also when it is renamed again");
    await rig.pass(hours(24));
    t.equal(await used(rig, "parsley"), 0, "for a day");
  },
);

t.test("a pump that is given to another plant brings its pot's account along", async (t) => {
  const rig = await rewired(t, garden({ fern: { pin: 17, channel: 1 } }));
  t.equal(await used(rig, "fern"), 475);
});

t.test("a probe stays in its pot: with another pump the account goes on", async (t) => {
  const rig = await rewired(t, garden({ mint: { pin: 23, channel: 0 }, fern: FERN }));
  t.equal(await used(rig, "mint"), 475);
});

t.test("a plant that moves to other pins and says what it was called keeps its account", async (t) => {
  const moved = { pin: 23, channel: 2, more: ", formerly: [basil]" };
  const rig = await rewired(t, garden({ mint: moved, thyme: { pin: 24, channel: 3 }, fern: FERN }));
  t.equal(await used(rig, "mint"), 475);
  t.equal(await used(rig, "thyme"), 0, "so that another new plant is known to be another");
});

t.test(
  "where nobody can tell which new plant a former one is, its water counts for each of them",
  async (t) => {
    const after = garden({ mint: { pin: 23, channel: 2 }, thyme: { pin: 24, channel: 3 }, fern: FERN });
    const rig = await rewired(t, after);
    t.same([await used(rig, "mint"), await used(rig, "thyme"), await used(rig, "fern")], [475, 475, 0]);
    await rig.restart();
    t.same([await used(rig, "mint"), await used(rig, "fern")], [475, 0], "also after the next restart");
  },
);

t.test(
  "what a plant says late that it was called counts from the next start on, and takes nothing from others",
  async (t) => {
    const after = (more: string) =>
      garden({ thyme: { pin: 17, channel: 0 }, mint: { pin: 22, channel: 1, more } });
    const rig = await rewired(t, after(""));
    t.same([await used(rig, "thyme"), await used(rig, "mint")], [475, 0], "the guess: by pump and probe");
    await rig.get("set_hold", { hold: true, plant: "thyme", reason: "repotting" }, HUMAN);
    await rig.restart(after(", formerly: [basil]"));
    t.same([await used(rig, "thyme"), await used(rig, "mint")], [475, 475], "in doubt it counts for both");
    t.match(rig.core.store.warnings.join(), /mint counts 475 ml .* charged as basil/);
    await rig.restart(after(""));
    t.equal(await used(rig, "mint"), 475, "and it stays so");
    await rig.pass(hours(24));
    t.equal(await used(rig, "mint"), 0, "for a day");
  },
);

t.test("what a plant says late that it was called brings along what was on hold", async (t) => {
  const rig = await rigFor(t, { config: garden({ basil: { pin: 17, channel: 0 }, fern: FERN }) });
  await pour(rig, "basil", 25);
  await rig.get("set_hold", { hold: true, plant: "basil", reason: "repotted" }, HUMAN);
  const after = (more: string) => garden({ thyme: { pin: 17, channel: 0 }, mint: { ...FERN, more } });
  await rig.restart(after(""));
  t.equal(rig.core.get(control).hold("mint"), undefined, "the guess: it is thyme");
  await rig.restart(after(", formerly: [basil]"));
  t.match(rig.core.get(control).hold("mint"), { reason: "repotted (as basil)" });
});

t.test("a plant that says it had the id of one that is there counts nothing of that one's", async (t) => {
  const now = { basil: { pin: 17, channel: 0 }, fern: { ...FERN, more: ", formerly: [basil]" } };
  const rig = await rewired(t, garden({ basil: now.basil, fern: FERN }));
  await rig.restart(garden(now));
  t.same([await used(rig, "basil"), await used(rig, "fern")], [475, 0]);
});

t.test("swapped pins count for both plants", async (t) => {
  const rig = await rewired(t, garden({ basil: { pin: 22, channel: 0 }, fern: { pin: 17, channel: 1 } }));
  t.same([await used(rig, "basil"), await used(rig, "fern")], [475, 475]);
  await pour(rig, "basil", 25);
  t.same([await used(rig, "basil"), await used(rig, "fern")], [500, 475], "from then on each has its own");
});

t.test("swapped probes count for both plants", async (t) => {
  const rig = await rewired(t, garden({ basil: { pin: 17, channel: 1 }, fern: { pin: 22, channel: 0 } }));
  t.same([await used(rig, "basil"), await used(rig, "fern")], [475, 475]);
});

t.test("a pot is known by its probe alone, where its pump was another plant's", async (t) => {
  const rig = await rewired(t, garden({ mint: { pin: 22, channel: 0 }, fern: { pin: 27, channel: 1 } }));
  t.equal(await used(rig, "mint"), 475);
});

t.test("a plant that is renamed when its wires are swapped with another's keeps its account", async (t) => {
  const rig = await rewired(t, garden({ fern: { pin: 17, channel: 0 }, mint: { pin: 22, channel: 1 } }));
  t.same([await used(rig, "mint"), await used(rig, "fern")], [475, 475]);
});

t.test("a pot whose wires another plant has got is found again by the next new plant", async (t) => {
  const rig = await rewired(t, garden({ fern: { pin: 17, channel: 0 } }));
  await rig.restart(garden({ fern: { pin: 17, channel: 0 }, mint: { pin: 22, channel: 1 } }));
  t.equal(await used(rig, "mint"), 475);
});

t.test("a pump that nobody had before may be any that nobody has now", async (t) => {
  const rig = await rewired(t, garden({ basil: { pin: 22, channel: 0 }, fern: { pin: 26, channel: 1 } }));
  t.same([await used(rig, "basil"), await used(rig, "fern")], [475, 475]);
});

t.test(
  "a pot that stays behind when its plant's id moves on keeps its account for whoever comes to it",
  async (t) => {
    const rig = await rewired(t, garden({ basil: { pin: 23, channel: 2 }, fern: FERN }));
    const back = { basil: { pin: 23, channel: 2 }, fern: FERN };
    await rig.restart(garden({ ...back, mint: { pin: 17, channel: 0 } }));
    t.same([await used(rig, "mint"), await used(rig, "fern")], [475, 0]);
    await rig.restart(garden({ ...back, mint: { pin: 24, channel: 0 } }));
    t.equal(await used(rig, "mint"), 475, "and by its probe alone");
  },
);

t.test("a plant that leaves the configuration and comes back has its account", async (t) => {
  const rig = await rewired(t, garden({ fern: FERN }));
  await rig.restart(garden({ basil: { pin: 27, channel: 3 }, fern: FERN }));
  t.equal(await used(rig, "basil"), 475);
});

t.test("a journal without wiring, of the version before, knows plants by their ids", async (t) => {
  const rig = await rigFor(t, { config: garden({ basil: { pin: 17, channel: 0 }, fern: FERN }) });
  await pour(rig, "basil", 100);
  await rig.stop();
  const file = join(rig.state, "journal", "water.jsonl");
  const lines = (await readFile(file, "utf8"))
    .split("\n")
    .filter((line) => !line.includes('"kind":"plants"'));
  await rm(join(rig.state, "tendril.sqlite"));
  await rm(`${file}.end`);
  await writeFile(file, lines.join("\n"));
  await rig.restart(garden({ mint: { pin: 17, channel: 0 }, fern: FERN }));
  t.equal(await used(rig, "mint"), 100, "mint is new, and may be anything");
  await rig.restart(garden({ mint: { pin: 17, channel: 0 }, fern: FERN, basil: { pin: 27, channel: 3 } }));
  t.equal(await used(rig, "basil"), 100);
});

t.test(
  "a plant that was out of the configuration while the ledger was lost comes back without a budget",
  async (t) => {
    const rig = await rewired(t, garden({ fern: FERN }));
    await rig.stop();
    await rm(join(rig.state, "journal", "water.jsonl"));
    await rig.restart();
    t.equal(await used(rig, "fern"), 500);
    await rig.pass(hours(1));
    await rig.restart(garden({ basil: { pin: 17, channel: 0 }, fern: FERN }));
    t.same([await used(rig, "basil"), await used(rig, "fern")], [500, 500]);
    await rig.pass(hours(23));
    t.same([await used(rig, "basil"), await used(rig, "fern")], [0, 0]);
  },
);

t.test("water that the soil has answered needs no second answer when the plant is renamed", async (t) => {
  const strict = (id: string) =>
    `{ plants: [{ id: ${id}, probe: { channel: 0 }, water: { not_above: off } }] }`;
  const rig = await rigFor(t, { config: strict("basil"), hydration: 30 });
  for (let dose = 0; dose < 4; dose += 1) {
    await rig.water(25, HUMAN);
    await rig.passSampling(minutes(20), minutes(1));
  }
  await rig.restart(strict("mint"));
  t.match(await rig.water(25, HUMAN), { dispensed: 25, remaining_24h: 375 });
});

t.test(
  "of two plants that a new one may have been, the one that waits longest for an answer counts",
  async (t) => {
    const rig = await rigFor(t, { config: garden({ basil: { pin: 17, channel: 0 }, fern: FERN }) });
    for (const plant of ["basil", "fern"]) await pour(rig, plant, 25);
    const answered = { timestamp: "2026-06-01T08:00:00.000Z", kind: "answered", by: "runtime" } as const;
    for (const [plant, after_dose] of [
      ["basil", 2],
      ["fern", 4],
    ] as const)
      await rig.core.get(control).record({ ...answered, plant, reason: "the soil has answered", after_dose });
    await rig.restart(garden({ mint: { pin: 17, channel: 1 } }));
    t.equal(rig.core.get(control).settledDose("mint"), 2);
  },
);

t.test("a renamed plant keeps its hold and its lock, and its lamp rests", async (t) => {
  const rig = await rigFor(t, { config: garden({ basil: { pin: 17, channel: 0 }, fern: FERN }) });
  await rig.get("set_hold", { hold: true, plant: "basil", reason: "repotted" }, HUMAN);
  const fault = {
    timestamp: "2026-06-01T08:00:00.000Z",
    kind: "fault",
    code: "LEAK",
    by: "runtime",
  } as const;
  await rig.core.get(control).record({ ...fault, plant: "basil", reason: "the tray is wet" });
  await rig.restart(garden({ mint: { pin: 17, channel: 0 }, fern: FERN }));
  const holds = rig.core.get(control);
  t.match(holds.hold("mint"), { reason: "repotted (as basil)" });
  t.match(holds.faults("mint"), [{ code: "LEAK" }]);
  t.equal(holds.hold("fern"), undefined);
  t.match(await rig.get("get_light_status", { plant: "mint" }), {
    can_activate: false,
    minutes_until_available: 30,
  });
  await rig.get("set_hold", { hold: false, plant: "mint" }, HUMAN);
  await rig.restart();
  t.equal(rig.core.get(control).hold("mint"), undefined, "what a person lifts stays lifted");
});

t.test("a dose that a crash cut off makes no other water forgotten: 500 ml stay the limit", async (t) => {
  const rig = await rigFor(t, { config: garden({ basil: { pin: 17, channel: 0 }, fern: FERN }) });
  await pour(rig, "basil", 475);
  const interrupted = rig.call("dispense_water", { plant: "fern", ml: 25 }, HUMAN);
  interrupted.catch(() => undefined);
  while (rig.bench.pumpEdges("fern").length === 0) await rig.pass(millis(1));
  const second = rig.call("dispense_water", { plant: "basil", ml: 10 }, HUMAN);
  while (rig.bench.pumpEdges("basil").at(-1)?.level !== 1) await rig.pass(millis(1));
  while (rig.core.get(water).isPouring("basil")) await rig.pass(millis(10));
  t.match(await second, { ok: true });
  t.equal(rig.bench.pumpEdges("fern").length, 1, "the fern's pump is still on");
  await rig.crash();
  rig.clock.reboot({ downtime: hours(12.5) });
  await rig.open();
  t.same([await used(rig, "basil"), await used(rig, "fern")], [485, 25]);
  await rig.pass(minutes(1));
  t.equal(await used(rig, "basil"), 485);
});

t.test("fifty small doses are charged all that their pulses gave", async (t) => {
  const rig = await rigFor(t, { config: garden({ basil: { pin: 17, channel: 0 } }) });
  for (let dose = 0; dose < 50; dose += 1) await rig.during("dispense_water", { ml: 10 }, HUMAN);
  const edges = rig.bench.pumpEdges("basil");
  const on = edges.reduce((sum, { level, at }) => sum + (level === 1 ? -at : at), 0);
  const charged = Number(await used(rig, "basil"));
  t.ok((on / 1000) * 1.5 <= charged && charged <= 500, `${(on / 1000) * 1.5} ml poured, ${charged} charged`);
});
