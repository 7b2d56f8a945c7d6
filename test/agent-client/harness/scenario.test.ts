import { join } from "node:path";
import t, { type Test } from "tap";
import { UsageError } from "../../../agent-client/errors.js";
import { loadScenario, scenarioNames } from "../../../agent-client/harness/scenario.js";
import { nameOf } from "../../../agent-client/harness/troubles.js";
import { SPECIES_NAMES } from "../../../drivers/bench/species.js";

const HEAD = "title: Mine\nstory: What I am afraid of.\nwater_decides: false\n";

/** The message with which a file of one's own is refused, without its folder. */
function refusalOf(t: Test, text: string): string {
  const folder = t.testdir({ "mine.yaml": text });
  try {
    loadScenario(join(folder, "mine.yaml"));
  } catch (error) {
    t.ok(error instanceof UsageError, String(error));
    return error instanceof Error ? error.message.replaceAll(`${folder}/`, "") : "";
  }
  return "nothing was refused";
}

const KINDS = [
  "probe",
  "drift",
  "pump",
  "tank",
  "leak",
  "lamp",
  "camera",
  "room",
  "agent",
  "clock",
  "power cut",
  "message",
  "note",
] as const;

t.test(
  "at least 19 scenarios come along; each loads, and together they use every kind of event",
  async (t) => {
    const scenarios = scenarioNames().map(loadScenario);
    t.ok(scenarios.length >= 19, `${scenarios.length} scenarios`);
    const used = new Set(scenarios.flatMap(({ events }) => events.map(({ what }) => what)));
    t.same([...used].sort(), [...KINDS].sort());
    for (const { name, title, story, plants } of scenarios) {
      t.ok(title.length < 60 && story.length > title.length, `${name} tells what happens`);
      t.ok(
        plants.every((species) => SPECIES_NAMES.includes(species)),
        `${name}: ${plants.join(", ")}`,
      );
    }
  },
);

t.test("every event has words for a report, and they differ", async (t) => {
  const events = scenarioNames().flatMap((name) => loadScenario(name).events);
  for (const event of events) t.match(nameOf(event), /^[a-z].{8,}/, event.what);
});

t.test("an unknown name is refused with the known ones, and how to name a file", async (t) => {
  const refused = () => loadScenario("stedy-month");
  t.throws(refused, UsageError);
  t.throws(refused, /no scenario "stedy-month"; known: a-persons-wish, .*steady-month.*\.yaml/);
  t.throws(() => loadScenario("../scenarios/steady-month"), /no scenario/, "a name is no path");
});

t.test("a file of one's own is named by its path, and defaults fill what it leaves out", async (t) => {
  const folder = t.testdir({
    "my-fear.yml": `${HEAD}events:\n  - { day: 1.5, what: room, temperature: 5 }\n`,
  });
  t.match(loadScenario(join(folder, "my-fear.yml")), {
    name: "my-fear",
    days: 14,
    plants: ["basil"],
    hydration: 100,
    repair_after_hours: 8,
    events: [{ day: 1.5, what: "room", temperature: 5, humidity: 0, daylight: 1 }],
  });
  t.throws(() => loadScenario(join(folder, "none.yaml")), /none\.yaml: cannot be read \(ENOENT\)/);
});

const MISTAKES: readonly [string, string, RegExp][] = [
  ["an unknown key", `${HEAD}dayz: 3\n`, /^mine\.yaml:4: dayz: unknown key; did you mean days\?$/],
  ["a key missing", "title: Mine\nwater_decides: true\n", /^mine\.yaml: story: /],
  ["negative days", `${HEAD}days: -3\n`, /^mine\.yaml:4: days: .*\(got -3\)$/],
  ["half a day", `${HEAD}days: 1.5\n`, /^mine\.yaml:4: days: .*\(got 1\.5\)$/],
  ["no plants", `${HEAD}plants: []\n`, /^mine\.yaml:4: plants: /],
  [
    "a species nobody knows",
    `${HEAD}plants:\n  - basil\n  - tulip\n`,
    /^mine\.yaml:6: plants\[1\]: no such species; known: .*basil.*"tulip"/,
  ],
  ["a time that is none", `${HEAD}start: tomorrow\n`, /^mine\.yaml:4: start: .*"tomorrow"/],
  [
    "an event nobody knows",
    `${HEAD}events:\n  - day: 1\n    what: flood\n`,
    /^mine\.yaml:6: events\[0\]\.what: /,
  ],
  [
    "an event's unknown key",
    `${HEAD}events:\n  - day: 1\n    what: clock\n    hours: 3\n    days: 1\n`,
    /^mine\.yaml:8: events\[0\]\.days: unknown key; did you mean day\?$/,
  ],
  [
    "a state that a probe has not",
    `${HEAD}events:\n  - day: 1\n    what: probe\n    is: sad\n`,
    /^mine\.yaml:7: events\[0\]\.is: .*unplugged.*"sad"/,
  ],
  [
    "an alarm without words",
    `${HEAD}events:\n  - day: 1\n    what: lamp\n    is: dead\n    alarm: { words: [], within_hours: 3 }\n`,
    /^mine\.yaml:8: events\[0\]\.alarm\.words: /,
  ],
  [
    "an event after the last day",
    `${HEAD}days: 3\nevents:\n  - { what: clock, hours: 1, day: 4 }\n`,
    /^mine\.yaml:6: events\[0\]\.day: is after the last of 3 days \(got 4\)$/,
  ],
  [
    "an event for a plant nobody has",
    `${HEAD}events:\n  - { day: 1, what: lamp, is: dead, plant: 1 }\n`,
    /^mine\.yaml:5: events\[0\]\.plant: there are 1, counted from 0 \(got 1\)$/,
  ],
  ["a list", "- title\n", /^mine\.yaml:1: the file: /],
  ["nothing at all", "", /^mine\.yaml(:1)?: title: /],
  ["broken YAML", `${HEAD}plants: [basil\n`, /^mine\.yaml:5: a ] is missing/],
];
for (const [what, text, message] of MISTAKES) {
  t.test(`in a file of one's own, ${what} is refused by line and key`, async (t) =>
    t.match(refusalOf(t, text), message),
  );
}

t.test("several mistakes are told at once", async (t) => {
  t.match(refusalOf(t, `${HEAD}days: 0\nhydration: 101\n`).split("\n"), [/:4: days/, /:5: hydration/]);
});
