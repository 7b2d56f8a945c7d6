import t from "tap";
import { type SuiteRow, suiteTable } from "../../../../agent-client/harness/report/summary.js";
import { SCORE } from "./fixture.js";

const run = (name: string, model: string, total: number): SuiteRow => ({
  scenario: { name, title: `The ${name}`, story: "" },
  model,
  score: { ...SCORE, total },
});

const ROWS = [
  run("summer-away", "caretaker", 88.54),
  run("summer-away", "never-water", 12),
  run("leak", "caretaker", 100),
  run("leak", "never-water", 40.25),
];

t.test(
  "a suite on a terminal: scenarios down, models across, columns aligned, means at the end",
  async (t) => {
    t.same(suiteTable(ROWS).split("\n"), [
      "score of 100  caretaker  never-water",
      "────────────────────────────────────",
      "summer-away        88.5         12.0",
      "leak              100.0         40.3",
      "────────────────────────────────────",
      "mean               94.3         26.1",
    ]);
  },
);

t.test("nothing in a name steers the terminal", async (t) => {
  t.notMatch(suiteTable([run("a\u001b[2J\nb", "m\u0007", 1)]), /(?!\n)\p{Cc}/u);
});
