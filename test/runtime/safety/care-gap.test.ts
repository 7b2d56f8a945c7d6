import fc from "fast-check";
import t from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { hours, type Millis, minutes } from "../../../drivers/units.js";
import { careAt, countCareGap, isOverdue, momentOf, toldOf } from "../../../runtime/safety/care-gap.js";

/** A plant that is cared for at the start; `count` counts as the runtime does every hour. */
function watched() {
  const clock = new SimulatedClock("2026-06-01T08:00:00.000Z");
  let gap = careAt(momentOf(clock));
  const count = () => {
    gap = countCareGap(gap, momentOf(clock));
    return gap.ms;
  };
  const pass = async (time: Millis) => {
    await clock.advance(time);
    return count();
  };
  const care = () => {
    gap = careAt(momentOf(clock));
  };
  return { clock, count, pass, care, gap: () => gap };
}

t.test("time without care is what has passed, however often it is counted", async (t) => {
  const { pass, count } = watched();
  for (let hour = 1; hour <= 40; hour += 1) t.equal(await pass(hours(1)), hours(hour));
  t.equal(count(), hours(40), "at the same moment once more");
});

t.test("a step of the wall clock by 30 hours, in either direction, is no time and hides none", async (t) => {
  for (const step of [30, -30]) {
    const { clock, pass, count } = watched();
    await pass(hours(10));
    clock.stepWall(hours(step));
    t.equal(count(), hours(10), `${step} h`);
    t.equal(await pass(hours(30)), hours(40));
  }
});

t.test("a sleep of the machine counts", async (t) => {
  const { clock, pass, count } = watched();
  await pass(hours(1));
  clock.suspend(hours(20));
  t.equal(count(), hours(21));
  clock.stepWall(hours(-30));
  t.equal(await pass(hours(1)), hours(22), "whatever the wall clock does after it");
});

t.test("the time across a reboot counts once the wall clock is right again, also hours later", async (t) => {
  const { clock, pass, count } = watched();
  await pass(hours(5));
  clock.reboot({ downtime: hours(20), synchronised: true });
  t.equal(count(), hours(25), "right from the start");
  clock.reboot({ downtime: hours(20), synchronised: false });
  t.equal(count(), hours(25), "not known to be right");
  t.equal(await pass(hours(3)), hours(28));
  clock.synchronise();
  t.equal(count(), hours(48), "set right by the network after three hours");
});

t.test("a care after a reboot is not made older when the clock is set right", async (t) => {
  const { clock, pass, care, count } = watched();
  await pass(hours(5));
  clock.reboot({ downtime: hours(20), synchronised: false });
  await pass(hours(1));
  care();
  await pass(hours(2));
  clock.synchronise();
  t.equal(count(), hours(2));
});

t.test(
  "reboots with a clock that is never right lose what lies between count and boot, no more",
  async (t) => {
    const { clock, pass, count } = watched();
    for (let boot = 0; boot < 12; boot += 1) {
      for (let hour = 0; hour < 3; hour += 1) await pass(hours(1));
      await clock.advance(minutes(30));
      clock.reboot({ downtime: hours(6), synchronised: false });
      count();
    }
    t.equal(count(), hours(36));
  },
);

t.test("a clock that was set to the past between two boots takes nothing away", async (t) => {
  const { clock, pass, count } = watched();
  await pass(hours(40));
  clock.stepWall(hours(-30));
  clock.reboot({ downtime: minutes(1), synchronised: true });
  t.equal(count(), hours(40));
});

t.test("each period is told of once; many at a time are told of as one", async (t) => {
  const clock = new SimulatedClock();
  const period = hours(36);
  let gap = careAt(momentOf(clock));
  const told: number[] = [];
  for (let hour = 1; hour <= 110; hour += 1) {
    await clock.advance(hours(1));
    gap = countCareGap(gap, momentOf(clock));
    if (!isOverdue(gap, period)) continue;
    told.push(hour);
    gap = toldOf(gap, period);
  }
  t.same(told, [36, 72, 108]);
  await clock.advance(hours(500));
  gap = toldOf(countCareGap(gap, momentOf(clock)), period);
  t.equal(isOverdue(gap, period), false);
});

type Step = (clock: SimulatedClock, house: { stepped: boolean }) => unknown;

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.nat(600).map(
    (n): Step =>
      (clock) =>
        clock.advance(minutes(n)),
  ),
  fc.nat(600).map(
    (n): Step =>
      (clock) =>
        clock.suspend(minutes(n)),
  ),
  // a clock that was set wrong is not right after a boot, whatever says so
  fc.tuple(fc.nat(600), fc.boolean()).map(
    ([n, right]): Step =>
      (clock, { stepped }) => {
        clock.reboot({ downtime: minutes(n), synchronised: right && !stepped });
      },
  ),
  fc.integer({ min: -9999, max: 9999 }).map(
    (n): Step =>
      (clock, house) => {
        house.stepped = true;
        clock.stepWall(minutes(n));
      },
  ),
);

t.test("whatever the clocks do, never more time is counted than has truly passed", async (t) => {
  const run = async (steps: readonly Step[]) => {
    const { clock, count } = watched();
    const start = clock.world();
    const house = { stepped: false };
    for (const each of steps) {
      await each(clock, house);
      if (count() > clock.world() - start) return false;
    }
    return true;
  };
  await t.resolves(fc.assert(fc.asyncProperty(fc.array(step), run), { seed: 7, numRuns: 150 }));
});
