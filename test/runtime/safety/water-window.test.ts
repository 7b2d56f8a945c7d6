import t from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { hours, millis, minutes, seconds } from "../../../drivers/units.js";
import { type Stamp, stampOf } from "../../../runtime/safety/stamp.js";
import {
  admitDose,
  poured24h,
  pruneWaterEvents,
  type WaterEvent,
} from "../../../runtime/safety/water-window.js";

const doses = (clock: SimulatedClock, n: number, ml: number): WaterEvent[] =>
  Array.from({ length: n }, () => ({ stamp: stampOf(clock), charged: ml }));

t.test("500 ml are admitted to the last millilitre, and not one more", async (t) => {
  const clock = new SimulatedClock();
  const events = doses(clock, 19, 25);
  const now = stampOf(clock);
  t.same(admitDose({ ml: 25, events, now }), { admitted: true, remaining: 0 });
  const full = [...events, ...doses(clock, 1, 25)];
  t.match(admitDose({ ml: 10, events: full, now }), { admitted: false, used: 500, remaining: 0 });
});

t.test("a dose that does not fit is refused whole, with what is left and when it will fit", async (t) => {
  const clock = new SimulatedClock();
  const first = doses(clock, 1, 15);
  await clock.advance(hours(1));
  const events = [...first, ...doses(clock, 19, 25)];
  await clock.advance(hours(2));
  const answer = admitDose({ ml: 20, events, now: stampOf(clock) });
  t.same(answer, { admitted: false, used: 490, remaining: 10, retryAfter: 21 * 3600 });
  await clock.advance(hours(21));
  t.same(admitDose({ ml: 20, events, now: stampOf(clock) }), { admitted: true, remaining: 5 });
});

t.test(
  "a dose fits once as much as is too much has left the window, the oldest first, and no sooner",
  async (t) => {
    const clock = new SimulatedClock();
    const poured: Record<string, WaterEvent[]> = {};
    for (const [name, ml] of Object.entries({ older: 100, over: 7, first: 200, second: 150, third: 150 })) {
      poured[name] = doses(clock, 1, ml);
      await clock.advance(hours(1));
    }
    await clock.advance(hours(20)); // the first is 23 h old now, what came before it 24 and 25
    const { older = [], over = [], first = [], second = [], third = [] } = poured;
    const events = [...third, ...older, ...second, ...over, ...first];
    const now = stampOf(clock);
    t.equal(poured24h(events, now), 500);
    t.match(admitDose({ ml: 200, events, now }), { admitted: false, retryAfter: 3600 }, "the first alone");
    t.match(admitDose({ ml: 201, events, now }), { admitted: false, retryAfter: 2 * 3600 }, "two of them");
    t.match(admitDose({ ml: 351, events, now }), { admitted: false, retryAfter: 3 * 3600 }, "all");
  },
);

t.test("a millisecond before its retryAfter a dose is still refused", async (t) => {
  const clock = new SimulatedClock();
  const events = doses(clock, 20, 25);
  await clock.advance(hours(24));
  t.equal(poured24h(events, stampOf(clock)), 0);
  const justBefore = { ...stampOf(clock), mono_ms: clock.monotonic() - 1 };
  t.equal(poured24h(events, justBefore), 500);
  t.match(admitDose({ ml: 10, events, now: justBefore }), { admitted: false, retryAfter: 1 });
});

t.test("a dose above the limit is never promised", async (t) => {
  const now = stampOf(new SimulatedClock());
  const answer = admitDose({ ml: 25, events: [], now, limit: 20 });
  t.same(answer, { admitted: false, used: 0, remaining: 20, retryAfter: Number.POSITIVE_INFINITY });
});

t.test("a step of the wall clock, forward or back, neither refills nor spends the budget", async (t) => {
  const clock = new SimulatedClock();
  const events = doses(clock, 20, 25);
  clock.stepWall(hours(48));
  t.equal(poured24h(events, stampOf(clock)), 500);
  clock.stepWall(hours(-96));
  await clock.advance(hours(24));
  t.equal(poured24h(events, stampOf(clock)), 0);
});

t.test("a machine without a right clock gets its water back after 24 hours of running", async (t) => {
  const clock = new SimulatedClock();
  const events = doses(clock, 20, 25);
  clock.reboot({ downtime: hours(400), synchronised: false });
  t.equal(poured24h(events, stampOf(clock)), 500);
  const anchored = [...events, { stamp: stampOf(clock), charged: 0, mark: true }];
  await clock.advance(hours(24));
  t.equal(poured24h(anchored, stampOf(clock)), 0);
});

