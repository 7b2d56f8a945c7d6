import t from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { type Millis, millis, seconds } from "../../../drivers/units.js";
import { GuardRig } from "./guard-rig.js";

t.test("the first thing a guard does is to switch everything off", async (t) => {
  const { pump, other, light } = new GuardRig();
  for (const line of [pump, other, light]) t.same(line.done, ["off"]);
});

t.test("a pulse ends by the guard's own clock, at its instant", async (t) => {
  const rig = new GuardRig();
  t.match(rig.on("basil-pump", seconds(10)), [{ is: "on", id: 1, output: "basil-pump", at: 0 }]);
  const mark = rig.told.length;
  await rig.live(millis(9_999));
  t.equal(rig.pump.isOn(), true);
  await rig.live(millis(1));
  t.equal(rig.pump.isOn(), false);
  t.match(rig.since(mark), [
    { is: "off", id: 1, output: "basil-pump", at: 10_000, onFor: 10_000, by: "elapsed" },
  ]);
  rig.on("basil-pump", seconds(2));
  await rig.live(seconds(2));
  t.match(rig.told.at(-1), { is: "off", at: 12_000, onFor: 2000 }, "each pulse has its own time on");
});

/** Its timers fire a millisecond early, as Node's may. */
class HastyClock extends SimulatedClock {
  override after(delay: Millis, run: () => void) {
    return super.after(delay > 1 ? millis(delay - 1) : delay, run);
  }
}

t.test("a timer that fires early ends no pulse early", async (t) => {
  const clock = new HastyClock();
  const { guard, pump } = new GuardRig({ clock });
  guard.receive({ do: "on", id: 1, output: "basil-pump", for: seconds(1), sent: clock.monotonic() });
  await clock.advance(millis(999));
  t.equal(pump.isOn(), true);
  await clock.advance(millis(1));
  t.equal(pump.isOn(), false);
});

/** Notes when a timer is set, among what was done to a line. */
class NotingClock extends SimulatedClock {
  readonly done: string[] = [];
  override after(delay: Millis, run: () => void) {
    this.done.push(`${delay} ms`);
    return super.after(delay, run);
  }
}

t.test("the end of a pulse is set before the line is switched on", async (t) => {
  const clock = new NotingClock();
  const { guard, pump } = new GuardRig({ clock });
  pump.done = clock.done;
  guard.receive({ do: "on", id: 1, output: "basil-pump", for: seconds(1), sent: clock.monotonic() });
  t.same(clock.done.slice(-2), ["1000 ms", "on"]);
});

t.test("whoever falls silent for two seconds loses all outputs", async (t) => {
  const rig = new GuardRig();
  rig.on("basil-pump", seconds(26));
  rig.on("basil-light", seconds(7200));
  await rig.live(seconds(1));
  const mark = rig.told.length;
  await rig.clock.advance(seconds(3));
  t.match(rig.since(mark), [
    { is: "off", output: "basil-pump", by: "lease" },
    { is: "off", output: "basil-light", by: "lease" },
  ]);
  const [first] = rig.since(mark);
  const at = first?.is === "off" ? first.at : Number.NaN;
  t.ok(at >= 2600 && at <= 3000, `${at} ms: 2 s after the last sign of life at 0.6 to 1 s`);
  t.equal(rig.pump.isOn() || rig.light.isOn(), false);
});

t.test("signs of life keep a long pulse alive", async (t) => {
  const rig = new GuardRig();
  rig.on("basil-light", seconds(7200));
  await rig.live(seconds(7199));
  t.equal(rig.light.isOn(), true);
});

t.test("an order that is more than half a second old, or of a time to come, switches nothing", async (t) => {
  const rig = new GuardRig();
  await rig.clock.advance(seconds(1));
  t.match(rig.on("basil-pump", seconds(10), millis(499)), [{ is: "refused", code: "PULSE_STALE" }]);
  t.match(rig.on("basil-pump", seconds(10), millis(1001)), [{ is: "refused", code: "PULSE_STALE" }]);
  t.same(rig.pump.done, ["off"]);
  t.match(rig.on("basil-pump", seconds(10), millis(500)), [{ is: "on" }]);
});

t.test(
  "a pulse beyond the ceiling, of nothing, of no number, or of an unknown output is refused",
  async (t) => {
    const rig = new GuardRig();
    t.match(rig.on("basil-pump", millis(26_001)), [{ is: "refused", code: "PULSE_TOO_LONG" }]);
    for (const duration of [0, -1, Number.NaN])
      t.match(rig.on("basil-pump", millis(duration)), [{ is: "refused", code: "PULSE_INVALID" }]);
    t.match(rig.on("gas", seconds(1)), [{ is: "refused", code: "PULSE_INVALID", what: /no output gas/ }]);
    t.same(rig.pump.done, ["off"]);
  },
);

t.test("a running pulse cannot be lengthened by another", async (t) => {
  const rig = new GuardRig();
  rig.on("basil-pump", seconds(10));
  await rig.live(seconds(9));
  t.match(rig.on("basil-pump", seconds(10)), [{ is: "refused", code: "PULSE_BUSY" }]);
  await rig.live(seconds(1));
  t.equal(rig.pump.isOn(), false);
});

t.test(
  "off is obeyed at once, also for what is off, and for a name that nobody knows: then for everything",
  async (t) => {
    const rig = new GuardRig();
    t.match(rig.off("basil-pump"), [{ is: "done" }]);
    rig.on("basil-pump", seconds(10));
    rig.on("fern-pump", seconds(10));
    t.match(rig.off("basil-pump"), [{ is: "off", output: "basil-pump", by: "order" }, { is: "done" }]);
    t.equal(rig.other.isOn(), true);
    t.match(rig.off("no such pump"), [{ is: "off", output: "fern-pump" }, { is: "done" }]);
    rig.on("basil-light", seconds(10));
    t.match(rig.off(), [{ is: "off", output: "basil-light" }, { is: "done" }]);
  },
);

