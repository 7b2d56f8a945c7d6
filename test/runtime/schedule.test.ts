import { createTask } from "node-cron";
import t from "tap";
import { SimulatedClock } from "../../drivers/clock/simulated-clock.js";
import { hours, minutes, seconds } from "../../drivers/units.js";
import { onSchedule } from "../../runtime/schedule.js";
import { cronMatcher, cronProblem } from "../../runtime/wire/cron.js";

const runsOf = (pattern: string, clock: SimulatedClock) => {
  const runs: string[] = [];
  const cancel = onSchedule(
    pattern,
    clock,
    async () => void runs.push(new Date(clock.now()).toISOString().slice(11, 19)),
  );
  return { runs, cancel };
};

t.test("a pattern runs at the instants it names, in UTC, on simulated time", async (t) => {
  const clock = new SimulatedClock("2026-06-01T08:00:30.000Z");
  const { runs, cancel } = runsOf("*/20 8,9 * * *", clock);
  await clock.advance(hours(3));
  t.same(runs, ["08:20:00", "08:40:00", "09:00:00", "09:20:00", "09:40:00"]);
  cancel();
  await clock.advance(hours(24));
  t.equal(runs.length, 5, "and not after it was cancelled");
});

t.test("patterns with seconds run within the minute", async (t) => {
  const clock = new SimulatedClock("2026-06-01T08:00:00.000Z");
  const { runs, cancel } = runsOf("*/20 * * * * *", clock);
  await clock.advance(minutes(1));
  t.same(runs, ["08:00:20", "08:00:40", "08:01:00"]);
  cancel();
});

t.test(
  "a wall clock that is set back or forward neither stops the rounds nor doubles an instant",
  async (t) => {
    const clock = new SimulatedClock("2026-06-01T08:00:00.000Z");
    const { runs, cancel } = runsOf("* * * * *", clock);
    await clock.advance(minutes(2));
    clock.stepWall(hours(-5));
    await clock.advance(minutes(2));
    clock.stepWall(hours(10));
    await clock.advance(minutes(2));
    t.ok(runs.length >= 5, runs.join(" "));
    cancel();
  },
);

t.test("a run that takes longer than its interval is not doubled", async (t) => {
  const clock = new SimulatedClock("2026-06-01T08:00:00.000Z");
  let [running, most] = [0, 0];
  const cancel = onSchedule("* * * * *", clock, async () => {
    running += 1;
    most = Math.max(most, running);
    await clock.sleep(seconds(150));
    running -= 1;
  });
  await clock.advance(minutes(10));
  t.equal(most, 1);
  cancel();
});

t.test("a pattern names the instants that node-cron says, in every zone", async (t) => {
  const patterns = [
    ...["* * * * *", "*/20 8,9 * * *", "0 7 * * 1-5", "30 2 * * 7", "0 0 1,15 jan-jun *", "45 5 29 2 *"],
    ...["0 12 L * *", "0 9 * * 5L", "0 9 * * mon#1", "15 * * * * *", "0 0 * * sun"],
  ];
  const start = Date.UTC(2026, 0, 1);
  for (const pattern of patterns)
    for (const zone of ["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns"]) {
      const matches = cronMatcher(pattern, zone);
      const task = createTask(pattern, () => undefined, { timezone: zone });
      const instants = Array.from({ length: 4000 }, (_, n) => start + n * 15 * 60_000 * 9 + (n % 3) * 5000);
      const wrong = instants.filter((at) => matches(at) !== task.match(new Date(at)));
      t.same(wrong, [], `${pattern} in ${zone}`);
    }
  t.throws(() => cronMatcher("61 * * * *"));
});

t.test("what is no pattern is told apart", async (t) => {
  t.equal(cronProblem("* * * * *"), undefined);
  t.type(cronProblem("61 * * * *"), "string");
});
