import { setImmediate as turn } from "node:timers/promises";
import t from "tap";
import { MAX_PASSAGES, passagesOf } from "../../../runtime/services/knowledge/passages.js";
import { hashOf } from "../../../runtime/store/passage-index.js";
import { qualityOfSearch } from "./quality.js";

t.test(
  "words of the question find its text in three languages, and a question without answer finds none",
  async (t) => {
    const quality = await qualityOfSearch();
    const share = ({ right, all }: { right: number; all: number }) => right / all;
    t.ok(share(quality.keyword) >= 0.95, JSON.stringify(quality));
    t.ok(share(quality["no answer"]) >= 0.9, JSON.stringify(quality));
  },
);

t.test("passages are short, lose nothing, and begin with their heading", async (t) => {
  const paragraph = (n: number) => `Sentence ${n} of the text. `.repeat(30).trim();
  const text = `Before.\n\n# Care\n${paragraph(1)}\n\n${paragraph(2)}\n\n## Water\r\n${"word ".repeat(500)}\n${"字".repeat(1500)}`;
  const passages = await passagesOf(text);
  t.ok(passages.every((passage) => passage.length <= 1000 && passage.trim() === passage && passage !== ""));
  t.equal(passages[0], "Before.");
  t.ok(passages.slice(1).every((passage) => /^#{1,2} (Care|Water)\n/.test(passage)));
  const letters = (all: string) => all.replaceAll(/#+ (Care|Water)|\s/g, "");
  t.equal(passages.map(letters).join(""), letters(text));
  t.same(await passagesOf(""), []);
  t.same(await passagesOf(" \n\n "), []);
  t.same(await passagesOf("# Only a heading"), ["# Only a heading"]);
  t.same((await passagesOf(`# ${"long ".repeat(400)}\nbody`)).join(" ").includes("body"), true);
  t.same((await passagesOf("👩‍🌾".repeat(600))).join(""), "👩‍🌾".repeat(600), "no character is cut in two");
});

/** Files of almost 5 MB that say next to nothing. Each kept the event loop for more than a second. */
const HOSTILE = {
  "one word": "x".repeat(4_900_000),
  "one word of characters of two code units": "👩".repeat(2_400_000),
  "one line of short words": "ab cd ".repeat(816_000),
  "one line of sentences": "A. ".repeat(1_630_000),
  blanks: " ".repeat(4_900_000),
  "line ends": "\r\n".repeat(2_450_000),
};

/** How often others have their turn until `work` is done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  let turns = 0;
  for (; !isDone; turns += 1) await turn();
  await done;
  return turns;
}

for (const [what, text] of Object.entries(HOSTILE))
  t.test(`others have their turn while 5 MB are split and hashed: ${what}`, async (t) => {
    const splitting = passagesOf(text);
    const turns = await turnsDuring(splitting);
    t.ok(turns > text.length / 10_000, `${turns} turns`);
    const passages = await splitting;
    const bare = (some: string) => some.replaceAll(/\s/g, "");
    t.equal(bare(passages.join("")), bare(text), "nothing is lost");
    t.ok(passages.every((passage) => passage.length <= 1000));
    const document = { id: "1", title: "", passages, owner: "ana", isPrivate: false, at: 1 };
    const hashed = await turnsDuring(hashOf({ ...document, metadata: {}, tainted: [] }));
    t.ok(hashed >= Math.floor(passages.length / 100), `${hashed} turns`);
  });

t.test(
  "a section that goes on in the next step keeps its heading; one that ends there is not repeated",
  async (t) => {
    const care = `# Care\n${"Water it. ".repeat(2000)}`;
    const passages = await passagesOf(`${care}\n# End\nlast`);
    t.ok(passages.length > 20);
    t.ok(passages.slice(0, -1).every((passage) => passage.startsWith("# Care\nWater it.")));
    t.equal(passages.at(-1), "# End\nlast");
  },
);

t.test("headings with nothing below them fill the index only so far", async (t) => {
  t.equal((await passagesOf("# a\n".repeat(100_000))).length, MAX_PASSAGES);
});
