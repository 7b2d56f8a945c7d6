import t from "tap";
import { BenchClock, LeadingClock } from "../../../drivers/bench/bench-clock.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { type EpochMillis, type Millis, millis, minutes, seconds } from "../../../drivers/units.js";

const START = Date.parse("2026-03-01T12:00:00Z") as EpochMillis;

t.test("a bench minute is a real second at speed 60, on both of its clocks", async (t) => {
  const real = new SimulatedClock();
  await real.advance(minutes(7));
  const clock = new BenchClock({ speed: 60, start: START, boot: 3 }, real);
  t.match({ now: clock.now(), mono: clock.monotonic() }, { now: START, mono: 0 });
  await real.advance(seconds(1));
  t.match({ now: clock.now() - START, mono: clock.monotonic() }, { now: 60_000, mono: 60_000 });
  t.match(clock.bootId, /^bench-boot-3-/);
  t.equal(clock.synchronised(), true);
});

t.test("a clock that proves nothing yet is synchronised once its time is over", async (t) => {
  const real = new SimulatedClock();
  const unprovedUntil = (START + minutes(60)) as EpochMillis;
  const clock = new BenchClock({ speed: 60, start: START, boot: 1, unprovedUntil }, real);
  t.equal(clock.synchronised(), false);
  await real.advance(seconds(59));
  t.equal(clock.synchronised(), false);
  await real.advance(seconds(1));
  t.equal(clock.synchronised(), true);
});

t.test("the machine's wall clock may jump, the bench's does not", async (t) => {
  const real = new SimulatedClock();
  const clock = new BenchClock({ speed: 1, start: START, boot: 1 }, real);
  real.stepWall(minutes(-90));
  t.equal(clock.now(), START);
});

t.test("timers and sleeps are scaled, and may be taken back", async (t) => {
  const real = new SimulatedClock();
  const clock = new BenchClock({ speed: 10, start: START, boot: 1 }, real);
  const fired: string[] = [];
  clock.after(seconds(10), () => fired.push("timer"));
  clock.after(seconds(5), () => fired.push("cancelled"))();
  void clock.sleep(seconds(20)).then(() => fired.push("sleep"));
  await real.advance(millis(999));
  t.same(fired, []);
  await real.advance(millis(1));
  t.same(fired, ["timer"]);
  await real.advance(seconds(1));
  t.same(fired, ["timer", "sleep"]);
});

t.test(
  "while a person is waited for it keeps real time; whoever waits for it wakes when that is due",
  async (t) => {
    const real = new SimulatedClock();
    const clock = new BenchClock({ speed: 60, start: START, boot: 1 }, real);
    const fired: string[] = [];
    clock.after(minutes(1), () => fired.push("before"));
    await real.advance(millis(500));
    clock.keepRealTime(true);
    clock.after(minutes(2), () => fired.push("meanwhile"));
    await real.advance(seconds(29));
    t.same([clock.monotonic(), fired], [seconds(59), []]);
    await real.advance(seconds(1));
    t.same(fired, ["before"], "half of its minute went by sixty times as fast");
    clock.keepRealTime(false);
    await real.advance(millis(1500));
    t.same([clock.monotonic(), fired], [minutes(2) + seconds(30), ["before", "meanwhile"]]);
    t.equal(clock.now() - START, clock.monotonic(), "and the wall clock goes with it");
  },
);

t.test("its speed can be changed; what waits falls due by the new one, and no time is lost", async (t) => {
  const real = new SimulatedClock();
  const clock = new BenchClock({ speed: 60, start: START, boot: 1 }, real);
  const fired: string[] = [];
  clock.after(minutes(2), () => fired.push("timer"));
  await real.advance(seconds(1));
  clock.setSpeed(1);
  await real.advance(seconds(59));
  t.same([clock.monotonic(), fired], [minutes(1) + seconds(59), []]);
  await real.advance(seconds(1));
  t.same(fired, ["timer"]);
  t.throws(() => clock.setSpeed(61), { code: "BENCH_OPTION_INVALID" });
  clock.keepRealTime(true);
  clock.setSpeed(30);
  await real.advance(seconds(1));
  t.equal(clock.monotonic(), minutes(2) + seconds(1), "a person who is waited for has real time");
  clock.keepRealTime(false);
  await real.advance(seconds(1));
  t.equal(clock.monotonic(), minutes(2) + seconds(31));
});

t.test("a sleep that is aborted rejects with the reason", async (t) => {
  const clock = new BenchClock({ speed: 60, start: START, boot: 1 });
  const abort = new AbortController();
  const sleep = clock.sleep(minutes(60), abort.signal);
  abort.abort(new Error("enough"));
  await t.rejects(sleep);
});

t.test("a machine whose timers fire early makes no timer of the bench early", async (t) => {
  class HastyClock extends SimulatedClock {
    override after(duration: Millis, fn: () => void) {
      return super.after(millis(duration / 2), fn);
    }
  }
  const real = new HastyClock();
  const clock = new BenchClock({ speed: 10, start: START, boot: 1 }, real);
  const fired: number[] = [];
  clock.after(seconds(10), () => void fired.push(clock.monotonic()));
  void clock.sleep(seconds(10)).then(() => fired.push(clock.monotonic()));
  for (let i = 0; i < 1100; i++) await real.advance(millis(1));
  t.equal(fired.length, 2);
  t.ok(
    fired.every((at) => at >= 10_000 && at < 10_100),
    fired.join(),
  );
});

t.test("in real time no timer fires early, at any speed", async (t) => {
  for (const speed of [1, 7, 60]) {
    const clock = new BenchClock({ speed, start: START, boot: 1 });
    for (const wait of [1, 15, 100, 1000 * Math.sqrt(speed / 60)]) {
      const due = clock.monotonic() + wait;
      await clock.sleep(millis(wait));
      t.ok(clock.monotonic() >= due, `${wait} ms at ${speed}`);
      const [later, fired] = [clock.monotonic() + wait, [] as number[]];
      clock.after(millis(wait), () => fired.push(clock.monotonic()));
      await clock.sleep(millis(wait + 50 * speed));
      t.ok(fired.length === 1 && fired.every((at) => at >= later), `timer of ${wait} ms at ${speed}`);
    }
  }
});

t.test("a speed of 0, less, more than 60, or no number is refused", async (t) => {
  for (const speed of [0, -1, 60.1, Number.NaN, Number.POSITIVE_INFINITY]) {
    t.throws(
      () => new BenchClock({ speed, start: START, boot: 1 }),
      { code: "BENCH_OPTION_INVALID" },
      String(speed),
    );
  }
});

t.test("a leading clock moves by its own sleep, never back, and is caught up unnoticed", async (t) => {
  const followed = new SimulatedClock();
  const clock = new LeadingClock(followed);
  await clock.sleep(millis(9));
  t.match({ mono: clock.monotonic(), ahead: clock.world() - followed.world() }, { mono: 9, ahead: 9 });
  await followed.advance(millis(5));
  t.equal(clock.monotonic(), 9);
  await followed.advance(seconds(1));
  t.match({ mono: clock.monotonic(), ahead: clock.world() - followed.world() }, { mono: 1005, ahead: 0 });
});
