import t from "tap";
import { wordsFor } from "../../../runtime/web/page/languages.js";
import { recurrenceInWords } from "../../../runtime/web/page/recurrence.js";
import type { WaterReason } from "../../../runtime/wire/why-water.js";

const LANGUAGES = ["en", "de", "es", "pt"];
const AT = "2026-06-02T08:00:00.000Z";

const REASONS: readonly WaterReason[] = [
  { kind: "watered", ml: 20, doses: 1, last: AT, by: "agent", isPerson: false, because: "dry" },
  { kind: "watered", ml: 20, doses: 2, last: AT, by: "human", isPerson: true, because: null },
  { kind: "watered", ml: 20, doses: 2, last: AT, by: "agent", isPerson: false, because: null },
  { kind: "hold", since: AT, by: "human", reason: "holiday" },
  { kind: "fault", code: "LEAK", since: AT, reason: "wet" },
  { kind: "held", count: 1, at: AT, by: "human", reason: "holiday" },
  { kind: "locked", count: 1, at: AT, code: "LEAK", reason: "wet" },
  { kind: "held", count: 2, at: AT, by: "human", reason: "holiday" },
  { kind: "locked", count: 2, at: AT, code: "LEAK", reason: "wet" },
  { kind: "probe", code: "PROBE_STUCK", since: AT },
  { kind: "budget", left: 9 },
  { kind: "wet", percent: 60, limit: 55 },
  { kind: "dose_refused", count: 1, at: AT, ml: 20, code: "SOIL_WET", reason: "the soil is wet" },
  { kind: "dose_refused", count: 3, at: AT, ml: 20, code: "SOIL_WET", reason: "the soil is wet" },
  { kind: "refused", count: 1, at: AT, reason: "wrong" },
  { kind: "decided", count: 2, at: AT, reasoning: "moist" },
  { kind: "unfinished", at: AT, ml: 20 },
  { kind: "waiting", words: "pour 20 ml" },
  { kind: "nobody" },
];

t.test("the first language that the page has is taken, and English if it has none", async (t) => {
  const taken = (...languages: (string | undefined)[]) => wordsFor(languages).language;
  t.equal(taken("pt-BR", "de"), "pt");
  t.equal(taken(undefined, "fr-FR", "de-AT", "en"), "de");
  t.equal(taken("fr"), "en-GB");
  t.equal(taken(), "en-GB");
});

t.test("every reason has words in every language, with its figures, and no word is missing", async (t) => {
  for (const language of LANGUAGES) {
    const words = wordsFor([language]);
    for (const reason of REASONS)
      t.notMatch(
        words.reason(reason, () => "08:00"),
        /undefined|null|NaN|^$/,
        `${language} ${reason.kind}`,
      );
    t.match(words.reason({ kind: "budget", left: 9 }, String), /9 ml/, language);
    for (const of of REASONS.filter((reason) => "count" in reason && reason.count > 1))
      t.match(
        words.reason(of, () => "08:00"),
        /[23]/,
        `${language} ${of.kind}: how often`,
      );
  }
});

t.test("a recurrence is told in words, and one that the page cannot read as it is", async (t) => {
  const told = (rule: string, language = "en") => recurrenceInWords(rule, wordsFor([language]));
  t.equal(told("FREQ=DAILY;INTERVAL=2;BYHOUR=18;BYMINUTE=30"), "every 2 days at 18:30");
  t.equal(told("FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=7", "de"), "jede Woche am Montag und Freitag um 07:00");
  t.equal(told("FREQ=MONTHLY;BYMONTHDAY=1,-1", "es"), "cada mes el día 1 y último");
  t.equal(told("FREQ=HOURLY;BYSETPOS=3"), "FREQ=HOURLY;BYSETPOS=3");
});

t.test(
  "what waits for a yes is told in the reader's language; what is not shown stays as the runtime says it",
  async (t) => {
    const asked = (tool: string, args: object, words = "as it is said in English") => ({
      tool,
      arguments: { ...args },
      words,
      scope: "all light of Basil in this cycle, 30 min planned",
    });
    const water = asked("dispense_water", { ml: 15 });
    const told = (language: string) => wordsFor([language]).wish(water);
    t.same(["en", "de", "es", "pt"].map(told), [water.words, "15 ml gießen", "regar 15 ml", "regar 15 ml"]);
    for (const language of ["de", "es", "pt"]) {
      const { wish, scope, reasons } = wordsFor([language]);
      const all = [
        wish(asked("turn_on_light", { minutes: 30 })),
        wish(asked("pause_agents", { paused: true })),
        wish(asked("pause_agents", { paused: false })),
        wish(asked("sendEmail", { to: "a@b.c", subject: "S", body: "x".repeat(301) })),
      ];
      t.equal(new Set(all).size, 4);
      for (const each of all) t.notMatch(each, /English|undefined/);
      t.match(all[3], /a@b.c.*S.*x{300}… \(301/);
      t.equal(wish(asked("sendEmail", {})), "as it is said in English", "another person's mail");
      t.equal(wish(asked("weld", { a: 1 })), "as it is said in English");
      t.notMatch(scope(asked("turn_on_light", {}), "Basil"), /planned|English/);
      t.match(scope(asked("weld", {}), "Basil"), /30 min planned/);
      t.notMatch(reasons["switched off on the page"], /undefined|page/);
    }
  },
);
