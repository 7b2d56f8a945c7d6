import { mkdir, readdir, readFile, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { type Rig, rigFor } from "../../rig.js";

type Value = Readonly<Record<string, unknown>>;

const START = "2026-06-01T08:00:00.000Z";
const PERSON = { as: "human" } as const;
const FAMILY = `
people:
  - { id: ana, tokens: [human.ana] }
  - { id: ben, tokens: [human.ben] }
`;

const save = (rig: Rig, title: string, content: string, options = {}) =>
  rig.get("save_memory", { source: "DIARY", title, content }, options);
const search = (rig: Rig, args: Value = {}) => rig.get("search_memories", args);
const linesOf = async (rig: Rig, journal: string) =>
  (await readFile(join(rig.state, "journal", `${journal}.jsonl`), "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Value);

/** The files of the state folder that have this text. */
async function filesWith(rig: Rig, text: string): Promise<readonly string[]> {
  const files = await readdir(rig.state, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const file of files.filter((each) => each.isFile()))
    if ((await readFile(join(file.parentPath, file.name))).includes(text)) found.push(file.name);
  return found.sort();
}

t.test(
  "what is erased is in no file of the state folder any more, and everything else is as it was",
  async (t) => {
    const rig = await rigFor(t, { start: START });
    await save(rig, "first", "stays here");
    const { id } = await save(rig, "Zanzibar trip", "met the quokka", { key: "one" });
    await rig.get("update_memory", { id, content: "met the capybara" }, { key: "two" });
    await search(rig, { query: "capybara" });
    await save(rig, "last", "stays too");
    const others = await search(rig, { query: "stays" });
    const before = await linesOf(rig, "memory-items");
    t.ok((await filesWith(rig, "quokka")).includes("memory-items.jsonl"));
    t.same(await rig.get("erase_memory", { id }, PERSON), { id, erased: true });
    for (const word of ["quokka", "capybara", "Zanzibar", "zanzibar"])
      t.same(await filesWith(rig, word), [], word);
    t.same(await search(rig, { query: "stays" }), others);
    t.same(await search(rig, { query: "capybara" }), { items: [], count: 0 });
    t.equal((await rig.refused("erase_memory", { id }, PERSON)).code, "NOT_FOUND");
    const after = await linesOf(rig, "memory-items");
    t.same([after[0], after[3]], [before[0], before[3]], "other lines and their numbers are as they were");
    t.same(after[1], { id: 2, timestamp: START, erased: true });
    t.same(after[2], { id: 3, timestamp: START, of: 2, erased: true });
    for (const lose of [false, true]) {
      await rig.stop();
      if (lose) await rm(join(rig.state, "tendril.sqlite"));
      await rig.open();
      t.same(rig.core.house.store.warnings, [], "no journal counts as damaged");
      t.same(await search(rig, { query: "stays" }), others);
      t.equal((await search(rig, { status: "DELETED" })).count, 0);
    }
    t.equal(
      (
        await rig.refused(
          "save_memory",
          { source: "DIARY", title: "Zanzibar trip", content: "met the quokka" },
          { key: "one" },
        )
      ).code,
      "RESULT_ERASED",
      "a call whose result is erased is not made a second time",
    );
  },
);

t.test("what add_memory wrote is erased, changed or not", async (t) => {
  const rig = await rigFor(t, { start: START });
  for (const text of ["the quokka drinks at night", "the capybara swims"])
    await rig.get("add_memory", { text }, { key: text });
  await rig.get("list_memories", {}, { key: "three" });
  const { items } = await search(rig, { query: "capybara" });
  const [{ id: changed } = {}] = items as Value[];
  await rig.get("update_memory", { id: changed, content: "the wombat digs" });
  const [{ id: plain } = {}] = (await search(rig, { query: "quokka" })).items as Value[];
  for (const id of [changed, plain]) await rig.get("erase_memory", { id }, PERSON);
  for (const word of ["quokka", "capybara", "wombat"]) t.same(await filesWith(rig, word), [], word);
  t.equal((await rig.get("list_memories")).count, 0);
  await rig.restart();
  t.equal((await rig.get("list_memories")).count, 0);
  t.match(await rig.get("add_memory", { text: "new" }), { id: 3 }, "and no number is given twice");
});

t.test("an erasure that was interrupted goes on at the next start", async (t) => {
  const rig = await rigFor(t);
  const { id } = await save(rig, "secret", "met the quokka");
  const journals = join(rig.state, "journal");
  const copies = (await readdir(journals)).map((name) => join(journals, `${name}.tmp`));
  for (const each of copies) await mkdir(each); // no journal can be written anew
  t.match(await rig.refused("erase_memory", { id }, PERSON), { code: "STORE_FAILED" });
  for (const each of copies) await rmdir(each);
  t.ok((await filesWith(rig, "quokka")).length > 0);
  t.equal((await search(rig)).count, 0, "it is hidden from the start");
  await rig.crash();
  await rig.open();
  t.same(await filesWith(rig, "quokka"), []);
  t.equal((await search(rig)).count, 0);
});

t.test("only people erase, each the own and the household's", async (t) => {
  const rig = await rigFor(t, { config: FAMILY });
  const ana = { as: "human", token: "human.ana" } as const;
  const { id } = await save(rig, "mine", "alone", ana);
  t.equal((await rig.refused("erase_memory", { id })).code, "FORBIDDEN");
  t.equal((await rig.refused("erase_memory", { id }, { as: "human", token: "human.ben" })).code, "NOT_FOUND");
  await rig.get("erase_memory", { id }, ana);
});