t.test("a button keeps everything off without asking anybody, a sensor its own pump", async (t) => {
  const rig = new GuardRig();
  rig.on("basil-pump", seconds(10));
  rig.on("fern-pump", seconds(10));
  await rig.live(seconds(2));
  let mark = rig.told.length;
  rig.leak.set(true);
  t.match(rig.since(mark), [
    { is: "input", name: "leak sensor", active: true },
    { is: "off", output: "basil-pump", onFor: 2000, by: "input" },
  ]);
  t.equal(rig.other.isOn(), true);
  t.match(rig.on("basil-pump", seconds(1)), [
    { is: "refused", code: "PULSE_INHIBITED", what: /leak sensor/ },
  ]);
  t.match(rig.on("basil-light", seconds(1)), [{ is: "on" }]);
  rig.off("basil-light");
  mark = rig.told.length;
  rig.stop.set(true);
  t.match(rig.since(mark), [
    { is: "input", name: "stop button" },
    { is: "off", output: "fern-pump" },
  ]);
  t.match(rig.on("basil-light", seconds(1)), [
    { is: "refused", code: "PULSE_INHIBITED", what: /stop button/ },
  ]);
  t.same(rig.guard.active(), ["stop button", "leak sensor"]);
});

t.test("what a button switches off is off before anybody is told of the button", async (t) => {
  const heard: boolean[] = [];
  const rig = new GuardRig({ tell: ({ is }) => void (is === "input" && heard.push(rig.pump.isOn())) });
  rig.on("basil-pump", seconds(10));
  rig.stop.set(true);
  t.same(heard, [false]);
});

t.test("a button that is let go of switches nothing on again", async (t) => {
  const rig = new GuardRig();
  rig.on("basil-pump", seconds(10));
  rig.stop.set(true);
  rig.stop.set(false);
  t.equal(rig.pump.isOn(), false);
  t.match(rig.on("basil-pump", seconds(1)), [{ is: "on" }]);
});

t.test(
  "a line that will not go off is tried until it does, is told of once, and keeps no other on",
  async (t) => {
    const rig = new GuardRig();
    rig.on("basil-pump", seconds(10));
    rig.on("fern-pump", seconds(10));
    rig.pump.failing = "off";
    t.match(rig.off(), [
      { is: "trouble", code: "PIN_FAILED", what: /basil-pump.*EIO/ },
      { is: "off", output: "fern-pump" },
      { is: "refused", code: "PIN_FAILED" },
    ]);
    const mark = rig.told.length;
    await rig.live(seconds(1));
    t.match(rig.on("basil-pump", seconds(1)), [{ is: "refused", code: "PIN_FAILED" }]);
    rig.pump.failing = "nothing";
    await rig.live(millis(50));
    t.match(rig.since(mark), [{ is: "refused" }, { is: "off", output: "basil-pump" }]);
    t.equal(rig.pump.isOn(), false);
    t.match(rig.on("basil-pump", seconds(1)), [{ is: "on" }]);
  },
);

t.test(
  "a line that an order has switched off meanwhile is tried no more: that would end the next pulse",
  async (t) => {
    const rig = new GuardRig();
    rig.on("basil-pump", seconds(10));
    rig.pump.failing = "off";
    for (const _ of ["once", "again"]) rig.off("basil-pump");
    rig.pump.failing = "nothing";
    t.match(rig.off("basil-pump"), [{ is: "off" }, { is: "done" }]);
    rig.on("basil-pump", seconds(10));
    await rig.live(seconds(1));
    t.equal(rig.pump.isOn(), true);
  },
);

t.test("a line that says that it is still on counts as on", async (t) => {
  const rig = new GuardRig();
  rig.on("basil-pump", seconds(10));
  rig.pump.failing = "stays on";
  t.match(rig.off("basil-pump"), [
    { is: "trouble", what: /stays on/ },
    { is: "refused", code: "PIN_FAILED" },
  ]);
});

t.test("a line that does not go on is switched off and refused", async (t) => {
  for (const failing of ["on", "stays off"] as const) {
    const rig = new GuardRig();
    rig.pump.failing = failing;
    t.match(rig.on("basil-pump", seconds(10)), [{ is: "refused", code: "PIN_FAILED" }]);
    t.equal(rig.pump.done.at(-1), "off");
    rig.pump.failing = "nothing";
    t.match(rig.on("basil-pump", seconds(10)), [{ is: "on" }]);
  }
});

t.test("a guard that is closed leaves everything off, and gives its lines and inputs back", async (t) => {
  const rig = new GuardRig();
  rig.on("basil-pump", seconds(10));
  rig.guard.close();
  t.equal(rig.pump.isOn(), false);
  await rig.clock.advance(seconds(20));
  t.same(rig.pump.done.slice(-2), ["off", "closed"]);
  const mark = rig.told.length;
  rig.stop.set(true);
  t.same(rig.since(mark), []);
});

t.test(
  "a guard that is closed while a line will not go off tries no more, for it has given the line back",
  async (t) => {
    const rig = new GuardRig();
    rig.on("basil-pump", seconds(10));
    rig.pump.failing = "off";
    rig.guard.close();
    rig.pump.failing = "nothing";
    await rig.clock.advance(seconds(1));
    t.equal(rig.pump.done.at(-1), "closed");
  },
);
