import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { KNOWLEDGE_FILE, PassageIndex } from "../../../runtime/store/passage-index.js";
import type { PassageVectors } from "../../../runtime/store/passage-vectors.js";
import { conceptsOf } from "./concepts.js";

async function folderFor(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tendril-vectors-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function indexFor(t: Test): Promise<PassageIndex> {
  const index = await PassageIndex.open(await folderFor(t));
  t.teardown(() => index.close());
  return index;
}

const vectorOf = (text: string) => Int8Array.from(conceptsOf(text), (each) => Math.round(each * 127));

const document = (id: string, passages: readonly string[], more = {}) => ({
  ...{ id, title: "", passages, owner: "household", isPrivate: false, at: Number(id) },
  ...{ metadata: {}, tainted: [], ...more },
});

/** Gives all passages their vectors; returns the texts that had none. */
async function fill(vectors: PassageVectors): Promise<string[]> {
  const texts: string[] = [];
  for (;;) {
    const bare = await vectors.bare(2);
    if (bare.length === 0) return texts;
    await vectors.put(bare.map((each) => ({ ...each, vector: vectorOf(each.text) })));
    texts.push(...bare.map(({ text }) => text));
  }
}

const ask = async (index: PassageIndex, words: string, more = {}) => {
  const near = { vector: vectorOf(words), least: 0.6 };
  const found = await index.search(words, { sees: () => true, limit: 5, near, ...more });
  return found.map(({ id, arms, score }) => ({ id, arms, score }));
};

t.test("ranks are fused: what both arms find comes first, and each says which arm found it", async (t) => {
  const index = await indexFor(t);
  await index.put("memory", [
    document("1", ["The lamp in the hall flickers"]),
    document("2", ["The light above the table hums"]),
    document("4", ["Nothing of this"]),
  ]);
  await fill(await index.useVectors("m", false));
  t.same(await ask(index, "light"), [
    { id: "2", arms: ["words", "meaning"], score: 0.992 },
    { id: "1", arms: ["meaning"], score: 0.5 },
  ]);
  t.same(await ask(index, "flickers"), [{ id: "1", arms: ["words"], score: 0.5 }]);
  t.same(await ask(index, "the capital of Peru"), [], "what fits nothing stays an empty answer");
  const plain = await index.search("light", { sees: () => true, limit: 5 });
  t.same(
    plain.map(({ id, arms }) => ({ id, arms })),
    [{ id: "2", arms: ["words"] }],
  );
});

t.test("a passage keeps its vector while its text stays, and a removed one takes it along", async (t) => {
  const index = await indexFor(t);
  const vectors = await index.useVectors("m", false);
  await index.put("file", [document("1", ["about the cat", "about the lamp"])]);
  t.same(await fill(vectors), ["about the cat", "about the lamp"]);
  await index.put("file", [document("1", ["about the cat", "about a key"], { at: 5 })]);
  t.equal(await vectors.waiting(), 1);
  t.same(await fill(vectors), ["about a key"], "only what is new");
  t.equal((await ask(index, "pet")).length, 1);
  t.same(await ask(index, "light"), []);
  await index.remove("file", ["1"]);
  t.same(await ask(index, "pet"), []);
  t.equal(await vectors.length(), undefined);
});

t.test("what changes while its vector is made does not get that vector", async (t) => {
  const index = await indexFor(t);
  const vectors = await index.useVectors("m", false);
  await index.put("file", [document("1", ["about the cat"])]);
  const bare = await vectors.bare(16);
  await index.put("file", [document("1", ["about the lamp"])]);
  await vectors.put(bare.map((each) => ({ ...each, vector: vectorOf(each.text) })));
  t.same(await ask(index, "pet"), []);
  t.same(await fill(vectors), ["about the lamp"]);
});

t.test("another model begins anew; the same one goes on after a restart", async (t) => {
  const folder = await folderFor(t);
  const open = async (model: string) => {
    const index = await PassageIndex.open(folder);
    return { index, vectors: await index.useVectors(model, false) };
  };
  const first = await open("m");
  await first.index.put("memory", [document("1", ["about the cat"]), document("2", ["about the lamp"])]);
  await fill(first.vectors);
  await first.index.close();
  const second = await open("m");
  t.equal(await second.vectors.waiting(), 0);
  t.equal((await ask(second.index, "pet")).length, 1);
  await second.index.close();
  const third = await open("other");
  t.equal(await third.vectors.waiting(), 2);
  t.same(await ask(third.index, "pet"), []);
  t.equal((await fill(third.vectors)).length, 2);
  t.equal((await ask(third.index, "pet")).length, 1);
  await third.vectors.dropAll();
  t.equal(await third.vectors.waiting(), 2, "and so does one that gives another length now");
  t.same(await ask(third.index, "pet"), []);
  await third.index.close();
});

t.test("nobody finds by meaning what is not theirs to see, and private text is not handed out", async (t) => {
  const index = await indexFor(t);
  const vectors = await index.useVectors("m", false);
  await index.put("memory", [
    document("1", ["the cat of Ana"], { owner: "ana" }),
    document("2", ["the secret cat of Ana"], { owner: "ana", isPrivate: true }),
    document("3", ["the cat of all"]),
  ]);
  t.same(await fill(vectors), ["the cat of Ana", "the cat of all"]);
  const found = async (more: object) => (await ask(index, "pet", more)).map(({ id }) => id).sort();
  t.same(await found({}), ["1", "3"]);
  t.same(await found({ sees: ({ owner }: { owner: string }) => owner !== "ana" }), ["3"]);
  t.same(await found({ type: "thought" }), []);
  const all = await index.useVectors("m", true);
  t.same(await fill(all), ["the secret cat of Ana"], "unless the owner says so");
  t.same(await found({}), ["1", "2", "3"]);
});

t.test("a text that the model refuses is not asked for again", async (t) => {
  const index = await indexFor(t);
  const vectors = await index.useVectors("m", false);
  await index.put("memory", [document("1", ["the cat"])]);
  const bare = await vectors.bare(16);
  await vectors.put(bare.map((each) => ({ ...each, vector: undefined })));
  t.same(await vectors.bare(16), []);
  t.same(await ask(index, "pet"), []);
  t.equal((await ask(index, "cat")).length, 1);
});

t.test("of many vectors the nearest is found, also after most are gone", async (t) => {
  const folder = await folderFor(t);
  const index = await PassageIndex.open(folder);
  const vectors = await index.useVectors("m", false);
  const numbers = (seed: number) =>
    Int8Array.from({ length: 64 }, (_, n) => Math.round(127 * Math.sin(seed * 97.3 + n * n * (seed + 1))));
  const ids = Array.from({ length: 1500 }, (_, n) => String(n));
  await index.put(
    "memory",
    ids.map((id) => document(id, [`text ${id}`])),
  );
  for (let bare = await vectors.bare(500); bare.length > 0; bare = await vectors.bare(500))
    await vectors.put(bare.map((each) => ({ ...each, vector: numbers(Number(each.text.slice(5))) })));
  const nearest = async (seed: number) => {
    const near = { vector: numbers(seed), least: 0.9 };
    return (await index.search("", { sees: () => true, limit: 1, near })).map(({ id }) => id);
  };
  t.same(await nearest(777), ["777"]);
  await index.remove("memory", ids.slice(0, 1400));
  t.same(await nearest(777), []);
  t.same(await nearest(1450), ["1450"]);
  await index.purge();
  t.same(await nearest(1450), ["1450"]);
  await index.close();
  const bytes = Buffer.from(numbers(777).buffer);
  t.notOk(
    (await readFile(join(folder, KNOWLEDGE_FILE))).includes(bytes),
    "a removed vector is not in the file",
  );
});
