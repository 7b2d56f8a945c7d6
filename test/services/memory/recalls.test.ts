import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { minutes } from "../../../drivers/units.js";
import { type Rig, rigFor } from "../../rig.js";

/** The journal of what agents recalled, and forgetting for good. */

const START = "2026-06-01T08:00:00.000Z";
const FAMILY = `
server: { calls_per_second: 100000 }
people:
  - { id: ana, name: Ana, tokens: [human.ana] }
  - { id: ben, name: Ben, tokens: [human.ben] }
`;
const ANA = { as: "human", token: "human.ana" } as const;
const BEN = { as: "human", token: "human.ben" } as const;
const OWNER = { as: "human" } as const;
const FERN = { source: "CAPTURE", title: "Fern", content: "The fern likes rain water" } as const;
const SECRET = { category: "habit", key: "fern_secret", value: "talks to the fern at night" } as const;

type Value = Readonly<Record<string, unknown>>;

const recalled = async (rig: Rig, by: object, args: Value = {}) =>
  (await rig.get("list_recalls", args, by)).recalls as (Value & { entries: Value[] })[];

/** Each of them: one memory and one private entry of Ana's, and one memory of the household. */
async function family(t: Parameters<typeof rigFor>[0]) {
  const rig = await rigFor(t, { start: START, config: FAMILY, peopleToo: true });
  await rig.get("save_memory", FERN, ANA);
  await rig.get("save_memory", { ...FERN, title: "Tap", content: "No tap water for the fern" }, OWNER);
  await rig.get("update_user_profile", { ...SECRET, user_id: "ana" }, ANA);
  return rig;
}

async function turnOf(rig: Rig, person: string, token: string) {
  await rig.get("send_chat_message", { text: "the fern?" }, { as: "human", token });
  const begun = await rig.get("begin_turn", { kind: "conversation", chat_id: person });
  return { as: "agent", turn: String(begun.turn_id) } as const;
}

t.test("each person sees which of their entries were recalled, when, and in whose turn", async (t) => {
  const rig = await family(t);
  const turn = await turnOf(rig, "ana", "human.ana");
  await rig.pass(minutes(1));
  await rig.get("recall_user_context", { topic: "fern" }, turn);
  const all = await recalled(rig, ANA);
  t.same(all.flatMap(({ entries }) => entries.map(({ title }) => title)).sort(), [
    "Fern",
    "Tap",
    "fern_secret",
  ]);
  for (const each of all)
    t.match(each, {
      ...{ timestamp: "2026-06-01T08:01:00.000Z", tool: "recall_user_context", by: "agent" },
      ...{ turn: "conversation", person: "ana", forgotten: 0 },
    });
  const ofBen = await recalled(rig, BEN);
  t.match(ofBen, [{ person: null, entries: [{ title: "Tap", user_id: "household" }] }], "and no more");
  t.equal(ofBen.length, 1);
  t.equal((await rig.refused("list_recalls", { user_id: "ana" }, BEN)).code, "FORBIDDEN");
  t.equal((await rig.refused("list_recalls", {}, { as: "agent" })).code, "FORBIDDEN");
});

t.test("search and the knowledge tools are noted too, a person's own look is not", async (t) => {
  const rig = await family(t);
  await rig.get("search_memories", { query: "fern" }, ANA);
  await rig.get("retrieve_knowledge", { query: "fern" }, ANA);
  t.same(await recalled(rig, OWNER), []);
  await rig.get("search_memories", { query: "rain" }, { as: "agent" });
  await rig.get("retrieve_knowledge", { query: "rain water fern", source_type: "memory" }, { as: "agent" });
  await rig.get("search_knowledge_base", { query: "tap" }, { as: "agent" });
  const all = await recalled(rig, OWNER);
  t.same(
    new Set(all.map(({ tool }) => tool)),
    new Set(["search_memories", "retrieve_knowledge", "search_knowledge_base"]),
  );
  t.ok(all.every(({ turn }) => turn === null));
  await rig.get("search_memories", { query: "nothing at all" }, { as: "agent" });
  t.equal((await recalled(rig, OWNER)).length, all.length, "nothing found, nothing noted");
});

t.test("the record has no word of an entry, survives a crash, and goes on after the entry", async (t) => {
  const rig = await family(t);
  await rig.get("recall_user_context", { topic: "fern" }, await turnOf(rig, "ana", "human.ana"));
  await rig.crash();
  await rig.open();
  const journal = () => readFile(join(rig.state, "journal", "recalls.jsonl"), "utf8");
  t.notMatch(await journal(), /rain|Fern|secret|night/);
  const [first] = (await recalled(rig, ANA)).filter(({ entries }) =>
    entries.some(({ title }) => title === "Fern"),
  );
  const { id } = first?.entries.find(({ title }) => title === "Fern") ?? {};
  await rig.get("erase_memory", { id }, ANA);
  const left = await recalled(rig, ANA);
  t.notOk(left.some(({ entries }) => entries.some(({ title }) => title === "Fern")));
  t.equal(
    left.reduce((sum, { forgotten }) => sum + Number(forgotten), 0),
    1,
  );
});

t.test("what the agent always knew and a person changed is still found by its first record", async (t) => {
  const rig = await rigFor(t, { start: START });
  await rig.get("add_memory", { text: "The tank is small" }, { as: "agent" });
  await rig.get("search_memories", { query: "tank" }, { as: "agent" });
  const [before] = await recalled(rig, OWNER);
  const { id } = before?.entries[0] ?? {};
  await rig.get("update_memory", { id, title: "Tank", content: "The tank is small" }, OWNER);
  t.match(await recalled(rig, OWNER), [{ entries: [{ id, title: "Tank" }] }]);
  await rig.get("delete_memory", { id }, OWNER);
  t.match(await recalled(rig, OWNER), [{ entries: [], forgotten: 1 }]);
});

