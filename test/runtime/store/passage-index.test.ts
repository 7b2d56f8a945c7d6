import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { PassageIndex } from "../../../runtime/store/passage-index.js";

async function folderFor(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tendril-index-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const document = (id: string, passages: readonly string[]) => ({
  ...{ id, title: "", passages, owner: "household", isPrivate: false, at: 1, metadata: {}, tainted: [] },
});

const LONG = Array.from({ length: 1000 }, (_, n) => `Paragraph ${n} about a siphon`);

const found = async (index: PassageIndex, words: string) =>
  (await index.search(words, { sees: () => true, limit: 5 })).map(({ id }) => id);

t.test("a question waits for one commit of a long document, not for all of it", async (t) => {
  const index = await PassageIndex.open(await folderFor(t));
  t.teardown(() => index.close());
  await index.put("memory", [document("lamp", ["The lamp in the hall"])]);
  let isIn = false;
  const putting = index.put("file", [document("manual", LONG)]).then(() => (isIn = true));
  const answers: { ids: string[]; isIn: boolean }[] = [];
  while (!isIn) answers.push({ ids: await found(index, "lamp"), isIn });
  await putting;
  t.ok(answers.filter(({ isIn }) => !isIn).length >= 3, `${answers.length} answers meanwhile`);
  t.ok(answers.every(({ ids }) => ids[0] === "lamp"));
  t.match(await index.counts(), { documents: 2, passages: 1001 });
  const [before] = await index.described("file");
  await index.put("file", [document("manual", LONG)]);
  t.match(await index.counts(), { documents: 2, passages: 1001 });
  t.same(await index.described("file"), [before], "the same text has the same hash");
});

t.test("a long document that a stop interrupts is gone at the next opening, not half there", async (t) => {
  const folder = await folderFor(t);
  const index = await PassageIndex.open(folder);
  const stop = new AbortController();
  const putting = index.put("file", [document("manual", LONG), document("short", ["one siphon"])], {
    signal: stop.signal,
  });
  while ((await index.counts()).passages < 100);
  stop.abort();
  await putting;
  const { passages } = await index.counts();
  t.ok(passages >= 100 && passages < 1000, `${passages} passages`);
  await index.close();
  const again = await PassageIndex.open(folder);
  t.teardown(() => again.close());
  t.match(await again.counts(), { documents: 0, passages: 0 });
  t.same(await again.described("file"), []);
  await again.put("file", [document("manual", LONG)]);
  t.match(await again.counts(), { documents: 1, passages: 1000 });
});
