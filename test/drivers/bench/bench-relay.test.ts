import t from "tap";
import { BenchClock } from "../../../drivers/bench/bench-clock.js";
import { BenchPulse, EDGES_KEPT } from "../../../drivers/bench/bench-relay.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import type { PulseReport } from "../../../drivers/ports.js";
import type { EpochMillis, Millis } from "../../../drivers/units.js";
import { hours, millis, seconds } from "../../../drivers/units.js";
import { pulsedOutputContract } from "../pulsed-output-contract.js";

function rig() {
  const clock = new SimulatedClock();
  const relay = new BenchPulse({ name: "the pump of basil", ceiling: seconds(26) }, clock);
  return { clock, relay };
}

/** A clock that runs, but whose timers never fire: what an event loop that hangs looks like. */
class HungClock extends SimulatedClock {
  override after() {
    return () => undefined;
  }
}

t.test("keeps the contract of a pulsed output", async (t) => {
  pulsedOutputContract(t, () => {
    const { clock, relay } = rig();
    return { output: relay, pass: (time) => clock.advance(time), beat: seconds(1), slack: millis(0) };
  });
});

/** A clock whose timers fire before their time, as Node's may by a millisecond. */
class EarlyClock extends SimulatedClock {
  override after(duration: Millis, fn: () => void) {
    return super.after(millis(duration > 1 ? duration - 1 : duration), fn);
  }
}

t.test("a timer that fires before its time does not leave a pulse unreported", async (t) => {
  const clock = new EarlyClock();
  const relay = new BenchPulse({ name: "the pump of basil", ceiling: seconds(26) }, clock);
  let report: PulseReport | undefined;
  void relay.pulse(seconds(10)).then((each) => {
    report = each;
  });
  await clock.advance(seconds(11));
  t.match(report, { onFor: 10_000, outcome: "elapsed" });
});

t.test("a hung runtime cannot water past the cutoff", async (t) => {
  const clock = new HungClock();
  const relay = new BenchPulse({ name: "the pump of basil", ceiling: seconds(26) }, clock);
  const pulse = relay.pulse(seconds(10));
  await clock.advance(hours(3));
  t.same(relay.edges, [
    { level: 1, at: 0 },
    { level: 0, at: 10_000 },
  ]);
  t.equal(relay.settled.onTime(millis(0), clock.monotonic()), 10_000);
  t.match(await pulse, { onFor: 10_000, outcome: "elapsed" });
});

t.test("end() after the cutoff does not move it", async (t) => {
  const clock = new HungClock();
  const relay = new BenchPulse({ name: "the pump of basil", ceiling: seconds(26) }, clock);
  const pulse = relay.pulse(seconds(10));
  await clock.advance(seconds(60));
  await relay.end();
  t.same(relay.edges, [
    { level: 1, at: 0 },
    { level: 0, at: 10_000 },
  ]);
  t.match(await pulse, { outcome: "elapsed" });
});

t.test(
  "an event loop that stands still in real time does not move the off edge by a millisecond",
  async (t) => {
    const clock = new BenchClock({ speed: 60, start: 0 as EpochMillis, boot: 1 });
    const relay = new BenchPulse({ name: "the pump of basil", ceiling: seconds(26) }, clock);
    const pulse = relay.pulse(seconds(10));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    t.ok(clock.monotonic() > 20_000, "20 s have passed on the bench, and nobody could act");
    const { startedAt, onFor, outcome } = await pulse;
    t.same({ onFor, outcome }, { onFor: 10_000, outcome: "elapsed" });
    t.same(relay.edges, [
      { level: 1, at: startedAt },
      { level: 0, at: startedAt + 10_000 },
    ]);
  },
);

t.test("how long it was on between two instants is exact, whatever the pulses", async (t) => {
  const { clock, relay } = rig();
  void relay.pulse(seconds(4));
  await clock.advance(seconds(10));
  void relay.pulse(seconds(20));
  await clock.advance(seconds(5));
  await relay.end();
  await clock.advance(seconds(5));
  const between = (from: number, to: number) => relay.settled.onTime(seconds(from), seconds(to));
  t.same(
    [between(0, 20), between(1, 3), between(3, 11), between(4, 10), between(14, 20), between(-5, 1)],
    [9000, 2000, 2000, 0, 1000, 1000],
  );
});

t.test("a relay that loses track still ends its pulse in time, and says that it does not know", async (t) => {
  const clock = new SimulatedClock();
  const relay = new BenchPulse({ name: "pump", ceiling: seconds(26), losesTrack: () => true }, clock);
  const pulse = relay.pulse(seconds(3));
  await clock.advance(seconds(5));
  t.match(await pulse, { outcome: "unknown" });
  t.match(relay.edges, [
    { level: 1, at: 0 },
    { level: 0, at: 3000 },
  ]);
});

t.test("the edge list is bounded", async (t) => {
  const { clock, relay } = rig();
  for (let i = 0; i < EDGES_KEPT; i++) {
    void relay.pulse(millis(1));
    await relay.end();
    await clock.advance(millis(0));
  }
  t.equal(relay.edges.length, EDGES_KEPT);
});
