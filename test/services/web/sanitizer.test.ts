import t from "tap";
import { Sanitizer } from "../../../runtime/services/web/sanitizer.js";
import { measured, words } from "./measure.js";
import { NAMES } from "./sanitizer-set.js";

const clean = (query: string) => new Sanitizer().clean(query, NAMES);

t.test("on the set of our own: 19 of 20 private things are removed, and hardly anything else", async (t) => {
  const { precision, recall, wrong } = measured();
  t.comment(words());
  t.ok(recall >= 0.95, `recall ${recall}: ${JSON.stringify(wrong)}`);
  t.ok(precision >= 0.95, `precision ${precision}: ${JSON.stringify(wrong)}`);
});

t.test("Aloe Vera is a plant and no person; a plant's own name is the house's", async (t) => {
  t.same(clean("Aloe Vera brown tips"), { text: "Aloe Vera brown tips", removed: [] });
  t.match(clean("Fernando brown tips"), { text: "brown tips", removed: [{ kind: "plant" }] });
});

t.test(
  "case, accents, hyphens, signs that do not show and letters of another width hide no name",
  async (t) => {
    for (const name of [
      "anna",
      "ANNA",
      "Ánna",
      "Ａｎｎａ",
      "anna\u200b",
      "an\u200bna",
      "an\u00adna",
      "anna’s",
    ])
      t.same(
        clean(`fern of ${name}`).removed.map(({ kind }) => kind),
        ["person"],
        name,
      );
    t.same(clean("annatto and bandana colours").removed, [], "a name inside of a word is none");
  },
);

t.test("what was removed is only in a hash: equal for equal things, another in each run", async (t) => {
  const sanitizer = new Sanitizer();
  const hashes = (query: string) => sanitizer.clean(query, NAMES).removed.map(({ hash }) => hash);
  t.same(hashes("call +49 30 901820"), hashes("+49 30 901820 who"));
  t.notSame(
    hashes("call +49 30 901820"),
    clean("call +49 30 901820").removed.map(({ hash }) => hash),
  );
  t.notMatch(JSON.stringify(sanitizer.clean("mail anna@example.com", NAMES)), /anna|example/);
});

t.test("no query takes long, whatever it is made of", async (t) => {
  for (const piece of [
    "a",
    "a ",
    "1 ",
    "0",
    "1-",
    "a.",
    "A1",
    "via X ",
    "* ",
    "@",
    "12:00 ",
    "Xa ",
    "my son ",
  ]) {
    const began = process.hrtime.bigint();
    clean(piece.repeat(300 / piece.length));
    const ms = Number(process.hrtime.bigint() - began) / 1e6;
    t.ok(ms < 500, `${JSON.stringify(piece)}: ${Math.round(ms)} ms`);
  }
});
