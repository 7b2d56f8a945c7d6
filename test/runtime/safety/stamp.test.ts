import t from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { hours, minutes } from "../../../drivers/units.js";
import { elapsed, stampOf } from "../../../runtime/safety/stamp.js";

t.test("within one boot the monotonic clock counts, whatever the wall clock does", async (t) => {
  const clock = new SimulatedClock();
  const from = stampOf(clock);
  clock.stepWall(hours(30));
  await clock.advance(minutes(5));
  clock.stepWall(hours(-90));
  t.same(elapsed(from, stampOf(clock)), { atLeast: minutes(5), certain: true });
});

t.test("across boots the wall clock counts if it was right at both ends", async (t) => {
  const clock = new SimulatedClock();
  const from = stampOf(clock);
  clock.reboot({ downtime: hours(3) });
  t.same(elapsed(from, stampOf(clock)), { atLeast: hours(3), certain: true });
});

t.test("across boots no time is proved if the wall clock was not right at one end", async (t) => {
  const clock = new SimulatedClock();
  const right = stampOf(clock);
  clock.reboot({ downtime: hours(3), synchronised: false });
  const wrong = stampOf(clock);
  t.same(elapsed(right, wrong), { atLeast: 0, certain: false });
  clock.reboot({ downtime: hours(3) });
  t.same(elapsed(wrong, stampOf(clock)), { atLeast: 0, certain: false });
});

t.test("a wall clock that went back across boots proves nothing, and never less than nothing", async (t) => {
  const clock = new SimulatedClock();
  const from = stampOf(clock);
  clock.reboot({ downtime: hours(-3) });
  t.same(elapsed(from, stampOf(clock)), { atLeast: 0, certain: false });
});

t.test("a stamp carries all four readings of its clock", async (t) => {
  const clock = new SimulatedClock("2026-06-01T08:00:00.000Z");
  await clock.advance(minutes(1));
  const wall_ms = Date.parse("2026-06-01T08:01:00.000Z");
  t.same(stampOf(clock), { wall_ms, mono_ms: 60_000, boot: "simulated-boot-1", synced: true });
});
