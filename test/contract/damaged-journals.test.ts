import { readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { minutes } from "../../drivers/units.js";
import { type Rig, rigFor } from "../rig.js";
import { openFilesIn } from "../rig-disk.js";

const HUMAN = { as: "human" } as const;
const LEDGERS = ["water", "control", "light"] as const;
const journalOf = (rig: Rig, log: string) => join(rig.state, "journal", `${log}.jsonl`);

/** 200 ml poured, a person's hold, a light that has just gone off; then a power cut. */
async function busyRig(t: Test): Promise<Rig> {
  const rig = await rigFor(t, { hydration: 20 });
  for (let dose = 0; dose < 8; dose += 1) await rig.water(25, HUMAN);
  await rig.get("turn_on_light", { minutes: 30 }, HUMAN);
  await rig.get("turn_off_light", {}, HUMAN);
  for (const hold of [true, false, true]) await rig.get("set_hold", { hold, reason: "repotting" }, HUMAN);
  await rig.crash();
  return rig;
}

/** What a person finds who lifts the hold: no water for today, and a light that rests. */
async function assertDrySide(t: Test, rig: Rig, refusal = /^BUDGET_EXCEEDED$/): Promise<void> {
  t.match(await rig.get("get_water_usage_24h"), { remaining_ml: 0 });
  t.equal((await rig.refused("dispense_water", { ml: 10 }, HUMAN)).code, "HOLD");
  await rig.get("set_hold", { hold: false }, HUMAN);
  t.match((await rig.refused("dispense_water", { ml: 10 }, HUMAN)).code, refusal);
  t.equal((await rig.refused("turn_on_light", { minutes: 30 }, HUMAN)).code, "LIGHT_COOLDOWN");
}

/** Puts zeros in place of all bytes from `from` on. */
async function zeroFrom(file: string, from: number): Promise<void> {
  const { size } = await stat(file);
  await truncate(file, from);
  await truncate(file, size);
}

const SPOILED = {
  kept: async () => undefined,
  deleted: async (rig: Rig) => {
    for (const name of await readdir(rig.state))
      if (name.startsWith("tendril.sqlite")) await rm(join(rig.state, name));
  },
  zeroed: (rig: Rig) => writeFile(join(rig.state, "tendril.sqlite"), Buffer.alloc(40_960)),
} as const;

for (const [database, spoil] of Object.entries(SPOILED)) {
  t.test(
    `a journal that is missing, emptied, cut short or damaged allows less, never more, with the database ${database}`,
    async (t) => {
      const rig = await busyRig(t);
      for (const log of LEDGERS) {
        const firstLine = (await readFile(journalOf(rig, log), "utf8")).indexOf("\n") + 1;
        await zeroFrom(journalOf(rig, log), firstLine + 5);
      }
      await spoil(rig);
      await rig.open();
      await assertDrySide(t, rig);
      for (const log of LEDGERS) {
        const aside = await readFile(`${journalOf(rig, log)}.torn`);
        t.equal(aside[5], 0, `the damaged end of ${log} is kept`);
      }
    },
  );

  t.test(`journals of nothing but zeros count as lost, with the database ${database}`, async (t) => {
    const rig = await busyRig(t);
    for (const log of LEDGERS) await zeroFrom(journalOf(rig, log), 0);
    await spoil(rig);
    await rig.open();
    await assertDrySide(t, rig);
  });

  t.test(`a hold whose line ends in zeros holds, with the database ${database}`, async (t) => {
    const rig = await busyRig(t);
    const { size } = await stat(journalOf(rig, "control"));
    await zeroFrom(journalOf(rig, "control"), size - 3);
    await spoil(rig);
    await rig.open();
    t.equal((await rig.refused("dispense_water", { ml: 10 }, HUMAN)).code, "HOLD");
  });
}

/** Leaves so many bytes of a text. */
const CUT = {
  "to two lines": (text: string) => text.split("\n", 2).join("\n").length + 1,
  "to the first dose": (text: string) => text.indexOf("\n", text.indexOf('"stopped"')) + 1,
  "by its last 900 bytes": (text: string) => text.length - 900,
  "by its last line": (text: string) => text.lastIndexOf("\n", text.length - 2) + 1,
  "to nothing": () => 0,
} as const;

for (const [how, bytesLeft] of Object.entries(CUT))
  for (const database of ["deleted", "zeroed"] as const)
    t.test(
      `journals that are cut ${how} allow less, never more, with the database ${database}`,
      async (t) => {
        const rig = await busyRig(t);
        for (const log of LEDGERS) {
          const file = journalOf(rig, log);
          await truncate(file, bytesLeft(await readFile(file, "utf8")));
        }
        await SPOILED[database](rig);
        await rig.open();
        // the end of the last dose can be missing
        await assertDrySide(t, rig, /^(BUDGET_EXCEEDED|AWAITING_SOIL)$/);
        await rig.restart();
        t.notOk(
          rig.core.store.warnings.find((each) => /lost|cut/.test(each)),
          "it is told once",
        );
      },
    );

t.test("no two of journal, database and the list of used logs can forget water together", async (t) => {
  const rig = await busyRig(t);
  await writeFile(journalOf(rig, "water"), "");
  await writeFile(join(rig.state, "used"), "");
  await SPOILED.deleted(rig);
  await rig.open();
  t.match(await rig.get("get_water_usage_24h"), { remaining_ml: 0 });
});

t.test("where other journals have lines, nobody forgets water that all four remembered", async (t) => {
  const rig = await busyRig(t);
  await writeFile(journalOf(rig, "water"), "");
  await writeFile(join(rig.state, "used"), "");
  await rm(`${journalOf(rig, "water")}.end`, { force: true });
  await SPOILED.deleted(rig);
  await rig.open();
  t.match(await rig.get("get_water_usage_24h"), { remaining_ml: 0 });
});

t.test("a lost database alone, or the note of the journal's end alone, costs no water", async (t) => {
  const rig = await busyRig(t);
  await SPOILED.deleted(rig);
  await rig.open();
  t.match(await rig.get("get_water_usage_24h"), { used_ml: 200 });
  await rig.crash();
  for (const log of LEDGERS) await writeFile(`${journalOf(rig, log)}.end`, Buffer.alloc(40));
  await rig.open();
  t.match(await rig.get("get_water_usage_24h"), { used_ml: 200 });
  await rig.crash();
  t.match(await readFile(`${journalOf(rig, "water")}.end`, "latin1"), /^\d{16}\n$/);
  for (const log of LEDGERS) await rm(`${journalOf(rig, log)}.end`, { force: true });
  await rig.open();
  t.match(await rig.get("get_water_usage_24h"), { used_ml: 200 });
  t.same(rig.core.store.warnings, []);
});

t.test("a line that a crash has cut short costs nothing: it was never acknowledged", async (t) => {
  const rig = await busyRig(t);
  for (const log of LEDGERS) {
    const text = await readFile(journalOf(rig, log), "utf8");
    const next = text.split("\n").length;
    await writeFile(journalOf(rig, log), `${text}{"id":${next},"timestamp":"2026-0`);
  }
  await rig.open();
  t.match(await rig.get("get_water_usage_24h"), { used_ml: 200 });
  t.match((await rig.refused("dispense_water", { ml: 10 }, HUMAN)).message, /repotting/);
});

t.test("what was found lost is lost also after a crash before anybody has acted on it", async (t) => {
  const rig = await busyRig(t);
  for (const log of LEDGERS) await zeroFrom(journalOf(rig, log), 5);
  await SPOILED.deleted(rig);
  const full = rig.fillDisk();
  await t.rejects(rig.open(), "no consequence can be written");
  full();
  if (process.platform === "linux")
    t.same(openFilesIn(rig.state), [], "what a failed start has opened is closed");
  await rig.open();
  await assertDrySide(t, rig);
});

t.test("with a zeroed list of used logs, missing journals count as lost", async (t) => {
  const rig = await busyRig(t);
  await zeroFrom(join(rig.state, "used"), 0);
  for (const log of LEDGERS) await rm(journalOf(rig, log));
  await SPOILED.deleted(rig);
  await rig.open();
  await assertDrySide(t, rig);
  await rig.restart();
  await rig.get("set_hold", { hold: true }, HUMAN);
  await rig.get("set_hold", { hold: false }, HUMAN);
  await rig.pass(minutes(31));
  await rig.restart();
  await rig.get("turn_on_light", { minutes: 30 }, HUMAN);
});

for (const [what, from, to] of [
  ["an amount that is no amount", /"kind":"stopped"(.*?)"ml":25/g, '"kind":"stopped"$1"ml":-25'],
  ["an amount that is not there", /"ml":25/g, '"mm":25'],
  ["an intent of no known kind", /"kind":"intent"/g, '"kind":"kntent"'],
  ["a dose of no plant", /"plant":"basil"/g, '"plans":"basil"'],
  ["no stamp", /"stamp":/g, '"ctamp":'],
] as const)
  t.test(`a water journal with ${what} counts as lost, also where the database is gone`, async (t) => {
    const rig = await rigFor(t, {
      config: "plants: [{ id: basil, water: { not_above: off } }]",
      hydration: 30,
    });
    await rig.water(25, { as: "human" });
    await rig.stop();
    const file = join(rig.state, "journal", "water.jsonl");
    const text = await readFile(file, "utf8");
    t.not(text.replace(from, to), text);
    await writeFile(file, text.replace(from, to));
    await rm(join(rig.state, "tendril.sqlite"));
    await rig.open();
    t.match(await rig.get("get_water_usage_24h"), { remaining_ml: 0 });
  });

t.test(
  "where the record of calls is lost no cycle goes on: a repeated call pours nothing more",
  async (t) => {
    const rig = await rigFor(t);
    await rig.status([{ action: "water", value: 40 }]);
    const dose = () => rig.during("dispense_water", { ml: 20 }, { key: "k1" });
    t.match(await dose(), { ok: true });
    await rig.crash();
    await rm(journalOf(rig, "calls"));
    for (const _ of ["at this start", "and at the next: the end is durable"]) {
      await rig.open();
      t.match(await dose(), { ok: false, error: { code: "NO_CYCLE" } });
      t.match(await rig.get("get_water_usage_24h"), { used_ml: 20 });
      await rig.crash();
    }
    await rig.open();
    t.same(
      await rig.status([{ action: "water", value: 40 }]),
      { proceed: true },
      "a new cycle begins as ever",
    );
  },
);

t.test("water is not forgotten when its journal and the folder's mark are lost together", async (t) => {
  const empty = (file: string) => writeFile(file, "");
  for (const lose of [rm, empty]) {
    const rig = await rigFor(t, { hydration: 20 });
    await rig.water(25, HUMAN);
    await rig.crash();
    await lose(journalOf(rig, "water"));
    await lose(join(rig.state, "used"));
    await rig.open();
    t.match(await rig.get("get_water_usage_24h"), { remaining_ml: 0 });
  }
});
