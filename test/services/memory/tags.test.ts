import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { eraseMemory, memories, renameTag, tags } from "../../../runtime/cli/knowledge.js";
import { MAX_BYTES_OF_ONE } from "../../../runtime/services/memory/rows.js";
import { type Rig, rigFor } from "../../rig.js";
import { rigRemote } from "../../runtime/cli/rig-remote.js";

const FAMILY = `
people:
  - { id: ana, tokens: [human.ana] }
  - { id: ben, tokens: [human.ben] }
`;
const ANA = { as: "human", token: "human.ana" } as const;
const BEN = { as: "human", token: "human.ben" } as const;
const PERSON = { as: "human" } as const;

const save = (rig: Rig, names: readonly string[], options: object) =>
  rig.get("save_memory", { source: "CAPTURE", title: "x", content: "y", tags: names }, options);
const tagsOf = async (rig: Rig, options: object) =>
  ((await rig.get("search_memories", {}, options)).items as { tags: string[] }[]).map((item) => item.tags);

t.test("a tag is renamed in all memories of who asks, and of nobody else", async (t) => {
  const rig = await rigFor(t, { config: FAMILY });
  await save(rig, ["Plantas", "casa"], ANA);
  await save(rig, ["plantas"], BEN);
  t.match(await rig.get("rename_tag", { tag: "PLANTAS", to: "jardín" }, ANA), { memories: 1 });
  t.same(await tagsOf(rig, ANA), [["jardín", "casa"]]);
  t.same(await tagsOf(rig, BEN), [["plantas"]]);
  t.equal((await rig.refused("rename_tag", { tag: "plantas", to: "x" }, ANA)).code, "NOT_FOUND");
  await rig.restart();
  t.same(await tagsOf(rig, ANA), [["jardín", "casa"]]);
});

t.test("two tags are put together only where that is said, and each memory has it once", async (t) => {
  const rig = await rigFor(t);
  await save(rig, ["fern", "ferns"], PERSON);
  await save(rig, ["ferns"], PERSON);
  const remote = rigRemote(rig);
  t.equal(await tags(remote), "    2  ferns\n    1  fern");
  await t.rejects(renameTag(remote, { tag: "ferns", to: "fern", merge: false }), { code: "ALREADY_EXISTS" });
  t.equal(
    await renameTag(remote, { tag: "ferns", to: "fern", merge: true }),
    "ferns is now fern in 2 memories",
  );
  t.same(await tagsOf(rig, PERSON), [["fern"], ["fern"]]);
  await renameTag(remote, { tag: "fern", to: "Fern", merge: false });
  t.equal(await tags(remote), "    2  Fern", "another case is no other tag");
});

t.test("memories are listed with the ids by which they are erased", async (t) => {
  const rig = await rigFor(t, { start: "2026-06-01T08:00:00.000Z" });
  const remote = rigRemote(rig);
  t.equal(await memories(remote, "", { limit: 10 }), "nothing is remembered yet");
  await save(rig, [], PERSON);
  await rig.get("save_memory", { source: "CAPTURE", title: "the spare key", content: "at Ana's" }, PERSON);
  t.match(await memories(remote, "", { limit: 1 }), /^\S+ {2}2026-06-01 {2}household {2}.*\n1 more: /);
  const line = await memories(remote, "key", { limit: 10 });
  t.match(line, /^\S+ {2}2026-06-01 {2}household {2}the spare key$/);
  const [id = ""] = line.split(" ");
  await t.rejects(eraseMemory(remote, "zz"), { code: "NOT_FOUND" });
  t.match(await eraseMemory(remote, id.slice(0, 8)), `erased ${id}`, "its beginning is enough");
  t.equal(await memories(remote, "key", { limit: 10 }), "no memory has these words");
});

t.test("a longer name for which there is no room in all memories is given to none", async (t) => {
  const rig = await rigFor(t);
  const { user_id: _, ...item } = await save(rig, ["fern"], PERSON);
  await rig.stop();
  const large = { ...item, user_id: "household", metadata: { text: "x".repeat(16_000) } };
  const size = Buffer.byteLength(JSON.stringify({ ...large, id: "100" }));
  const lines = Array.from({ length: Math.floor(MAX_BYTES_OF_ONE / size) }, (_, n) => {
    const line = { id: n + 2, timestamp: "2026-06-01T08:00:00.000Z", by: "agent" };
    return `${JSON.stringify({ ...line, item: { ...large, id: `${n + 2}` } })}\n`;
  });
  await appendFile(join(rig.state, "journal", "memory-items.jsonl"), lines.join(""));
  await rig.open();
  const rename = { tag: "fern", to: "y".repeat(90) };
  t.equal((await rig.refused("rename_tag", rename, PERSON)).code, "TOO_MANY_MEMORIES");
  const { tags: left } = await rig.get("list_tags", {}, PERSON);
  t.same(left, [{ tag: "fern", memories: lines.length + 1 }]);
});

t.test("a tag stays within its line at a terminal", async (t) => {
  const rig = await rigFor(t);
  await save(rig, ["fern\n    9  water\u202e"], PERSON);
  t.equal(await tags(rigRemote(rig)), "    1  fern\\n    9  water\ufffd");
});
