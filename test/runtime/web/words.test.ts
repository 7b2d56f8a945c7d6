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
  { kind: "probe", code: "PROBE_STUCK", since: AT },
  { kind: "budget", left: 9 },
  { kind: "wet", percent: 60, limit: 55 },
  { kind: "dose_refused", count: 1, at: AT, ml: 20, reason: "the soil is wet" },
  { kind: "dose_refused", count: 3, at: AT, ml: 20, reason: "the soil is wet" },
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
  }
});

t.test("a recurrence is told in words, and one that the page cannot read as it is", async (t) => {
  const told = (rule: string, language = "en") => recurrenceInWords(rule, wordsFor([language]));
  t.equal(told("FREQ=DAILY;INTERVAL=2;BYHOUR=18;BYMINUTE=30"), "every 2 days at 18:30");
  t.equal(told("FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=7", "de"), "jede Woche am Montag und Freitag um 07:00");
  t.equal(told("FREQ=MONTHLY;BYMONTHDAY=1,-1", "es"), "cada mes el día 1 y último");
  t.equal(told("FREQ=HOURLY;BYSETPOS=3"), "FREQ=HOURLY;BYSETPOS=3");
});