t.test("downtime counts once the clock is right again, though the boot began without it", async (t) => {
  const clock = new SimulatedClock();
  const events = doses(clock, 20, 25);
  clock.reboot({ downtime: hours(30), synchronised: false });
  const atBoot = { stamp: stampOf(clock), charged: 0, mark: true };
  await clock.advance(minutes(1));
  const now = { ...stampOf(clock), synced: true };
  t.equal(poured24h([...events, atBoot], now), 0);
});

t.test("a dose without an end counts until its longest possible pulse is 24 hours old", async (t) => {
  const clock = new SimulatedClock();
  const events = [{ stamp: stampOf(clock), charged: 25, unfinished: true }];
  await clock.advance(hours(24));
  t.equal(poured24h(events, stampOf(clock)), 25);
  await clock.advance(seconds(30));
  t.equal(poured24h(events, stampOf(clock)), 0);
});

t.test("pruning drops what can never count again and keeps the rest", async (t) => {
  const clock = new SimulatedClock();
  const old = doses(clock, 3, 25);
  await clock.advance(hours(20));
  const young = doses(clock, 2, 10);
  await clock.advance(hours(4));
  t.same(pruneWaterEvents([...old, ...young], stampOf(clock)), young);
  await clock.advance(hours(20));
  t.same(pruneWaterEvents([...old, ...young], stampOf(clock)), []);
});

t.test("an event inside a dose, a mark or another plant's, does not age the dose", async (t) => {
  const at = (mono_ms: number, boot = "b"): Stamp => ({ wall_ms: mono_ms, mono_ms, boot, synced: true });
  const dose = { stamp: at(26_000), charged: 500 };
  const mark = { stamp: at(1_000), charged: 0, mark: true };
  const almost = at(26_000 + hours(24) - 1);
  t.equal(poured24h([dose, mark], almost), 500, "as the journal has them: the dose began first");
  t.equal(pruneWaterEvents([dose, mark], almost).length, 2);
  t.equal(poured24h([dose, mark], at(26_000 + hours(24))), 0);
});

t.test(
  "a dose that a restart settled makes no older dose look older, whatever line of the old boot follows it",
  async (t) => {
    const clock = new SimulatedClock();
    const poured = { stamp: stampOf(clock), charged: 475 };
    const open = { stamp: stampOf(clock), charged: 10 };
    const marked = { stamp: stampOf(clock), charged: 0, mark: true };
    clock.reboot({ downtime: hours(12.5), synchronised: true });
    const restarted = { stamp: stampOf(clock), charged: 0, mark: true };
    const settled = { ...open, stamp: stampOf(clock) };
    await clock.advance(minutes(10));
    const now = stampOf(clock);
    t.equal(poured24h([poured, settled, marked, restarted], now), 485, "the hourly mark falls in the dose");
    const other = { stamp: marked.stamp, charged: 10 };
    t.equal(poured24h([poured, settled, other, marked, restarted], now), 495, "or another plant's dose");
    await clock.advance(millis(hours(11.5) - minutes(10)));
    t.equal(
      poured24h([poured, settled, marked, restarted], stampOf(clock)),
      10,
      "and it counts no longer than a day",
    );
  },
);

t.test("a boot whose mark is missing is older than this one, and no more is known of it", async (t) => {
  const clock = new SimulatedClock();
  const dose = { stamp: { ...stampOf(clock), boot: "unmarked", synced: false }, charged: 25 };
  await clock.advance(hours(30));
  clock.reboot({ downtime: hours(1), synchronised: true });
  const mark = { stamp: stampOf(clock), charged: 0, mark: true };
  await clock.advance(hours(23));
  t.equal(poured24h([dose, mark], stampOf(clock)), 25);
  await clock.advance(hours(1));
  t.equal(poured24h([dose, mark], stampOf(clock)), 0);
});

t.test("a clock that says it is right and goes back proves nothing, whatever it says later", async (t) => {
  const boot = (name: string, wall: number): Stamp => ({
    wall_ms: wall,
    mono_ms: 1000,
    boot: name,
    synced: true,
  });
  const [first, back, again] = [boot("a", hours(100)), boot("b", hours(70)), boot("c", hours(100.3))];
  const marks = [first, back, again].map((stamp) => ({ stamp, charged: 0, mark: true }));
  const events = [marks[0], { stamp: first, charged: 500 }, marks[1], marks[2]].filter(
    (each) => each !== undefined,
  );
  t.equal(poured24h(events, again), 500, "a boot 30 hours behind, then one that is right");
  const later = { ...again, mono_ms: 1000 + hours(24), wall_ms: again.wall_ms + hours(24) };
  t.equal(poured24h(events, later), 0, "a day of running is a day");
});
