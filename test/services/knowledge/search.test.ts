import t from "tap";
import { passagesOf } from "../../../runtime/services/knowledge/passages.js";
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

t.test("passages are short, lose nothing, and begin with their heading", (t) => {
  const paragraph = (n: number) => `Sentence ${n} of the text. `.repeat(30).trim();
  const text = `Before.\n\n# Care\n${paragraph(1)}\n\n${paragraph(2)}\n\n## Water\r\n${"word ".repeat(500)}\n${"字".repeat(1500)}`;
  const passages = passagesOf(text);
  t.ok(passages.every((passage) => passage.length <= 1000 && passage.trim() === passage && passage !== ""));
  t.equal(passages[0], "Before.");
  t.ok(passages.slice(1).every((passage) => /^#{1,2} (Care|Water)\n/.test(passage)));
  const letters = (all: string) => all.replaceAll(/#+ (Care|Water)|\s/g, "");
  t.equal(passages.map(letters).join(""), letters(text));
  t.same(passagesOf(""), []);
  t.same(passagesOf(" \n\n "), []);
  t.same(passagesOf("# Only a heading"), ["# Only a heading"]);
  t.same(
    passagesOf(`# ${"long ".repeat(400)}\nbody`)
      .join(" ")
      .includes("body"),
    true,
  );
  t.same(passagesOf("👩‍🌾".repeat(600)).join(""), "👩‍🌾".repeat(600), "no character is cut in two");
  t.end();
});
