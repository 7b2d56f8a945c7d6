import t from "tap";
import { summaryLines } from "../../../../agent-client/harness/report/summary.js";
import { plantResult, runResult, SCORE } from "./fixture.js";

const shown = (lines: readonly string[]) => lines.map((line) => line.replaceAll("\u00A0", " "));

t.test("the end of a run tells score, plants, alarms, refusals, cycles, talk and cost", async (t) => {
  t.same(shown(summaryLines(runResult())), [
    "caretaker scored 74.2 of 100 in “A summer month away” (seed 7), 30 days, 1 Jun",
    "2026 to 1 Jul 2026: Basil and Fern are alive (Basil began freshly watered, above",
    "its good range until dried).",
    "score     74.2 of 100; the plants 81.7",
    "          −2.5 told late that the tank was empty",
    "          −5.0 never told that the lamp had failed",
    "plant  mean vigour  in range   water    need  state",
    "Basil         83.4    76.1 %  812 ml  905 ml  alive",
    "Fern          83.4    76.1 %  812 ml  905 ml  alive",
    "alarms    1 in time, 1 late, 1 never told",
    "refusals  3 WATER_LIMIT, 1 PROBE_FAULT, 1 STATUS_REFUSED",
    "cycles    720, 16 incomplete",
    "talk      5 messages, 1 unanswered",
    "model     6 480 calls, 2 232 000 tokens",
  ]);
});

t.test("columns stay aligned under long names, and nothing in a name steers the terminal", async (t) => {
  const names = ["Fern", "A plant with a very long name indeed", "\u001b[31mRed\nling"];
  const plants = names.map((name, n) => plantResult({ id: `p${n}`, name, hours: 2 }));
  const lines = summaryLines(runResult({ plants }));
  const head = lines.findIndex((line) => line.startsWith("plant "));
  const rows = lines.slice(head, head + 4);
  t.equal(new Set(rows.map((row) => row.length)).size, 1);
  t.notMatch(lines.join(""), /\p{Cc}/u);
});

t.test("a long sentence goes on in lines of 80 columns", async (t) => {
  const scenario = { name: "long", title: "word ".repeat(200), story: "" };
  t.notOk(summaryLines(runResult({ scenario })).some((line) => [...line].length > 80));
});

t.test("a run in which nothing went wrong says so", async (t) => {
  const lines = summaryLines(
    runResult({ refusals: [], score: { ...SCORE, alarms: [], deductions: [], unanswered: 0 } }),
  );
  t.match(lines.join("\n"), /alarms +none were due\nrefusals +none\n/);
});
