import t from "tap";
import { folded, harmless } from "../../../runtime/cli/print.js";

t.test("what an agent writes cannot steer the person's terminal", async (t) => {
  t.equal(
    harmless("\u001b[2J\u001b]0;title\u0007 you\r#9  agent\u009b31m"),
    "\ufffd[2J\ufffd]0;title\ufffd you\ufffd#9  agent\ufffd31m",
  );
  t.equal(harmless("two\nlines, ümlaut 🌱"), "two\nlines, ümlaut 🌱");
});

t.test("a line is broken between words, what goes on stands beneath its text", async (t) => {
  t.equal(folded("1 of 3  Dry. Wipe the probe", 20), "1 of 3  Dry. Wipe\n        the probe");
  t.equal(folded("  dry    2.713 V, steady", 19), "  dry    2.713 V,\n         steady");
  t.equal(folded("short\nas it is", 20), "short\nas it is");
  t.equal(folded("/a/path/that/has/no/gap and more", 10), "/a/path/that/has/no/gap and more");
});
