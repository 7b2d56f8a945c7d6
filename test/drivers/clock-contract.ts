import type { Test } from "tap";
import type { Clock } from "../../drivers/ports.js";
import { hours, type Millis, millis } from "../../drivers/units.js";

export interface ClockUnderTest {
  readonly clock: Clock;
  /** Lets so much of the clock's time pass, and a little more where it is real. */
  readonly pass: (time: Millis) => Promise<void>;
}

/** Node's timers may fire up to a millisecond early. */
const EARLY = 1;
const SHORT = millis(20);

/** What every clock promises, whatever makes it go. */
export function clockContract(t: Test, make: () => ClockUnderTest): void {
  t.test("a sleep lasts as long as it was asked, by the clock's own time", async (t) => {
    const { clock, pass } = make();
    const before = clock.monotonic();
    const slept = clock.sleep(SHORT).then(() => clock.monotonic() - before);
    await pass(SHORT);
    t.ok((await slept) >= SHORT - EARLY);
  });

  t.test(
    "a sleep that is aborted rejects with the signal's reason, as does one that never began",
    async (t) => {
      const { clock } = make();
      const reason = new Error("nobody waits any more");
      const abort = new AbortController();
      const sleep = clock.sleep(hours(1), abort.signal);
      abort.abort(reason);
      await t.rejects(sleep, reason);
      for (const duration of [hours(1), millis(0)])
        await t.rejects(clock.sleep(duration, AbortSignal.abort(reason)), reason, `${duration} ms`);
    },
  );

  t.test("a timer runs once, not before its time", async (t) => {
    const { clock, pass } = make();
    const before = clock.monotonic();
    const ran: number[] = [];
    clock.after(SHORT, () => ran.push(clock.monotonic() - before));
    t.same(ran, []);
    await pass(millis(3 * SHORT));
    t.equal(ran.length, 1);
    t.ok((ran[0] ?? 0) >= SHORT - EARLY, `${ran[0]} ms`);
  });

  t.test(
    "a timer that is cancelled does not run, and cancelling one that has run is no mistake",
    async (t) => {
      const { clock, pass } = make();
      const ran: string[] = [];
      const first = clock.after(SHORT, () => ran.push("first"));
      const second = clock.after(SHORT, () => ran.push("second"));
      first();
      await pass(millis(2 * SHORT));
      second();
      t.same(ran, ["second"]);
    },
  );

  t.test("monotonic time does not go back, and the boot keeps its name", async (t) => {
    const { clock, pass } = make();
    const boot = clock.bootId;
    let last = clock.monotonic();
    for (const step of [0, 1, 5].map(millis)) {
      await pass(step);
      t.ok(clock.monotonic() >= last + step - EARLY);
      last = clock.monotonic();
    }
    t.equal(clock.bootId, boot);
  });
}
