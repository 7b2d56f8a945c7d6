import t from "tap";
import { errorOn, firstWatering, REAL_POT, readWeek, SPAN, simulate } from "./real-pot.js";
import { rowsOf } from "./recording.js";

const week = readWeek();
const levels = simulate(week, REAL_POT);
const september = (day: number) => `2025-09-${day}`;
const rowsFrom = (first: number, last: number) => rowsOf(week, september(first), september(last));
const errorFrom = (first: number, last = first) => errorOn(week, levels, rowsFrom(first, last));
const HELD_OUT = [19, 20, 21, 22, 23, 24, 25];

t.test("the recording's range is what the errors are measured by", async (t) => {
  const volts = week.map((moment) => moment.volts);
  t.match([Math.max(...volts), Math.min(...volts)], [SPAN.dry, SPAN.wet]);
});

t.test(
  "the bench's soil dries as a real pot does: within 5 % on every day nothing was fitted to",
  async (t) => {
    for (const day of HELD_OUT) {
      const error = errorFrom(day);
      t.ok(error <= 0.05, `${day} September, held out: ${(100 * error).toFixed(2)} % of the range`);
      t.ok(error <= 0.03, "and no worse than it was when it was fitted");
    }
  },
);

t.test("it takes water as the real pot did, minute by minute, and its dry parts as slowly", async (t) => {
  const [evening, next] = [errorFrom(15), errorFrom(16)];
  t.comment(
    `15 and 16 September: ${(100 * evening).toFixed(2)} and ${(100 * next).toFixed(2)} % of the range`,
  );
  t.ok(evening <= 0.02 && next <= 0.02);
});

t.test("a moist pot that is watered to container capacity stays wet: below 2 % in six hours", async (t) => {
  const noon = Date.parse("2025-09-25T12:00Z") / 60_000;
  const watered = simulate(week, REAL_POT, [...firstWatering(), { minute: noon }]);
  const levelAt = (minute: number) => watered[week.findIndex((row) => row.minute === minute)] ?? Number.NaN;
  const [at, later] = [levelAt(noon), levelAt(noon + 360)];
  t.ok(later > at && later - at < 0.02 * (SPAN.dry - SPAN.wet), `${at} V, six hours on ${later} V`);
});

t.test("begun in the middle of the dry-down, it goes on from the first reading", async (t) => {
  const rest = week.filter(({ day }) => day >= september(22));
  const course = simulate(rest, REAL_POT, []);
  const [first, begun] = [rest[0]?.volts ?? Number.NaN, course[0] ?? Number.NaN];
  t.ok(Math.abs(begun - first) < 0.001, `${begun} V where the pot showed ${first} V`);
  for (const day of [22, 23, 24, 25]) {
    const error = errorOn(rest, course, rowsOf(rest, september(day), september(day)));
    t.ok(error <= 0.03, `${day} September: ${(100 * error).toFixed(2)} % of the range`);
  }
});

t.test("a plain guess does worse: the last day's trend carried on, or no change at all", async (t) => {
  const heldOut = rowsFrom(19, 25);
  const at = (row: number) => week[row] ?? { minute: Number.NaN, volts: Number.NaN };
  const [from, to] = [at(rowsFrom(18, 18)[0] ?? 0), at((heldOut[0] ?? 0) - 1)];
  const slope = (to.volts - from.volts) / (to.minute - from.minute);
  const persistence = week.map(() => to.volts);
  const trend = week.map(({ minute }) => to.volts + slope * (minute - to.minute));
  const error = errorOn(week, levels, heldOut);
  t.ok(error < errorOn(week, persistence, heldOut) / 3 && error < errorOn(week, trend, heldOut) / 3);
});
