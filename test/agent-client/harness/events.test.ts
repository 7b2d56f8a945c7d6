import t from "tap";
import { verdict } from "../../../agent-client/harness/report/summary.js";
import type { RunResult } from "../../../agent-client/harness/result.js";
import { dayOf, happened, plantOf, scenario, simulated } from "./short-run.js";

const alarm = (...words: string[]) => ({ words, within_hours: 24 });
const withEvents = (events: readonly object[], more: object = {}) => scenario({ events, ...more });

/** What was true of the plant, leaving out what anybody measured or did. */
const truth = (result: RunResult) => {
  const { hourly, doses } = plantOf(result);
  return { moisture: hourly.moisture, vigour: hourly.vigour, doses };
};

t.test("events happen when they should, to the minute, and are told in the order of time", async (t) => {
  const events = [
    { day: 1.25, what: "lamp", is: "ok" },
    { day: 0.01, what: "lamp", is: "dead" },
    { day: 1.9999, what: "room", temperature: -2 },
  ];
  t.same(happened(await simulated({ scenario: withEvents(events) })), [
    "0.01 the lamp is dead",
    "1.25 the lamp is ok",
    "2 the room: −2 K, +0 % humidity, daylight × 1",
  ]);
});

t.test("what a scenario has in store for later days is told, and what has happened is not", async (t) => {
  const events = [
    { day: 0.5, what: "lamp", is: "dead" },
    { day: 1, what: "leak", is: "wet" },
    { day: 1.5, what: "leak", is: "dry" },
    { day: 9, what: "power cut", minutes: 3 },
  ];
  const short = await simulated({ scenario: withEvents(events), model: "none", days: 1 });
  const missed = "the leak sensor is dry (day 1.5); the power goes for 3 min (day 9)";
  t.ok(verdict(short).endsWith(` Not reached in 1 day: ${missed}.`), verdict(short));
  const whole = await simulated({ scenario: withEvents(events.slice(0, 2)), model: "none", days: 1 });
  t.notMatch(verdict(whole), /Not reached/);
});

t.test("a wall clock that jumps moves neither plants nor budget", async (t) => {
  const jumps = [
    { day: 0.4, what: "clock", hours: 36 },
    { day: 1.4, what: "clock", hours: -60 },
    { day: 2.1, what: "clock", hours: 24 },
  ];
  const run = (events: readonly object[]) =>
    simulated({ scenario: withEvents(events), model: "always-water", days: 3 });
  const [steady, jumpy] = [await run([]), await run(jumps)];
  t.same(truth(jumpy), truth(steady));
  t.ok(truth(steady).doses.length >= 3);
  t.equal(jumpy.end, steady.end, "and a report keeps true time");
});

t.test("while the agent is away nobody cares; then it comes again", async (t) => {
  const away = [
    { day: 0.5, what: "agent", is: "away" },
    { day: 1.5, what: "agent", is: "back" },
  ];
  const { cycles, start } = await simulated({ scenario: withEvents(away) });
  t.same(
    cycles.map(({ at }) => dayOf(at, start)).filter((day) => day > 0.4 && day < 1.6),
    [1.5],
    "at the very instant an event comes before care",
  );
});

t.test("an agent that is away is the runtime's news to the person, who mends nothing for it", async (t) => {
  const away = [
    { day: 0.5, what: "agent", is: "away" },
    { day: 4, what: "agent", is: "back" },
  ];
  const result = await simulated({ scenario: withEvents(away), days: 6 });
  const news = result.messages.filter(({ text }) => text.startsWith("Nobody has cared for Basil1 for"));
  t.same(
    news.map(({ from, at }) => [from, dayOf(at, result.start)]),
    [
      ["runtime", 1.792],
      ["runtime", 3.292],
    ],
    "at the first hour after 36 hours without care, and 36 hours later",
  );
  t.same(happened(result), ["0.5 the agent is away", "4 the agent is back"]);
  t.same(result.score.alarms, []);
  t.notOk(result.score.deductions.some(({ why }) => why.includes("messages")));
});

