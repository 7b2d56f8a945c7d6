import t from "tap";
import { outcomeLine, waitingLine } from "../../../runtime/cli/approvals.js";
import { wordsFor } from "../../../runtime/cli/messages.js";
import type { Overview } from "../../../runtime/wire/overview.js";
import type { Approval } from "../../../runtime/wire/people.js";

const ASKED: Approval = {
  id: 7,
  plant: "basil",
  words: "pour 20 ml",
  agent: "agent",
  rule: "always",
  expires_at: "2026-06-01T14:40:00.000Z",
  expires_in_s: 300,
  timestamp: "2026-06-01T14:35:00.000Z",
  state: "pending",
  tool: "dispense_water",
  arguments: { ml: 20 },
  answered_at: null,
  answered_by: null,
  reason: null,
  used_at: null,
};
const WAITS = { ...ASKED, expires_in_s: 300 };
const PLANTS = [{ plant: "basil", name: "Basil by the sink" }] as Overview["plants"];
const UTC = wordsFor({ zone: "UTC", plants: PLANTS });
const NOW = "2026-06-01T14:35:00.000Z";
const HEAD = "#7  2026-06-01 14:35  agent wants to pour 20 ml for Basil by the sink: ";

t.test("a list says what became of each request, and of a yes whether it was used", (t) => {
  const table: [Partial<Approval>, string][] = [
    [{ state: "approved", answered_by: "human" }, "approved by human, not used yet"],
    [
      { state: "used", answered_by: "human", used_at: "2026-06-01T14:36:10.000Z" },
      "used 14:36 (approved by human)",
    ],
    [{ state: "expired", answered_by: "human" }, "approved by human, but not used in time"],
    [{ state: "expired", reason: "nobody answered in time" }, "expired (nobody answered in time)"],
    [{ state: "denied", answered_by: "human", reason: "too wet" }, "refused by human (too wet)"],
  ];
  for (const [became, words] of table) t.equal(outcomeLine({ ...ASKED, ...became }, UTC), HEAD + words);
  t.end();
});

t.test("what waits says how far a yes would go", (t) => {
  const scope = "all it pours on basil in this cycle, 45 ml planned";
  t.equal(
    waitingLine({ ...WAITS, scope }, UTC, NOW),
    `agent wants to pour 20 ml for Basil by the sink; an approval is valid for ${scope}: tendril approve 7, or tendril deny 7 (until 14:40 UTC, 5 min left)`,
  );
  t.match(
    waitingLine({ ...ASKED, expires_in_s: 40 }, wordsFor({ zone: "America/Recife", plants: PLANTS }), NOW),
    /until 11:35 America.Recife, 40 s left/,
  );
  t.match(
    waitingLine(WAITS, UTC, NOW),
    /^agent wants to pour 20 ml for Basil by the sink: tendril approve 7/,
  );
  t.match(
    waitingLine({ ...WAITS, after_reading: ["calendar work", "files"] }, UTC, NOW),
    /^agent wants to pour 20 ml for Basil by the sink, after it has read words from outside \(calendar work, files\): /,
  );
  t.end();
});
