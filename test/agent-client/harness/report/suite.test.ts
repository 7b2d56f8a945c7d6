import t from "tap";
import { renderSuite, type SuiteRow, suiteTable } from "../../../../agent-client/harness/report/suite.js";
import { SCORE } from "./fixture.js";
import { classed, named, parseStrictly, section, textOf } from "./strict-xml.js";

const run = (name: string, model: string, total: number): SuiteRow => ({
  scenario: { name, title: `The ${name}` },
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

t.test("where a model did not run is a dash, and its mean is said to be over fewer", async (t) => {
  const lines = suiteTable(ROWS.slice(0, 3)).split("\n");
  t.match(lines[3], /^leak +100\.0 +–$/);
  t.equal(lines.at(-1), "never-water did not run in every scenario, so its mean is over fewer");
});

t.test("several seeds of one scenario count as their mean", async (t) => {
  const rows = [run("leak", "caretaker", 80), run("leak", "caretaker", 60)];
  t.match(suiteTable(rows), /^leak +70\.0$/m);
});

t.test("a suite of no runs is a table and a page all the same", async (t) => {
  t.match(suiteTable([]), /^score of 100/);
  t.match(textOf(parseStrictly(renderSuite([]))), "0 models in 0 scenarios.");
});

t.test("nothing in a name steers the terminal", async (t) => {
  t.notMatch(suiteTable([run("a\u001b[2J\nb", "m\u0007", 1)]), /(?!\n)\p{Cc}/u);
});

t.test("the page of a suite has the same figures, names the best, and is the same each time", async (t) => {
  const page = parseStrictly(renderSuite(ROWS));
  t.equal(
    textOf(classed(page, "verdict")[0] ?? page),
    "2 models in 2 scenarios: best on the whole is caretaker, with a mean of 94.3.",
  );
  t.same(named(section(page, "Scores"), "tr").map(textOf), [
    "Scenario caretaker never-water",
    "The summer-away 88.5 12.0",
    "The leak 100.0 40.3",
    "Mean 94.3 26.1",
  ]);
  t.equal(named(section(page, "Each run"), "tr").length, 5);
  t.equal(renderSuite(structuredClone(ROWS)), renderSuite(ROWS));
});

t.test("a model that ran in the easy scenario alone is not called the best", async (t) => {
  const page = parseStrictly(renderSuite([...ROWS, run("leak", "lucky", 100)]));
  t.match(textOf(classed(page, "verdict")[0] ?? page), "best on the whole is caretaker");
});

t.test("names of scenarios and models are text on the page", async (t) => {
  const page = parseStrictly(renderSuite([run("<script>", "<i>&", 5)]));
  t.same([...named(page, "script"), ...named(page, "i")], []);
  t.match(textOf(page), "The <script>");
});