t.test("a probe without its cable reads nothing until the person, told of it, plugs it in", async (t) => {
  const unplugged = { day: 0.5, what: "probe", is: "unplugged", alarm: alarm("probe", "sensor") };
  const result = await simulated({ scenario: withEvents([unplugged]) });
  const [began, mended, ...more] = happened(result);
  t.same(began, "0.5 the probe is unplugged");
  t.match(mended, /mends: the probe is unplugged$/);
  t.same(more, []);
  const { at, reading } = plantOf(result).hourly;
  const silent = at.filter((_, hour) => reading[hour] === null).map((each) => dayOf(each, result.start));
  t.equal(silent[0], 0.5);
  const [told] = result.score.alarms;
  const repaired = 0.5 + ((told?.toldAfterHours ?? 0) + 8) / 24;
  t.ok(Math.abs(Number(mended?.split(" ")[0]) - repaired) < 0.01, "eight hours after it was told");
  t.ok((silent.at(-1) ?? 0) < repaired + 0.01, "and from then on it reads");
});

const POURS_IN_VAIN = [
  ["tube off", "the tube is off"],
  ["clogged", "the pump is clogged"],
] as const;
for (const [is, words] of POURS_IN_VAIN) {
  t.test(`with the pump ${is} no dose arrives; mended and unlocked, they arrive again`, async (t) => {
    const broken = { day: 0.2, what: "pump", is, alarm: alarm("tube", "pump", "tank") };
    const result = await simulated({ scenario: withEvents([broken], { hydration: 42 }), days: 4 });
    const { doses } = plantOf(result);
    const mended = happened(result).find((each) => each.endsWith(`mends: ${words}`));
    const until = Number(mended?.split(" ")[0]);
    const [vain, after] = [
      [0.2, until],
      [until, 9],
    ].map(([from = 0, to = 0]) =>
      doses.filter(({ at }) => dayOf(at, result.start) > from && dayOf(at, result.start) < to),
    );
    t.ok(vain && vain.length > 0 && vain.every(({ arrived }) => arrived === 0), `${vain?.length} in vain`);
    t.ok(
      after && after.length > 0 && after.every(({ arrived }) => arrived > 0),
      `${after?.length} after that`,
    );
  });
}

t.test(
  "a leak is told of at once, no dose comes before it is mended, and then water flows again",
  async (t) => {
    const leak = { day: 0.3, what: "leak", is: "wet", alarm: alarm("leak") };
    const result = await simulated({ scenario: withEvents([leak], { hydration: 42 }), days: 4 });
    t.match(result.score.alarms, [{ trouble: "the leak sensor is wet" }]);
    t.ok((result.score.alarms[0]?.toldAfterHours ?? 99) <= 1, "within the hour in which the person reads");
    const until = Number(
      happened(result)
        .find((each) => each.endsWith("mends: the leak sensor is wet"))
        ?.split(" ")[0],
    );
    const days = plantOf(result).doses.map(({ at }) => dayOf(at, result.start));
    t.same(
      days.filter((day) => day > 0.3 && day < until),
      [],
    );
    t.ok(
      days.some((day) => day > until),
      `${days.length} doses in all`,
    );
  },
);

t.test("a message that is answered costs nothing; nobody answers for a fool", async (t) => {
  const written = withEvents([{ day: 0.3, what: "message", text: "Is everything well?" }]);
  const answered = await simulated({ scenario: written });
  t.equal(answered.score.unanswered, 0);
  t.match(answered.messages[0], { from: "person", text: "Is everything well?" });
  t.ok(answered.messages.some(({ from }) => from === "agent"));
  t.equal((await simulated({ scenario: written, model: "never-water" })).score.unanswered, 1);
});

t.test("a reply to the person is no alarm, whatever words it holds", async (t) => {
  const events = [
    { day: 0.3, what: "message", text: "How is the camera, and the lamp?" },
    { day: 0.1, what: "lamp", is: "dead", alarm: { words: ["is"], within_hours: 240 } },
  ];
  const { messages, score } = await simulated({ scenario: withEvents(events), days: 1 });
  t.ok(
    messages.some(({ from, text }) => from === "agent" && text.includes("is")),
    "it replied with that word",
  );
  t.match(score.alarms, [{ toldAfterHours: null }]);
});

t.test("what an earlier agent left in the notes is there for the next", async (t) => {
  const prompts: string[] = [];
  const note = { day: 0, what: "note", text: "The left pot leaks." };
  await simulated(
    { scenario: withEvents([note]), days: 1 },
    {
      model: {
        name: "reader",
        async respond([, opening]) {
          prompts.push(opening?.content ?? "");
          return { toolCalls: [] };
        },
      },
    },
  );
  t.match(prompts[0], "The left pot leaks.");
});
