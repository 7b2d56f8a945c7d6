import { readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { minutes } from "../../../drivers/units.js";
import { type Rig, rigFor } from "../../rig.js";

type Value = Readonly<Record<string, unknown>>;

const START = "2026-06-01T08:00:00.000Z";
const FAMILY = `
server: { calls_per_second: 100000 }
people:
  - { id: ana, name: Ana, tokens: [human.ana, agent.ana] }
  - { id: ben, name: Ben, tokens: [human.ben] }
`;
const ANA = { as: "human", token: "human.ana" } as const;
const BEN = { as: "human", token: "human.ben" } as const;
const TEMPERATURE = { category: "preference", key: "preferred_temperature", value: "21 degrees" };

const tell = async (rig: Rig, more: Value = {}, options = {}) =>
  (await rig.get("update_user_profile", { ...TEMPERATURE, ...more }, options)).stored as Value;
const known = async (rig: Rig, args: Value = {}, options = {}) =>
  (await rig.get("get_user_profile", args, options)).entries as Value[];
const keysOf = (entries: readonly Value[]) => entries.map(({ key }) => key);

t.test("what is told is stored with confidence 0.9, private unless said otherwise", async (t) => {
  const rig = await rigFor(t, { start: START });
  const stored = await tell(rig);
  t.same(stored, {
    ...TEMPERATURE,
    confidence: 0.9,
    source: "told",
    sensitivity: "private",
    updated_at: START,
    user_id: "household",
  });
  t.same(await known(rig), [stored], "and the household's is everybody's");
  t.same(await known(rig, { category: "habit" }), []);
  for (const value of [21.5, false]) t.match(await tell(rig, { key: `${value}`, value }), { value });
  t.equal(
    (await rig.refused("update_user_profile", { ...TEMPERATURE, category: "mood" })).code,
    "INVALID_ARGUMENT",
  );
});

t.test(
  "a newer fact takes the place of an older one, which the journal keeps with who said it",
  async (t) => {
    const rig = await rigFor(t, { start: START });
    await tell(rig);
    await rig.pass(minutes(5));
    await tell(rig, { key: "Preferred_Temperature", value: 19 }, { as: "human" });
    t.match(await known(rig), [
      { key: "preferred_temperature", value: 19, updated_at: "2026-06-01T08:05:00.000Z" },
    ]);
    await rig.crash();
    await rig.open();
    t.match(await known(rig), [{ value: 19 }]);
    const journal = await readFile(join(rig.state, "journal", "profile.jsonl"), "utf8");
    t.match(
      journal
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
      [
        { value: "21 degrees", by: "agent", timestamp: START },
        { value: 19, by: "human", timestamp: "2026-06-01T08:05:00.000Z" },
      ],
    );
  },
);

t.test("what is known is not stored again as new", async (t) => {
  const rig = await rigFor(t, { start: START });
  const first = await tell(rig);
  await rig.pass(minutes(5));
  t.same(await tell(rig), first);
});

t.test(
  "what an agent concludes is marked as such, gives way to what is told, and never the other way",
  async (t) => {
    const rig = await rigFor(t, { start: START });
    await tell(rig);
    t.match(await tell(rig, { value: 25, confidence: 0.8 }), {
      value: "21 degrees",
      source: "told",
      confidence: 0.9,
    });
    const light = { key: "preferred_light", value: 25 };
    t.match(await tell(rig, { ...light, confidence: 0.3 }), {
      value: 25,
      source: "inferred",
      confidence: 0.3,
    });
    await rig.restart();
    t.match(await known(rig), [{ source: "told" }, { key: "preferred_light", source: "inferred" }]);
    for (const confidence of [0.29, 0.81])
      t.match(await rig.refused("update_user_profile", { ...TEMPERATURE, confidence }), {
        code: "INVALID_ARGUMENT",
      });
    const corrected = await tell(rig, { ...light, value: 10 }, { as: "human" });
    t.match(corrected, { value: 10, source: "told", confidence: 0.9 });
  },
);

t.test("private and sensitive entries are shown to that person and to human tokens alone", async (t) => {
  const rig = await rigFor(t, { config: FAMILY });
  for (const sensitivity of ["public", "private", "sensitive"])
    await tell(rig, { key: sensitivity, sensitivity }, ANA);
  await tell(rig, { key: "ours", user_id: "household" });
  const all = ["public", "private", "sensitive", "ours"];
  t.same(keysOf(await known(rig, {}, ANA)), all);
  t.same(keysOf(await known(rig, {}, { as: "agent", token: "agent.ana" })), all, "an agent's token of hers");
  t.same(keysOf(await known(rig, {}, { as: "human" })), all, "a human token that is nobody's");
  t.same(keysOf(await known(rig)), ["public", "ours"], "the agent of the house");
  t.same(keysOf(await known(rig, { user_id: "ana" })), ["public", "ours"]);
  t.same(keysOf(await known(rig, {}, BEN)), ["ours"]);
  t.equal((await rig.refused("get_user_profile", { user_id: "ana" }, BEN)).code, "FORBIDDEN");
  const recalled = await rig.get("recall_user_context", { topic: "degrees" });
  t.same((recalled.entries as Value[]).map(({ title }) => title).sort(), ["ours", "public"]);
});

t.test("a recall answers in a sentence, with what it found and where, the best first", async (t) => {
  const rig = await rigFor(t, { start: START });
  await tell(rig);
  const memory = await rig.get("save_memory", {
    source: "CAPTURE",
    title: "Heating",
    content: "the temperature falls at night",
  });
  t.same(await rig.get("recall_user_context", { topic: "Which temperature?" }), {
    message:
      'Known about "Which temperature?": preferred_temperature: 21 degrees · Heating: the temperature falls at night',
    entries: [
      {
        from: "profile",
        title: "preferred_temperature",
        text: "21 degrees",
        score: 1,
        matched: ["title: temperature"],
        user_id: "household",
        at: START,
      },
      {
        from: "memory",
        id: memory.id,
        title: "Heating",
        text: "the temperature falls at night",
        score: 0.8,
        matched: ["content: temperature"],
        user_id: "household",
        at: START,
      },
    ],
  });
  t.same(await rig.get("recall_user_context", { topic: "bicycles" }), {
    message: 'nothing known about "bicycles"',
    entries: [],
  });
});

t.test("a profile is bounded, and what is there can still be changed", async (t) => {
  const rig = await rigFor(t);
  for (let n = 0; n < 500; n += 1) await tell(rig, { key: `${n}` });
  t.equal((await rig.refused("update_user_profile", TEMPERATURE)).code, "PROFILE_FULL");
  t.match(await tell(rig, { key: "7", value: "new" }), { value: "new" });
  await tell(rig, { user_id: "ana" });
});

t.test("a conclusion under a key does not tell what a person has said there in private", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  await tell(rig, {}, ANA);
  const guess = { value: "30 degrees", confidence: 0.5 };
  const ofHouse = { as: "agent" } as const;
  const refused = await rig.refused(
    "update_user_profile",
    { ...TEMPERATURE, ...guess, user_id: "ana" },
    ofHouse,
  );
  t.match(refused, { code: "FORBIDDEN" });
  t.notMatch(JSON.stringify(refused), /21 degrees/);
  t.match(await known(rig, {}, ANA), [{ value: "21 degrees", source: "told" }], "it stays");
  t.match(await tell(rig, { ...guess, key: "humidity", user_id: "ana" }, ofHouse), { source: "inferred" });
  const own = await tell(rig, guess, { as: "agent", token: "agent.ana" });
  t.match(own, { value: "21 degrees", source: "told" }, "to Ana's own agent it is told");
});
