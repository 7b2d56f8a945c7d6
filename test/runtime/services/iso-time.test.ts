import fc from "fast-check";
import t from "tap";
import { isoUtc, parseIso } from "../../../runtime/tools/iso-time.js";

t.test("what is printed is read back to the millisecond", async () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), (at) => parseIso(isoUtc(at)) === at),
    { seed: 1 },
  );
});

t.test("every common form is understood, and a naive one is UTC", async (t) => {
  const same = Date.parse("2026-06-01T08:30:00.000Z");
  for (const text of [
    "2026-06-01T08:30:00.000Z",
    "2026-06-01T08:30:00Z",
    "2026-06-01T08:30",
    "2026-06-01 08:30:00",
    "2026-06-01T08:30:00,000",
    "2026-06-01T10:30:00+02:00",
    "2026-06-01T04:00:00-0430",
    "2026-06-01t08:30:00.000000z",
  ]) {
    t.equal(parseIso(text), same, text);
  }
  t.equal(parseIso("2026-06-01"), Date.parse("2026-06-01T00:00:00Z"));
});

t.test("what is no time is not guessed at", async (t) => {
  for (const text of [
    "",
    "yesterday",
    "1717230600",
    "2026-02-30",
    "2026-13-01",
    "2026-06-01T25:00",
    "2026-06-01T08:30+25:00",
    "2026-06-01T08:61Z",
    "06/01/2026",
  ]) {
    t.equal(parseIso(text), undefined, text);
  }
});
