import t from "tap";
import { renderReport } from "../../../../agent-client/harness/report/report.js";
import type { RunResult } from "../../../../agent-client/harness/result.js";
import { after, plantResult, runResult, SCORE } from "./fixture.js";
import { classed, type Element, named, parseStrictly, section, textOf, within } from "./strict-xml.js";

const rendered = (changes: Partial<RunResult> = {}): Element =>
  parseStrictly(renderReport(runResult(changes)));

t.test("a report is a document without a flaw, and the same to the byte each time", async (t) => {
  const page = renderReport(runResult());
  t.equal(parseStrictly(page).name, "html");
  t.equal(renderReport(structuredClone(runResult())), page);
});

t.test("a report asks for nothing from anywhere and runs nothing", async (t) => {
  const page = rendered();
  t.same(
    within(page).filter(({ name }) => /^(script|img|iframe|object|link|use|image)$/.test(name)),
    [{ name: "link", attributes: { rel: "icon", href: "data:," }, children: [] }],
  );
  const names = within(page).flatMap(({ attributes }) => Object.keys(attributes));
  t.same(
    names.filter((name) => name.startsWith("on")),
    [],
  );
  t.notMatch(textOf(named(page, "style")[0] ?? page), /url\(|@import/);
  const policy = named(page, "meta").map(({ attributes }) => attributes.content);
  t.ok(policy.some((content) => content?.startsWith("default-src 'none'")));
});

t.test("ids are unique, and every label refers to one that is there", async (t) => {
  const elements = within(rendered());
  const ids = elements.flatMap(({ attributes }) => attributes.id ?? []);
  t.equal(new Set(ids).size, ids.length);
  const wanted = elements.flatMap(({ attributes }) => attributes["aria-labelledby"]?.split(" ") ?? []);
  t.same(
    wanted.filter((id) => !ids.includes(id)),
    [],
  );
});

t.test("whatever a model, a person, a plant or a scenario says is text", async (t) => {
  const evil = `</p><script>alert("1")</script> & \u0007<b onclick='x'>`;
  const shown = evil.replace("\u0007", "\uFFFD");
  const result = runResult({ model: evil, scenario: { name: evil, title: evil, story: evil } });
  const page = parseStrictly(
    renderReport({
      ...result,
      plants: [{ ...plantResult({ id: evil, name: evil }), species: evil }],
      messages: [{ at: after(1), from: "agent", text: evil }],
      events: [{ at: after(1), by: "person", text: evil }],
      refusals: [{ at: after(1), plant: evil, tool: evil, code: evil, message: evil }],
      cycles: [{ at: after(1), plant: evil, completed: false, reason: evil, rounds: 1, calls: 1, tokens: 1 }],
      score: {
        ...SCORE,
        deductions: [{ why: evil, points: 1 }],
        alarms: [{ trouble: evil, since: after(1), toldAfterHours: 1, dueWithinHours: 1 }],
      },
    }),
  );
  t.same(named(page, "script"), []);
  t.same(
    named(page, "b").filter(({ attributes }) => attributes.onclick),
    [],
  );
  for (const place of ["Score", "What happened", "Alarms", "Care cycles", "Refusals", "Messages"])
    t.match(textOf(section(page, place)), shown, place);
  t.match(textOf(named(page, "header")[0] ?? page), shown);
});

t.test(
  "the verdict says in one sentence who did how well, where, for how long, and who is alive",
  async (t) => {
    const words = (changes: Partial<RunResult>) =>
      textOf(classed(rendered(changes), "verdict")[0] ?? rendered());
    t.equal(
      words({}),
      "caretaker scored 74.2 of 100 in “A summer month away” (seed 7), 30 days, 1 Jun 2026 to 1 Jul 2026: Basil and Fern are alive (Basil began freshly watered, above its good range until dried).",
    );
    const { score, ...fern } = plantResult({ id: "fern", name: "Fern" });
    const plants = [plantResult(), { ...fern, score: { ...score, alive: false } }];
    t.match(words({ plants }), /: Basil is alive, Fern died\.$/);
    t.match(words({ finished: false, end: after(2) }), "(seed 7), stopped after 2 h of 30 days: ");
  },
);

t.test("the score is shown with everything that was deducted, and why", async (t) => {
  const rows = named(section(rendered(), "Score"), "tr").map(textOf);
  t.same(rows, [
    "The plants: mean of their vigour and days in range 81.7",
    "told late that the tank was empty −2.5",
    "never told that the lamp had failed −5.0",
    "Score, of 100 74.2",
  ]);
  const unblemished = rendered({ score: { ...SCORE, deductions: [] } });
  t.match(textOf(section(unblemished, "Score")), "Nothing was deducted.");
});

t.test("alarms say in words whether the person was told in time, late, or never", async (t) => {
  const row = (page: Element) => named(section(page, "Alarms"), "tr").slice(1).map(textOf);
  t.same(row(rendered()), [
    "the probe of Basil was unplugged 11 Jun, 06:00 3.5 h 24 h in time",
    "the tank was empty 17 Jun, 22:00 30 h 24 h 6 h late",
    "the lamp of Fern had failed 22 Jun, 02:00 never 48 h the person was never told",
  ]);
  t.match(row(rendered({ end: after(501) })).at(-1), /not told by the end, and not yet due$/);
});

t.test(
  "refusals are counted by code, the most frequent first, with first, last and an example",
  async (t) => {
    const rows = named(section(rendered(), "Refusals"), "tr").slice(1).map(textOf);
    t.match(rows, [
      /^WATER_LIMIT 3 2 Jun, 13:00 13 Jun, 18:00 dispense_water 20 ml would make 110 ml/,
      /^PROBE_FAULT 1 11 Jun, 07:00 11 Jun, 07:00 read_moisture /,
      /^STATUS_REFUSED 1 /,
    ]);
  },
);

t.test("cycles are counted by plant, and what was missing in the incomplete ones is named", async (t) => {
  const cycles = section(rendered(), "Care cycles");
  t.match(textOf(cycles), "Basil completed: 352 incomplete: 8");
  const rows = named(cycles, "tr").map((row) => textOf(row).replaceAll("\u00A0", " "));
  t.ok(rows.includes("no plant status was recorded 15 3 Jun, 18:00 1 Jul, 04:00"), rows.join("\n"));
  const strokes = classed(cycles, "incomplete").map(({ attributes }) => attributes.d?.split("M").length);
  t.ok(strokes.includes(9), "eight strokes");
});

t.test("messages keep their lines, and events their numbers", async (t) => {
  const page = rendered();
  const said = classed(section(page, "Messages"), "quoted").map(({ children }) => children.join(""));
  t.match(said[0], /^I look after Basil and Fern now/, "no marks of Markdown");
  t.equal(said[2], "Yes:\n  3.5 hours in the evening,\n  after the sun has gone.");
  t.equal(
    textOf(named(section(page, "What happened"), "li")[1] ?? page),
    "2 12 Jun, 05:00 the person: plugged the probe in again",
  );
});

t.test("a run stopped after two hours, in which nothing happened, has a page that says so", async (t) => {
  const page = rendered({
    plants: [plantResult({ hours: 1, watered: false })],
    end: after(2),
    finished: false,
    cycles: [],
    refusals: [],
    messages: [],
    events: [],
    score: { ...SCORE, alarms: [], deductions: [], cycles: 0 },
  });
  for (const words of [
    "No water was given.",
    "Nothing out of the ordinary.",
    "There was no trouble that the person had to be told of.",
    "No cycle was run.",
    "The runtime refused nothing.",
    "Nobody wrote anything.",
  ])
    t.match(textOf(page), words);
});

t.test("plants without a single hour, and a run without plants, break nothing", async (t) => {
  const plant = plantResult({ hours: 0 });
  t.match(textOf(rendered({ plants: [plant], end: after(0), cycles: [], events: [] })), "was never sampled");
  t.match(textOf(rendered({ plants: [] })), "there was no plant");
});

t.test(
  "a year of hours weighs less than 400 kB a plant, also with a probe that fails again and again",
  async (t) => {
    const silent = (hour: number) => hour % 5 === 0;
    const hours = 365 * 24;
    const one = renderReport(
      runResult({
        plants: [plantResult({ hours, silent, arriving: () => 0.5 })],
        end: after(hours),
        days: 365,
      }),
    );
    t.ok(one.length < 400_000, `${one.length} characters`);
  },
);

t.test("the page tells of report.json", async (t) => {
  const links = named(rendered(), "a").map(({ attributes }) => attributes.href);
  t.same(links, ["report.json"]);
});
