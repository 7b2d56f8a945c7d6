import t from "tap";
import {
  linear,
  roundScale,
  roundStep,
  timeScale,
  timeTicks,
} from "../../../../agent-client/harness/report/chart.js";

t.test("a scale maps its ends onto 0 and 1, and the middle onto a half", async (t) => {
  t.same([20, 40, 60].map(linear(20, 60).at), [0, 0.5, 1]);
});

t.test("steps are 1, 2 or 5 times a power of ten", async (t) => {
  t.same([0.03, 0.2, 1, 1.1, 3, 7, 50, 51].map(roundStep), [0.05, 0.2, 1, 2, 5, 10, 50, 100]);
});

t.test("an axis begins and ends on ticks, around all of its values", async (t) => {
  t.same(roundScale([17.3, 23.9], 3).ticks, [15, 20, 25]);
  t.same(roundScale([0, 0.3], 3).ticks, [0, 0.1, 0.2, 0.3]);
  t.match(roundScale([-3, 104], 5).scale, { from: -50, to: 150 });
});

t.test("an axis of one value, and of none, is still an axis", async (t) => {
  t.same(roundScale([7], 2).ticks, [7, 7.5]);
  t.same(roundScale([], 2).ticks, [0, 0.5, 1]);
});

const labels = (start: string, end: string, most: number) =>
  timeTicks(timeScale(start, end), most).map(({ label }) => label);

t.test("hours, days or weeks are marked, whichever gives the most that fit", async (t) => {
  t.same(labels("2026-06-01T06:10:00Z", "2026-06-01T09:00:00Z", 4), ["07:00", "08:00", "09:00"]);
  t.same(labels("2026-06-01T06:00:00Z", "2026-06-02T06:00:00Z", 5), [
    "06:00",
    "12:00",
    "18:00",
    "2 Jun",
    "06:00",
  ]);
  t.same(labels("2026-06-01T00:00:00Z", "2026-06-05T00:00:00Z", 5), [
    "1 Jun",
    "2 Jun",
    "3 Jun",
    "4 Jun",
    "5 Jun",
  ]);
  t.same(labels("2026-06-01T06:00:00Z", "2026-07-01T06:00:00Z", 6), [
    "2 Jun",
    "9 Jun",
    "16 Jun",
    "23 Jun",
    "30 Jun",
  ]);
  t.same(labels("2026-06-15T06:00:00Z", "2027-06-15T06:00:00Z", 6), [
    "16 Jun",
    "15 Sep",
    "15 Dec",
    "16 Mar",
    "15 Jun",
  ]);
});

t.test(
  "no run from two hours to three years has more labels than there is room for, and each has one",
  async (t) => {
    for (let hours = 2; hours < 3 * 8766; hours = Math.ceil(hours * 1.17)) {
      const end = new Date(Date.UTC(2026, 0, 17, 9) + hours * 3_600_000).toISOString();
      const count = labels("2026-01-17T09:00:00Z", end, 16).length;
      t.ok(count >= 1 && count <= 16, `${hours} hours: ${count} labels`);
    }
  },
);

t.test("a run that ended where it began has an axis", async (t) => {
  t.same(labels("2026-06-01T06:00:00Z", "2026-06-01T06:00:00Z", 6), ["06:00", "07:00"]);
});
