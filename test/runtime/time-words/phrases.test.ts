import { readFileSync } from "node:fs";
import t from "tap";
import { TendrilError } from "../../../runtime/errors.js";
import { type TimeCandidate, understandTime } from "../../../runtime/time-words/understand.js";
import { WallZone } from "../../../runtime/time-words/wall-time.js";

interface Line {
  readonly phrase: string;
  readonly expected: string;
}

interface Section {
  readonly now: number;
  readonly zone: string;
  readonly lines: readonly Line[];
}

/** "2026-11-18 10:20" of an instant, or with seconds where there are some. */
function local(at: string, zone: WallZone): string {
  const text = new Date(zone.wallOf(Date.parse(at) / 1000) * 1000).toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, text.slice(16, 19) === ":00" ? 16 : 19)}`;
}

function sectionsOf(text: string): readonly Section[] {
  const [, ...sections] = text.split(/^@ (?=\d{4}-)/m);
  return sections.map((section) => {
    const [head = "", ...lines] = section.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    const [now = "", zone = ""] = head.split(" ");
    const [instant = 0] = new WallZone(zone).instantsOf(Date.parse(`${now}Z`) / 1000);
    const parted = lines.map((line) => line.split(/ = (?=\d{4}-|past$|no$|ambiguous )/));
    return {
      now: instant * 1000,
      zone,
      lines: parted.map(([phrase = "", expected = ""]) => ({ phrase, expected })),
    };
  });
}

/** The answer in the notation of the table. Of an ambiguous one the candidates' instants. */
function answer(phrase: string, { now, zone }: Section): string {
  const found = understandTime(phrase, { now, zone });
  const wall = new WallZone(zone);
  if (!(found instanceof TendrilError)) return `${local(found.at, wall)} ${found.recurrence ?? ""}`.trim();
  if (found.code === "TIME_PAST") return "past";
  if (found.code !== "TIME_AMBIGUOUS") return "no";
  const candidates = found.particulars.details?.candidates as readonly TimeCandidate[];
  return `ambiguous ${candidates.map(({ at }) => local(at, wall)).join(", ")}`;
}

/** Enough where a rule is tried, not each phrase. */
const everyFifth = (_: unknown, index: number): boolean => index % 5 === 0;

const sections = sectionsOf(readFileSync("test/fixtures/time-words.txt", "utf8"));

t.test("each phrase of the table means what was worked out by hand", async (t) => {
  t.ok(sections.flatMap(({ lines }) => lines).length > 400, "the table is read whole");
  for (const section of sections)
    for (const { phrase, expected } of section.lines)
      t.equal(answer(phrase, section), expected, `${phrase} (${section.zone})`);
});

t.test("what the words say, said again, gives the same instants; also those of candidates", async (t) => {
  for (const { now, zone, lines } of sections)
    for (const { phrase } of lines) {
      const found = understandTime(phrase, { now, zone });
      if (!(found instanceof TendrilError)) {
        t.match(
          understandTime(found.words, { now, zone }),
          { at: found.at, recurrence: found.recurrence, next: found.next },
          found.words,
        );
        continue;
      }
      for (const { at, recurrence, words } of (found.particulars.details?.candidates ??
        []) as TimeCandidate[])
        t.match(understandTime(words, { now, zone }), { at, recurrence }, words);
    }
});

t.test("capitals, more spaces and a full stop change nothing", async (t) => {
  for (const section of sections)
    for (const { phrase, expected } of section.lines.filter(everyFifth))
      t.equal(answer(`  ${phrase.toUpperCase().replaceAll(" ", "   ")}.`, section), expected, phrase);
});

t.test("a word more than a time is refused, wherever it stands", async (t) => {
  for (const section of sections)
    for (const { phrase } of section.lines.filter(everyFifth))
      for (const more of [`basil ${phrase}`, `${phrase} basil`, phrase.replace(" ", " basil ")])
        if (more.includes("basil")) t.equal(answer(more, section), "no", more);
});

t.test("what people say often and what fixes no time is refused with words that do", async (t) => {
  const here = { now: Date.parse("2026-11-18T10:20:00Z"), zone: "UTC" };
  const often = [
    "monday to friday",
    "tuesday to thursday at 7",
    ...[
      "twice a day",
      "three times a week",
      "by friday",
      "before friday at 5",
      "no later than friday",
      "within 2 hours",
    ],
    ...[
      "every day at 8am until friday",
      "from 8 to 10",
      "between 8 and 10 tomorrow",
      "in 2-3 hours",
      "in a few hours",
    ],
    ...[
      "in a while",
      "in an hour or two",
      "every few days",
      "every second tuesday",
      "biweekly",
      "half 5",
      "at sunset",
    ],
    ...["soon", "next year", "end of every month", "at the beginning of the month", "end of the day"],
    ...["saturday or sunday at 9", "tomorrow at 8am from monday", "from tomorrow"],
    ...["el fin de semana", "la semana que viene", "a fin de mes", "dos veces al día", "antes del viernes"],
    ...[
      "hasta el viernes",
      "en unas horas",
      "en un rato",
      "cada tercer día",
      "mañana temprano",
      "mañana más tarde",
    ],
    ...["lunes y jueves a las 9", "mañana o el viernes", "mañana a primera hora"],
    "friday to monday",
    "mon, wed and fri at 6pm",
    "in the morning",
    "later",
    "later today",
    "first thing tomorrow",
    "first thing in the morning",
    "this weekend",
    "next week",
    "this week",
    "next month",
    "this month",
    "end of the month",
    "at the end of next month",
    "by the end of next week",
  ];
  for (const phrase of often) {
    const refusal = understandTime(phrase, here);
    if (!(refusal instanceof TendrilError)) return t.fail(`${phrase} is ${refusal.words}`);
    const clear = [...refusal.message.matchAll(/"(.+?)"/g)].map(([, words = ""]) => words).slice(1);
    t.ok(clear.length > 0, refusal.message);
    for (const words of clear) t.not(understandTime(words, here) instanceof TendrilError, true, words);
  }
});

t.test("every second, third or fourth weekday is offered as both of its meanings, of that day", async (t) => {
  const here = { now: Date.parse("2026-11-18T10:20:00Z"), zone: "UTC" };
  const found = (phrase: string) => {
    const refusal = understandTime(phrase, here);
    if (!(refusal instanceof TendrilError)) throw new Error(`${phrase} is ${refusal.words}`);
    const { candidates } = refusal.particulars.details as { candidates: readonly TimeCandidate[] };
    return { message: refusal.message, rules: candidates.map(({ recurrence }) => recurrence) };
  };
  t.match(found("every second thursday at 8"), {
    message: /"every other Thursday" and "every 2nd Thursday of the month".*use the words of the one/,
    rules: [
      "FREQ=WEEKLY;INTERVAL=2;BYDAY=TH;BYHOUR=8;BYMINUTE=0",
      "FREQ=MONTHLY;BYDAY=2TH;BYHOUR=8;BYMINUTE=0",
    ],
  });
  t.match(found("every 3rd monday"), {
    message: /"every 3 weeks on Monday" and "every 3rd Monday of the month"/,
    rules: [/WEEKLY;INTERVAL=3;BYDAY=MO/, /MONTHLY;BYDAY=3MO/],
  });
});

t.test("what no clock shows is said to be no time of day", async (t) => {
  for (const [phrase, clock] of [
    ["at 25:00", "25:00"],
    ["tomorrow at 8:75", "8:75"],
    ["at 13:00 am", "13:00 am"],
  ] as const)
    t.match(understandTime(phrase, { now: 0, zone: "UTC" }), {
      code: "TIME_NOT_UNDERSTOOD",
      message: new RegExp(`${clock} is no time of day`),
    });
});

t.test("a word that the program's language knows is a word as any other", async (t) => {
  for (const word of ["constructor", "tomorrow constructor"])
    t.match(understandTime(word, { now: 0, zone: "UTC" }), { message: /nothing is known of "constructor"/ });
});