t.test(
  "a profile entry is forgotten with its former values, everywhere, and stays so after a crash",
  async (t) => {
    const rig = await family(t);
    await rig.get("update_user_profile", { ...SECRET, value: "sings to the fern", user_id: "ana" }, ANA);
    await rig.get("get_user_profile", {}, { ...ANA, key: "read once" });
    await rig.get("retrieve_knowledge", { query: "sings fern" }, { ...ANA, key: "asked once" });
    const { category, key } = SECRET;
    t.equal((await rig.refused("forget_profile_entry", { category, key }, BEN)).code, "NOT_FOUND");
    t.equal(
      (await rig.refused("forget_profile_entry", { category, key, user_id: "ana" }, BEN)).code,
      "FORBIDDEN",
    );
    t.equal(
      (await rig.refused("forget_profile_entry", { category, key, user_id: "ana" }, { as: "agent" })).code,
      "FORBIDDEN",
    );
    t.match(await rig.get("forget_profile_entry", { category, key, user_id: "ana" }, ANA), { erased: true });
    const gone = async () => {
      t.same((await rig.get("get_user_profile", {}, ANA)).entries, []);
      t.match(await rig.get("recall_user_context", { topic: "sings secret" }, ANA), { entries: [] });
      t.match(await rig.get("retrieve_knowledge", { query: "sings fern", source_type: "profile" }, ANA), {
        chunks: [],
      });
      for (const name of ["profile", "calls"])
        t.notMatch(
          await readFile(join(rig.state, "journal", `${name}.jsonl`), "utf8"),
          /night|sings|secret/,
          name,
        );
    };
    await gone();
    await rig.crash();
    await rig.open();
    await gone();
    await rig.get("update_user_profile", { ...SECRET, value: "new", user_id: "ana" }, ANA);
    t.match((await rig.get("get_user_profile", {}, ANA)).entries, [{ value: "new" }], "it can be told anew");
  },
);

t.test("a call repeated with its key says that its result was erased, and does nothing again", async (t) => {
  const rig = await family(t);
  const { category, key } = SECRET;
  const said = { ...SECRET, value: "sings to the fern" };
  const note = { source: "CAPTURE", title: "a quokka", content: "in the garden" };
  const { id } = await rig.get("save_memory", note, { ...ANA, key: "note" });
  await rig.get("update_user_profile", said, { ...ANA, key: "said" });
  await rig.get("forget_profile_entry", { category, key }, ANA);
  await rig.get("erase_memory", { id }, ANA);
  const repeated = async () => {
    t.match(await rig.refused("update_user_profile", said, { ...ANA, key: "said" }), {
      code: "RESULT_ERASED",
      message: /the first update_user_profile with this idempotency key, at .*, was done; .* erased since/,
    });
    t.equal((await rig.refused("save_memory", note, { ...ANA, key: "note" })).code, "RESULT_ERASED");
    const other = { ...said, value: "another" };
    t.equal(
      (await rig.refused("update_user_profile", other, { ...ANA, key: "said" })).code,
      "IDEMPOTENCY_CONFLICT",
    );
    t.same((await rig.get("get_user_profile", {}, ANA)).entries, []);
  };
  await repeated();
  await rig.crash();
  await rm(join(rig.state, "tendril.sqlite"));
  await rig.open();
  await repeated();
});

t.test("erasing a person takes the recalls of their entries and in their turns along", async (t) => {
  const rig = await family(t);
  await rig.get("recall_user_context", { topic: "fern" }, await turnOf(rig, "ana", "human.ana"));
  await rig.get("erase_person", { user_id: "ana" }, OWNER);
  t.same(await recalled(rig, OWNER), []);
  t.notMatch(await readFile(join(rig.state, "journal", "recalls.jsonl"), "utf8"), /"ana"/);
});

t.test("the newest 10,000 stay, and each of them is found", async (t) => {
  const rig = await family(t);
  await rig.get("recall_user_context", { topic: "fern" }, await turnOf(rig, "ana", "human.ana"));
  await rig.crash();
  const file = join(rig.state, "journal", "recalls.jsonl");
  const [first = ""] = (await readFile(file, "utf8")).split("\n");
  const { id: _, ...hers } = JSON.parse(first) as Value;
  t.equal(hers.owner, "ana");
  const line = (n: number) =>
    JSON.stringify({ id: n + 1, ...hers, owner: n === 1500 || n < 900 ? "ana" : "ben" });
  await writeFile(file, `${Array.from({ length: 10_998 }, (_, n) => line(n)).join("\n")}\n`);
  await rm(join(rig.state, "tendril.sqlite"));
  await rig.open();
  t.equal((await recalled(rig, ANA, { n: 100 })).length, 100, "also where others' are newer");
  await rig.get("recall_user_context", { topic: "fern" }, { as: "agent" }); // two lines: of Ana's entries and the household's
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  t.match(
    [lines[0], lines.at(-1)].map((line = "") => JSON.parse(line)),
    [{ id: 1000 }, { id: 11_000 }],
  );
  const left = await recalled(rig, ANA, { n: 100 });
  t.equal(left.filter(({ person }) => person === "ana").length, 1, "the oldest are gone");
});
