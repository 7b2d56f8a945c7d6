import t from "tap";
import { harmless } from "../../../runtime/cli/print.js";

t.test("what an agent writes cannot steer the person's terminal", async (t) => {
  t.equal(
    harmless("\u001b[2J\u001b]0;title\u0007 you\r#9  agent\u009b31m"),
    "\ufffd[2J\ufffd]0;title\ufffd you\ufffd#9  agent\ufffd31m",
  );
  t.equal(harmless("two\nlines, ümlaut 🌱"), "two\nlines, ümlaut 🌱");
});
