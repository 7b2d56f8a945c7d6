import t from "tap";
import { hours, minutes } from "../../../agent-client/clock.js";
import type { ToolResult } from "../../../agent-client/link/tools.js";
import {
  cron,
  cronProblem,
  every,
  PlantTime,
  runRegularly,
  type Schedule,
  WakeLimit,
} from "../../../agent-client/time/schedule.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { millis, seconds, minutes as wallMinutes } from "../../../drivers/units.js";
import { fail, ok } from "../scripted-runtime.js";

const START = Date.parse("2026-06-01T08:00:00.000Z");

/** A runtime whose plant time runs `speed` times as fast as ours. */
class Bench {
  readonly clock = new SimulatedClock();
  readonly stop = new AbortController();
  readonly turns: number[] = [];
  asked = 0;
  offset = 0;
  silent = false;
  /** Wakes the agent. */
  wake: () => void = () => undefined;
  listening = false;

  constructor(private speed: number) {}

  async call(): Promise<ToolResult> {
    this.asked += 1;
    return this.silent ? fail("INTERNAL") : ok({ timestamp: new Date(this.plant()).toISOString() });
  }

  private readonly wakeUps = (listener: () => void) => {
    this.listening = true;
    this.wake = listener;
    return () => {
      this.listening = false;
    };
  };

  plant(): number {
    return START + this.offset + this.clock.monotonic() * this.speed;
  }

  /** Starts a schedule whose turns take `length` of our time. */
  start(schedule: Schedule, length = 0): Promise<unknown> {
    const { clock } = this;
    const plantTime = new PlantTime(this, clock);
    const turn = async () => {
      this.turns.push(Math.round((this.plant() - START) / 1000));
      if (length > 0) await clock.sleep(millis(length));
    };
    return runRegularly(turn, {
      schedule,
      plantTime,
      clock,
      signal: this.stop.signal,
      wakeUps: this.wakeUps,
    }).catch(() => undefined);
  }

  /** Lets our time pass in small steps, so that everything due in between happens. */
  async pass(seconds_: number): Promise<void> {
    await this.clock.advance(millis(0));
    for (let step = 0; step < seconds_ * 10; step += 1) await this.clock.advance(millis(100));
  }
}

t.test("turns follow the plant's time, whatever its speed", async (t) => {
  for (const [speed, real, tolerance] of [
    [1, 5410, 1],
    [60, 91, 60],
    [20, 275, 20],
  ] as const) {
    const bench = new Bench(speed);
    void bench.start(every(minutes(30)));
    await bench.pass(real);
    t.equal(bench.turns.length, 4, `speed ${speed}`);
    const late = bench.turns.map((at, index) => Math.abs(at - index * 1800) - index * tolerance);
    t.ok(Math.max(...late) <= 0, `turns at ${bench.turns.join(", ")} s`);
    t.ok(bench.asked < 120, `asked ${bench.asked} times`);
    bench.stop.abort();
  }
});

t.test("a turn that takes long is not overlapped; the next follows at once", async (t) => {
  const bench = new Bench(60);
  void bench.start(every(minutes(30)), 45_000);
  await bench.pass(80);
  t.strictSame(bench.turns, [0, 2700]);
  bench.stop.abort();
});

t.test("a plant's clock that is set back costs one interval, not the whole step", async (t) => {
  const bench = new Bench(1);
  void bench.start(every(minutes(30)));
  await bench.pass(600);
  bench.offset = -Number(wallMinutes(600));
  await bench.pass(1900);
  t.equal(bench.turns.length, 2);
  bench.stop.abort();
});

t.test("while a runtime cannot tell the time, turns keep their interval by our own clock", async (t) => {
  const bench = new Bench(1);
  bench.silent = true;
  void bench.start(every(minutes(30)));
  await bench.pass(3700);
  t.strictSame(bench.turns, [0, 1800, 3600]);
  t.ok(bench.asked < 800, `asked ${bench.asked} times`);
  bench.wake();
  await bench.pass(100);
  t.equal(bench.turns.length, 4, "and a wake-up brings one");
  bench.stop.abort();
});

t.test(
  "the first answer of a runtime that could not tell the time begins an interval, no turn",
  async (t) => {
    const bench = new Bench(1);
    bench.silent = true;
    void bench.start(every(minutes(30)));
    await bench.pass(600);
    bench.silent = false;
    await bench.pass(1790);
    t.strictSame(bench.turns, [0]);
    await bench.pass(30);
    t.equal(bench.turns.length, 2);
    bench.stop.abort();
  },
);

t.test("a runtime that falls silent between two turns does not stop the care", async (t) => {
  const bench = new Bench(1);
  void bench.start(every(minutes(30)));
  await bench.pass(600);
  bench.silent = true;
  await bench.pass(1300);
  t.strictSame(bench.turns, [0, 1800]);
  bench.stop.abort();
});

