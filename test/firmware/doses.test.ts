import t from "tap";
import { millis } from "../../drivers/units.js";
import { connected, outcome, REST, timesOn } from "./avr/connected.js";

t.test("a request runs for the time that it carries, and no millisecond more than a step", async (t) => {
  const { rig, interlock } = await connected();
  const { order } = await rig.until(interlock.request("pump", millis(2000)));
  await rig.run(2500);
  const [on = 0, ...more] = timesOn(rig, "pump");
  t.same(more, []);
  t.ok(on > 1950 && on <= 2010, `on for ${on} ms`);
  const status = await rig.until(interlock.status());
  t.equal(status.order.pump, order);
  t.ok(status.pumpLive >= on && status.pumpLive < on + 60, `measured ${status.pumpLive} ms`);
});

t.test("what the pump really ran is measured behind both contacts", async (t) => {
  const { rig, interlock } = await connected();
  rig.setPiRelay("pump", false);
  await rig.until(interlock.request("pump", millis(3000)));
  rig.setPiRelay("pump", true);
  await rig.run(1000);
  rig.setPiRelay("pump", false);
  await rig.run(200);
  const { on, pumpLive } = await rig.until(interlock.off("pump"));
  t.ok(pumpLive >= 990 && pumpLive <= 1020, `live for ${pumpLive} ms of ${on.pump}`);
});

t.test("off is at once, also while a request is on its way", async (t) => {
  const { rig, interlock } = await connected();
  const asked = outcome(interlock.request("pump", millis(4000)));
  const off = interlock.allOff();
  await rig.until(off);
  await rig.until(asked);
  await rig.run(1000);
  t.ok(
    timesOn(rig, "pump").every((on) => on < 120),
    "not for longer than the answers took",
  );
});

t.test("an off that comes in mid-dose opens the contact within 20 ms", async (t) => {
  const { rig, interlock } = await connected();
  await rig.until(interlock.request("pump", millis(4000)));
  await rig.run(500);
  const asked = rig.now;
  const status = await rig.until(interlock.off("pump"));
  t.notOk(status.closed.pump);
  t.ok((rig.edges.at(-1)?.at ?? 0) - asked < 20);
});

t.test("an off that comes when a slot is over opens the contact before the slot is written", async (t) => {
  const { rig, interlock } = await connected();
  await rig.until(interlock.request("pump", millis(4000)));
  // A slot lasts a second in the short build, and none ends while the pump runs
  await rig.run(2000);
  const asked = rig.now;
  await rig.until(interlock.off("pump"));
  const after = (rig.edges.at(-1)?.at ?? 0) - asked;
  t.ok(after < 10, `after ${after} ms`);
  t.ok(rig.now - asked > 15, "the answer waits for the memory");
});

t.test("pump and light are apart: each has its own time, its own rest, its own off", async (t) => {
  const { rig, interlock } = await connected();
  await rig.run(1000);
  await rig.until(interlock.request("light", millis(4000)));
  await rig.until(interlock.request("pump", millis(1000)));
  await rig.run(1200);
  t.equal(rig.isOn("light"), true);
  t.equal(rig.isOn("pump"), false);
  await rig.until(interlock.off("light"));
  t.equal(rig.isOn("light"), false);
  t.equal(await rig.until(outcome(interlock.request("light", millis(1000)))), "INTERLOCK_REST");
});

t.test("what is longer than the cut, busy, or too early is refused, and no contact moves", async (t) => {
  const { rig, interlock } = await connected();
  const asked = (ms: number) => rig.until(outcome(interlock.request("pump", millis(ms))));
  t.equal(await asked(5000), "INTERLOCK_LIMITS");
  t.equal(await asked(0), "INTERLOCK_LIMITS");
  t.equal(await asked(0xffffffff), "INTERLOCK_LIMITS");
  t.same(rig.edges, []);
  t.equal(await asked(1000), "taken");
  t.equal(await asked(1000), "INTERLOCK_REFUSED");
  await rig.run(1100);
  t.equal(await asked(1000), "INTERLOCK_REST");
  await rig.run(REST);
  t.equal(await asked(1000), "taken");
  t.equal(timesOn(rig, "pump").length, 2);
});

t.test("a dose over the wrap of the chip's counter is as long as any", async (t) => {
  const { rig, interlock } = await connected({ ticks: 0xffffffff - 3999 });
  await rig.run(500);
  await rig.until(interlock.request("pump", millis(3000)));
  await rig.run(4000);
  const [on = 0, ...more] = timesOn(rig, "pump");
  t.same(more, []);
  t.ok(on > 2950 && on <= 3010, `on for ${on} ms`);
  t.same((await rig.until(interlock.status())).faults, []);
});

t.test("the stack stays clear of the variables, whatever is asked", async (t) => {
  const { rig, interlock } = await connected({ build: "interlock-avr" });
  await rig.run(10_000);
  await rig.until(interlock.request("pump", millis(1000)));
  await rig.until(outcome(interlock.request("light", millis(1000))));
  await rig.until(interlock.allOff());
  await rig.until(outcome(interlock.clear()));
  rig.reset("pin");
  await rig.run(1500);
  await rig.until(interlock.status());
  t.ok(rig.spareMemory > 100, `${rig.spareMemory} bytes were never used`);
});
