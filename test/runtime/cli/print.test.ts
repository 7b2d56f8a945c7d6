import t from "tap";
import { outcomeLine, waitingLine } from "../../../runtime/cli/approvals.js";
import { wordsFor } from "../../../runtime/cli/messages.js";
import { fitting, folded } from "../../../runtime/cli/print.js";
import { readOverview } from "../../../runtime/cli/remote.js";
import { describe } from "../../../runtime/cli/status.js";
import { harmless, inLine } from "../../../runtime/log.js";
import { rigFor } from "../../rig.js";

const HOUSE = wordsFor({ zone: "UTC", plants: [] });

t.test("what an agent writes cannot steer the person's terminal", async (t) => {
  t.equal(
    harmless("\u001b[2J\u001b]0;title\u0007 you\r#9  agent\u009b31m"),
    "\ufffd[2J\ufffd]0;title\ufffd you\ufffd#9  agent\ufffd31m",
  );
  t.equal(
    harmless("\u202elm 02\u202c \u2066a\u2069\u200b\u2028b"),
    "\ufffdlm 02\ufffd \ufffda\ufffd\ufffd\ufffdb",
  );
  t.equal(harmless("👩‍🌾 ümlaut, नमस्ते"), "👩‍🌾 ümlaut, नमस्ते");
  t.equal(harmless("two\nlines, ümlaut 🌱"), "two\nlines, ümlaut 🌱");
});

t.test("what stands within a line cannot begin one of its own", async (t) => {
  t.equal(inLine("holiday\n! tank empty\u202e"), "holiday\\n! tank empty\ufffd");
  const asked = {
    id: 7,
    agent: "agent",
    instance: "pi\u202e",
    words: "pour 20 ml",
    plant: "basil\n? boo",
  } as const;
  const line = waitingLine({ ...asked, expires_in_s: 60 }, HOUSE, "2026-06-01T07:59:00.000Z");
  t.match(line, "agent (pi\ufffd) wants to pour 20 ml for basil\\n? boo: tendril approve 7");
  const refused = {
    timestamp: "2026-06-01T08:00:00.000Z",
    state: "denied",
    answered_by: "human",
    used_at: null,
  } as const;
  const past = outcomeLine({ ...asked, ...refused, reason: "no\n#8  yes" }, HOUSE);
  t.notMatch(past, "\n");
});

t.test("status shows names and reasons of others within their lines", async (t) => {
  const rig = await rigFor(t, { config: 'plants: [{ id: basil, name: "Ba\\nsil\\u202E" }]' });
  await rig.get("set_hold", { hold: true, reason: "holiday\n\u001b[2Jall is well" }, { as: "human" });
  const overview = await rig.get("get_overview", {}, { as: "human" });
  const lines = describe(readOverview(overview)).split("\n");
  t.ok(lines.includes("Ba\\nsil\ufffd (basil)"), lines.join("|"));
  t.ok(
    lines.some((line) => line.includes("holiday\\n\ufffd[2Jall is well")),
    lines.join("|"),
  );
});

t.test("a line is broken between words, what goes on stands beneath its text", async (t) => {
  t.equal(folded("1 of 3  Dry. Wipe the probe", 20), "1 of 3  Dry. Wipe\n        the probe");
  t.equal(folded("  dry    2.713 V, steady", 19), "  dry    2.713 V,\n         steady");
  t.equal(folded("short\nas it is", 20), "short\nas it is");
  t.equal(folded("/a/path/that/has/no/gap and more", 10), "/a/path/that/has/no/gap and more");
  t.equal(
    folded("\u001b[31m  dry    2.713 V, steady\u001b[39m", 19),
    "\u001b[31m  dry    2.713 V,\n         steady\u001b[39m",
    "a color has no width",
  );
});

t.test("no word is cut at the edge of a terminal, and elsewhere lines stay as they are", (t) => {
  const text = "agent (vm) no longer cares for basil";
  t.equal(fitting({ isTTY: true, columns: 20 }, text), "agent (vm) no longer\ncares for basil");
  t.equal(fitting({ columns: 20 }, text), text);
  t.end();
});