t.test("a pattern of hours waits for a runtime that tells the time", async (t) => {
  const bench = new Bench(1);
  bench.silent = true;
  void bench.start(cron("* * * * *"));
  await bench.pass(300);
  t.strictSame(bench.turns, []);
  bench.silent = false;
  await bench.pass(66);
  t.equal(bench.turns.length, 1);
  bench.stop.abort();
});

t.test(
  "wake-ups are listened to after the first turn where that begins at once, else from the start",
  async (t) => {
    const bench = new Bench(1);
    void bench.start(every(minutes(30)), 10_000);
    await bench.pass(5);
    t.notOk(bench.listening);
    await bench.pass(6);
    t.ok(bench.listening);
    bench.stop.abort();
    const later = new Bench(1);
    void later.start(cron("0 9 * * *"));
    await later.pass(1);
    t.ok(later.listening);
    later.stop.abort();
  },
);

t.test("a stop ends the wait, a turn that rejects ends the schedule", async (t) => {
  const bench = new Bench(1);
  const ended = bench.start(every(minutes(30)));
  await bench.clock.advance(seconds(1));
  bench.stop.abort();
  await ended;
  t.equal(bench.turns.length, 1);
  const schedule = {
    schedule: every(minutes(30)),
    plantTime: new PlantTime(bench, bench.clock),
    clock: bench.clock,
    signal: new AbortController().signal,
  };
  await t.rejects(
    runRegularly(() => Promise.reject(new Error("no link")), schedule),
    { message: "no link" },
  );
});

t.test("a wake-up brings a turn at once, and the interval runs from there", async (t) => {
  const bench = new Bench(1);
  void bench.start(every(minutes(30)));
  await bench.pass(600);
  bench.wake();
  await bench.pass(1801);
  t.strictSame(bench.turns, [0, 600, 2400]);
  bench.stop.abort();
});

t.test("however often it is woken, one turn answers, at least a minute after the last began", async (t) => {
  const bench = new Bench(1);
  void bench.start(every(minutes(30)));
  await bench.pass(10);
  for (let n = 0; n < 5; n += 1) bench.wake();
  await bench.pass(40);
  t.strictSame(bench.turns, [0]);
  await bench.pass(500);
  t.strictSame(bench.turns, [0, 60]);
  bench.stop.abort();
});

t.test("a wake-up in the middle of a turn waits for its end, and brings another", async (t) => {
  const bench = new Bench(1);
  void bench.start(every(minutes(30)), 90_000);
  await bench.pass(1830);
  bench.wake();
  await bench.pass(55);
  t.strictSame(bench.turns, [0, 1800], "not overlapped");
  await bench.pass(200);
  t.strictSame(bench.turns, [0, 1800, 1890], "and not doubled");
  bench.stop.abort();
});

t.test("the schedule lets go of its wake-ups when it ends", async (t) => {
  const bench = new Bench(1);
  const ended = bench.start(every(minutes(30)));
  await bench.pass(1);
  t.ok(bench.listening);
  bench.stop.abort();
  await ended;
  t.notOk(bench.listening);
});

t.test("a cron pattern names instants of the plant's time, in UTC, and none before the first", async (t) => {
  const bench = new Bench(60);
  void bench.start(cron("20,50 8 * * *"));
  await bench.pass(25);
  t.equal(bench.turns.length, 1);
  t.ok(Math.abs((bench.turns[0] ?? 0) - 1200) <= 60, `${bench.turns[0]} s after 08:00`);
  await bench.pass(40);
  t.equal(bench.turns.length, 2);
  bench.stop.abort();
});

t.test("between the turns of a cron pattern a wake-up brings one more", async (t) => {
  const bench = new Bench(1);
  void bench.start(cron("0 9 * * *"));
  await bench.pass(1000);
  bench.wake();
  await bench.pass(2700);
  t.strictSame(bench.turns, [1000, 3600]);
  bench.stop.abort();
});

t.test("a pattern that names no instant for years costs no more than a look a day", async (t) => {
  const schedule = cron("0 0 29 2 *");
  const start = Date.parse("2026-06-01T08:00:30.000Z");
  const next = schedule.next(start);
  t.equal(new Date(next).toISOString(), "2026-06-02T08:00:00.000Z");
  t.notOk(schedule.isDue(next));
  t.ok(schedule.isDue(Date.parse("2028-02-29T00:00:00.000Z")));
});

t.test("a pattern of seconds, or of nonsense, is refused with what is wrong", async (t) => {
  t.equal(cronProblem("0 7,19 * * 1-5"), undefined);
  t.equal(cronProblem("*/10 * * * * *"), "it has 6");
  t.match(cronProblem("61 * * * *"), /./);
});
t.test("six due tasks an hour begin a turn, the seventh waits until the first is an hour old", async (t) => {
  const limit = new WakeLimit();
  for (let task = 0; task < 6; task++) t.equal(limit.admits(minutes(task)), true);
  t.equal(limit.admits(minutes(59)), false);
  t.equal(limit.admits(hours(1)), true);
  t.equal(limit.admits(hours(1)), false);
});
