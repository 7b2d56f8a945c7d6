import t from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { hours, minutes } from "../../../drivers/units.js";
import { elapsed, ProvenAges, type Stamp, stampOf } from "../../../runtime/safety/stamp.js";

t.test("within one boot the monotonic clock counts, whatever the wall clock does", async (t) => {
  const clock = new SimulatedClock();
  await clock.advance(minutes(3));
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

/** A clock whose boots are marked, and a record of the first of them; `age` is what can be proved now. */
function recorded() {
  const clock = new SimulatedClock();
  const marks: { stamp: Stamp; mark: true }[] = [];
  const mark = () => marks.push({ stamp: stampOf(clock), mark: true });
  mark();
  const record = stampOf(clock);
  const age = (of: Stamp = record) => new ProvenAges([...marks, { stamp: of }], stampOf(clock)).of(of);
  return { clock, mark, age };
}

t.test("a boot whose clock was never right takes nothing from what the boots around it prove", async (t) => {
  const { clock, mark, age } = recorded();
  clock.reboot({ downtime: hours(10), synchronised: false });
  mark();
  await clock.advance(hours(1));
  clock.reboot({ downtime: hours(10) });
  mark();
  t.equal(age(), hours(21));
  t.equal(age(stampOf(clock)), 0, "what was stamped just now has no age");
});

t.test("a clock that is set right half an hour after the boot proves the time from then back", async (t) => {
  const { clock, mark, age } = recorded();
  clock.reboot({ downtime: hours(10), synchronised: false });
  mark();
  await clock.advance(minutes(30));
  t.equal(age(), minutes(30), "before that, the time since the boot");
  clock.synchronise();
  mark();
  await clock.advance(hours(2));
  t.equal(age(), hours(12.5));
});

t.test(
  "a record of a boot that is not marked is as old as what is known of the present boot, and no older",
  async (t) => {
    const { clock, mark, age } = recorded();
    await clock.advance(hours(5));
    clock.reboot({ downtime: hours(1), synchronised: false });
    const unmarked = stampOf(clock);
    clock.reboot({ downtime: hours(1), synchronised: false });
    await clock.advance(hours(1));
    mark();
    await clock.advance(hours(2));
    t.equal(age(unmarked), hours(2));
  },
);

t.test("once a clock that claims to be right has gone back, no wall time proves anything", async (t) => {
  const { clock, mark, age } = recorded();
  clock.reboot({ downtime: hours(-10) });
  mark();
  clock.reboot({ downtime: hours(1) });
  const unmarked = stampOf(clock);
  clock.reboot({ downtime: hours(20) });
  mark();
  await clock.advance(hours(2));
  t.equal(age(unmarked), hours(2));
  t.equal(age(), hours(2));
});
