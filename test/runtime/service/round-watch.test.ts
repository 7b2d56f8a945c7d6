import t from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { hours, minutes } from "../../../drivers/units.js";
import { untilNext } from "../../../runtime/schedule.js";
import { RoundWatch } from "../../../runtime/service/service-manager.js";

t.test(
  "a round is late when the schedule's next instant and two minutes have passed without its end",
  async (t) => {
    const clock = new SimulatedClock("2026-06-01T08:00:30.000Z");
    const watch = new RoundWatch("*/20 * * * *", clock);
    await clock.advance(minutes(21));
    t.notOk(watch.isLate(), "due at 8:20, late after 8:22");
    await clock.advance(minutes(2));
    t.ok(watch.isLate());
    await watch.watched(async () => undefined)();
    t.notOk(watch.isLate());
  },
);

t.test("a round that hangs is late, and one that fails is too", async (t) => {
  const clock = new SimulatedClock();
  const watch = new RoundWatch("* * * * *", clock);
  void watch.watched(() => new Promise(() => undefined))();
  await t.rejects(watch.watched(() => Promise.reject(new Error("no")))());
  await clock.advance(minutes(4));
  t.ok(watch.isLate());
});

t.test("a wall clock that is set makes no round late", async (t) => {
  const clock = new SimulatedClock();
  const watch = new RoundWatch("* * * * *", clock);
  clock.stepWall(hours(5000));
  t.notOk(watch.isLate());
});

t.test("the next instant of a sparse pattern is looked for no further than asked", async (t) => {
  const clock = new SimulatedClock("2026-06-01T08:00:30.000Z");
  t.equal(untilNext("* * * * *", clock.now(), hours(24)), 30_000);
  t.equal(untilNext("15 * * * * *", clock.now(), hours(24)), 45_000);
  t.equal(untilNext("0 0 1 1 *", clock.now(), hours(24)), hours(24));
});
