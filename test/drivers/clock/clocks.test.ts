import t from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { SetBackDetector, SystemClock } from "../../../drivers/clock/system-clock.js";
import { type EpochMillis, hours, millis, minutes, seconds } from "../../../drivers/units.js";

t.test(
  "the system's clock: sleeps are real, monotonic time does not go back, the boot has a name",
  async (t) => {
    const clock = new SystemClock();
    const before = clock.monotonic();
    await clock.sleep(millis(30));
    const slept = clock.monotonic() - before;
    t.ok(slept >= 28 && slept < 2000, `slept ${slept} ms`);
    t.match(clock.bootId, /^[0-9a-f-]{36}$/);
    t.equal(new SystemClock().bootId, clock.bootId);
  },
);

t.test("timers longer than Node's 24.8 days wait instead of firing at once", async (t) => {
  const clock = new SystemClock();
  const fired: string[] = [];
  const cancel = clock.after(hours(24 * 30), () => fired.push("timer"));
  const abort = new AbortController();
  const sleep = clock.sleep(hours(24 * 30), abort.signal).catch(() => fired.push("aborted"));
  await clock.sleep(millis(30));
  t.same(fired, []);
  cancel();
  abort.abort();
  await sleep;
  t.same(fired, ["aborted"]);
});

t.test("a sleep of the system's clock that is aborted rejects", async (t) => {
  await t.rejects(new SystemClock().sleep(hours(1), AbortSignal.abort()));
});

t.test(
  "simulated timers fire in order of their due time, at their due time; equals in order of their making",
  async (t) => {
    const clock = new SimulatedClock();
    const fired: Array<[string, number]> = [];
    const note = (name: string) => () => void fired.push([name, clock.monotonic()]);
    clock.after(seconds(3), note("c"));
    clock.after(seconds(1), note("a"));
    clock.after(seconds(3), note("d"));
    clock.after(seconds(1), () => clock.after(seconds(1), note("b, made on the way")));
    const cancel = clock.after(seconds(2), note("cancelled"));
    cancel();
    await clock.advance(seconds(5));
    t.same(fired, [
      ["a", 1000],
      ["b, made on the way", 2000],
      ["c", 3000],
      ["d", 3000],
    ]);
    t.equal(clock.monotonic(), 5000);
  },
);

t.test("simulated wall time moves with monotonic time, and alone when somebody sets it", async (t) => {
  const clock = new SimulatedClock("2026-06-01T08:00:00Z");
  await clock.advance(minutes(5));
  clock.stepWall(hours(-1));
  t.equal(new Date(clock.now()).toISOString(), "2026-06-01T07:05:00.000Z");
  t.equal(clock.monotonic(), minutes(5));
});

t.test(
  "a sleep of the machine is told apart from monotonic time, and the wall clock has gone on",
  async (t) => {
    const clock = new SimulatedClock("2026-06-01T08:00:00Z");
    await clock.advance(minutes(5));
    clock.suspend(hours(3));
    t.equal(clock.monotonic(), minutes(5));
    t.equal(clock.slept(), hours(3));
    t.equal(new Date(clock.now()).toISOString(), "2026-06-01T11:05:00.000Z");
    clock.reboot({ downtime: minutes(1) });
    t.equal(clock.slept(), 0, "it is counted from the boot");
  },
);

t.test("the system's clock takes no time awake for sleep", async (t) => {
  const clock = new SystemClock();
  const before = clock.slept();
  await clock.sleep(millis(50));
  t.ok(Math.abs(clock.slept() - before) < 30, "/proc/uptime has hundredths of a second");
});

t.test(
  "a simulated reboot starts monotonic time anew, under another name, without the old timers",
  async (t) => {
    const clock = new SimulatedClock();
    const [before, boot] = [clock.now(), clock.bootId];
    const fired: string[] = [];
    clock.after(seconds(1), () => void fired.push("from before"));
    clock.reboot({ downtime: minutes(3), synchronised: false });
    await clock.advance(seconds(2));
    t.same(fired, []);
    t.equal(clock.monotonic(), 2000);
    t.equal(clock.now(), before + minutes(3) + 2000);
    t.equal(clock.synchronised(), false);
    t.not(clock.bootId, boot);
  },
);

t.test("a simulated sleep that is aborted rejects with the reason", async (t) => {
  const clock = new SimulatedClock();
  const abort = new AbortController();
  const sleep = clock.sleep(seconds(5), abort.signal);
  abort.abort(new Error("enough"));
  await t.rejects(sleep, { message: "enough" });
  await t.rejects(clock.sleep(seconds(5), abort.signal), { message: "enough" });
});

t.test("a wall clock that was set back is not synchronised any more until the next boot", async (t) => {
  const clock = new SimulatedClock();
  t.ok(clock.synchronised());
  await clock.advance(hours(5));
  clock.stepWall(hours(-1));
  t.notOk(clock.synchronised());
  clock.stepWall(hours(2));
  t.notOk(clock.synchronised(), "also where it is set forward again");
  t.ok(clock.contradicts(), "though the system calls it synchronised");
  clock.reboot({ downtime: minutes(1), synchronised: false });
  clock.stepWall(hours(-1));
  t.notOk(clock.synchronised() || clock.contradicts(), "a clock that nobody has set contradicts nothing");
  clock.reboot({ downtime: minutes(1) });
  t.ok(clock.synchronised() && !clock.contradicts());
});

t.test("a clock set forward, a sleep and a correction below a second are no set back clock", async (t) => {
  const clock = new SimulatedClock();
  for (const change of [
    () => clock.stepWall(hours(3)),
    () => clock.suspend(hours(3)),
    () => clock.stepWall(millis(-900)),
  ]) {
    t.ok(clock.synchronised());
    change();
    await clock.advance(minutes(1));
  }
  t.ok(clock.synchronised());
});

t.test("many small steps back are found as one large one is", async (t) => {
  const setBack = new SetBackDetector();
  const at = (minute: number) =>
    setBack.isSetBack((60_000 * minute - 400 * minute) as EpochMillis, minutes(minute));
  t.same([at(0), at(1), at(2), at(3)], [false, false, false, true]);
});

t.test("what another process of the boot has read tells that the clock was set back", async (t) => {
  const clock = new SimulatedClock();
  const [wall, monotonic] = [clock.now(), clock.monotonic()];
  await clock.advance(hours(1));
  clock.stepWall(minutes(-30));
  t.ok(clock.synchronised(), "nobody has looked before");
  clock.witness(wall, monotonic);
  t.notOk(clock.synchronised());
});
