import t from "tap";
import { DriverError } from "../../../drivers/errors.js";
import { GuardedOutput, type Link } from "../../../drivers/guard/guarded-output.js";
import type { Order, Report } from "../../../drivers/guard/protocol.js";
import { latestEnd } from "../../../drivers/pins/led-line.js";
import { type Millis, millis, seconds } from "../../../drivers/units.js";
import { pulsedOutputContract } from "../pulsed-output-contract.js";
import { GuardRig } from "./guard-rig.js";

/** A guard in the same process, as if at the end of its pipe; `lose` lets it die. */
function linked() {
  const listeners: Array<(report: Report) => void> = [];
  const lostListeners: Array<() => void> = [];
  const deeds: string[] = [];
  let alive = true;
  let orders = 0;
  const rig = new GuardRig({
    tell: (report) => queueMicrotask(() => alive && listeners.forEach((listen) => void listen(report))),
  });
  const lose = () => {
    alive = false;
    rig.guard.close();
    for (const listener of lostListeners) listener();
  };
  const link: Link = {
    send: (order) => {
      if (!alive) throw new DriverError("GUARD_LOST", "there is no guard just now");
      const id = ++orders;
      rig.guard.receive({ ...order, id } as Order);
      return id;
    },
    onReport: (listener) => void listeners.push(listener),
    onLost: (listener) => void lostListeners.push(listener),
    kill: lose,
    switchOff: () => void deeds.push("off by hand"),
  };
  const outputOf = (name: string) => new GuardedOutput(name, seconds(26), link, rig.clock, latestEnd);
  const [output, other] = [outputOf("basil-pump"), outputOf("fern-pump")];
  return { rig, output, other, lose, deeds, orders: () => orders };
}

t.test("keeps the contract of a pulsed output", async (t) => {
  pulsedOutputContract(t, () => {
    const { rig, output } = linked();
    return { output, pass: (time: Millis) => rig.live(time), beat: seconds(1), slack: millis(0) };
  });
});

t.test("a pulse beyond the ceiling, or of no time, is refused before the guard is asked", async (t) => {
  const { output, orders } = linked();
  await t.rejects(output.pulse(millis(26_001)), { code: "PULSE_TOO_LONG" });
  await t.rejects(output.pulse(millis(0)), { code: "PULSE_INVALID" });
  t.equal(orders(), 0);
});

t.test("a second pulse is refused also before the guard has said that the first is on", async (t) => {
  const { rig, output } = linked();
  const first = output.pulse(seconds(2));
  await t.rejects(output.pulse(seconds(2)), { code: "PULSE_BUSY" });
  await rig.live(seconds(2));
  t.match(await first, { outcome: "elapsed", onFor: 2000 });
});

t.test("the end of one pump's pulse is not another's", async (t) => {
  const { rig, output, other } = linked();
  const pulses = [output.pulse(seconds(1)), other.pulse(seconds(3))];
  await rig.live(seconds(2));
  t.same([output.isOn(), other.isOn()], [false, true]);
  await rig.live(seconds(1));
  t.match(await Promise.all(pulses), [{ onFor: 1000 }, { onFor: 3000 }]);
});

t.test("a guard that dies in mid-pulse leaves a dose that nobody knows", async (t) => {
  const { rig, output, lose } = linked();
  const pulse = output.pulse(seconds(10));
  await rig.live(seconds(4));
  lose();
  t.match(await pulse, { outcome: "unknown", onFor: 4000 });
  t.equal(output.isOn(), false);
});

t.test("without a guard nothing can be switched on, and off is done by hand", async (t) => {
  const { output, lose, deeds } = linked();
  lose();
  await t.rejects(output.pulse(seconds(1)), { code: "GUARD_LOST" });
  await output.end();
  t.same(deeds, ["off by hand"]);
});

t.test("a line that sticks is left to the guard, and the pulse is as long as it really was", async (t) => {
  const { rig, output, deeds } = linked();
  const pulse = output.pulse(seconds(2));
  await rig.live(seconds(1));
  rig.pump.failing = "off";
  await rig.live(seconds(5));
  t.equal(output.isOn(), true);
  rig.pump.failing = "nothing";
  await rig.live(seconds(1));
  t.match(await pulse, { outcome: "elapsed", onFor: 6050 });
  t.same(deeds, []);
});

t.test("an end that was asked for is told by a line that sticks, not passed over", async (t) => {
  const { rig, output } = linked();
  void output.pulse(seconds(20));
  await rig.live(seconds(1));
  rig.pump.failing = "off";
  await t.rejects(output.end(), { code: "PIN_FAILED" });
});

t.test("a pulse that a button ended is an ended one, by the time that it was on", async (t) => {
  const { rig, output } = linked();
  const pulse = output.pulse(seconds(10));
  await rig.live(seconds(3));
  rig.stop.set(true);
  t.match(await pulse, { outcome: "ended", onFor: 3000 });
  await t.rejects(output.pulse(seconds(1)), { code: "PULSE_INHIBITED" });
});
