import t from "tap";
import { HouseClock } from "../../../runtime/web/page/figures.js";
import { type Tap, Taps } from "../../../runtime/web/page/taps.js";

const FIRST: Tap = { at: 1000, x: 100, y: 100, on: "Done: mist", isAct: true };
const second = (tap: Partial<Tap>, first: Partial<Tap> = {}): boolean => {
  const taps = new Taps();
  taps.isSecond({ ...FIRST, ...first });
  return taps.isSecond({ ...FIRST, at: 1200, ...tap });
};

t.test("the second of two near taps acts on nothing: not on what came to lie there, not again", async (t) => {
  t.ok(second({ on: "Done: prune" }), "another task's");
  t.ok(second({ on: "Why", isAct: false, x: 120, y: 130 }), "a panel that moved up");
  t.ok(second({}), "the same that acts");
  t.ok(second({ at: 1399 }));
});

t.test("taps that are two wishes both count", async (t) => {
  t.notOk(second({ at: 1400 }), "later");
  t.notOk(second({ on: "Done: prune", y: 149 }), "elsewhere");
  t.notOk(second({ on: "Earlier", isAct: false }, { on: "Earlier", isAct: false }), "steps through a view");
});

t.test("of three quick taps the third acts on nothing either", async (t) => {
  const taps = new Taps();
  const seen = [1000, 1300, 1600, 2000].map((at) => taps.isSecond({ ...FIRST, at, on: at }));
  t.same(seen, [false, true, true, false]);
});

t.test("a date that is eleven months away or more has its year, in every language", async (t) => {
  const now = Date.parse("2026-11-26T12:00:00Z");
  for (const language of ["en-GB", "de", "es", "pt"]) {
    const clock = new HouseClock("UTC", language);
    clock.now = now;
    for (const near of ["2026-11-26T09:00:00Z", "2027-10-20T09:00:00Z", "2026-01-02T09:00:00Z"])
      for (const form of ["day", "minute", "weekday"] as const)
        t.notMatch(clock[form](Date.parse(near)), /20\d\d/, `${language} ${form} ${near}`);
    for (const far of ["2028-11-26T09:00:00Z", "2126-11-26T09:00:00Z", "2025-11-26T12:00:00Z"]) {
      for (const form of ["day", "minute", "weekday"] as const)
        t.match(clock[form](Date.parse(far)), far.slice(0, 4), `${language} ${form}`);
      t.match(clock.near(Date.parse(far), now), far.slice(0, 4));
      t.equal(clock.clock(Date.parse(far)).length, 5, "a time of day has none");
    }
  }
});
