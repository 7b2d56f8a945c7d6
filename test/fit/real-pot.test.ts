import t from "tap";
import { days, REAL_POT, readWeek, rmse, SPAN, simulate } from "./real-pot.js";

const week = readWeek();
const levels = simulate(week, REAL_POT);
/** Root mean square error as a share of the range that the recording covers. */
const errorOn = (first: number, last: number) =>
  rmse(week, levels, days(week, first, last)) / (SPAN.dry - SPAN.wet);

t.test("the recording's range is what the errors are measured by", async (t) => {
  const volts = week.map((moment) => moment.volts);
  t.match([Math.max(...volts), Math.min(...volts)], [SPAN.dry, SPAN.wet]);
});

t.test(
  "the bench's soil dries as a real pot does: within 5 % on three days that nothing was fitted to",
  async (t) => {
    const error = errorOn(19, 21);
    t.comment(`19–21 September, held out: ${(100 * error).toFixed(2)} % of the range`);
    t.ok(error <= 0.05);
    t.ok(error <= 0.02, "and no worse than it was when it was fitted");
  },
);

t.test("it takes water as the real pot did, minute by minute, and drains as that did", async (t) => {
  const error = errorOn(15, 15);
  t.comment(`the watering, 15 September: ${(100 * error).toFixed(2)} % of the range`);
  t.ok(error <= 0.02);
});

t.test("a plain guess does worse: the last day's trend carried on, or no change at all", async (t) => {
  const heldOut = days(week, 19, 21);
  const at = (row: number) => week[row] ?? { minute: Number.NaN, volts: Number.NaN };
  const [from, to] = [at(days(week, 18, 18)[0] ?? 0), at((heldOut[0] ?? 0) - 1)];
  const slope = (to.volts - from.volts) / (to.minute - from.minute);
  const persistence = week.map(() => to.volts);
  const trend = week.map(({ minute }) => to.volts + slope * (minute - to.minute));
  const error = rmse(week, levels, heldOut);
  t.ok(error < rmse(week, persistence, heldOut) / 3 && error < rmse(week, trend, heldOut) / 3);
});
