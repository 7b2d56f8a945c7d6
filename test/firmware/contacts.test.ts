import t from "tap";
import { millis } from "../../drivers/units.js";
import { connected, outcome, timesOn } from "./avr/connected.js";

t.test("a contact that is welded is found out, and takes the other output with it", async (t) => {
  const { rig, interlock } = await connected();
  await rig.run(1000);
  await rig.until(interlock.request("light", millis(10_000)));
  await rig.run(500);
  const welded = rig.now;
  rig.setWelded("pump", true);
  await rig.run(1000);
  const off = rig.edges.at(-1);
  t.match(off, { output: "light", on: false });
  t.ok((off?.at ?? 0) - welded > 95 && (off?.at ?? 0) - welded < 130);
  t.match((await rig.until(interlock.status())).faults, [
    "the pump was live although the interlock's contact was open",
  ]);
  t.equal(await rig.until(outcome(interlock.request("light", millis(1000)))), "INTERLOCK_FAULT");
  t.equal(await rig.until(outcome(interlock.clear())), "INTERLOCK_REFUSED", "not while it is live");
  rig.setWelded("pump", false);
  await rig.run(200);
  t.same((await rig.until(interlock.clear())).faults, []);
});

t.test("a contact that is welded in mid-dose is found out when the dose ends", async (t) => {
  const { rig, interlock } = await connected();
  await rig.until(interlock.request("pump", millis(1000)));
  rig.setWelded("pump", true);
  await rig.run(500);
  t.same((await rig.until(interlock.status())).faults, []);
  await rig.run(1000);
  t.equal((await rig.until(interlock.status())).faults.length, 1);
});

t.test("a contact that opens a little late is no fault", async (t) => {
  const { rig, interlock } = await connected();
  await rig.until(interlock.request("pump", millis(1000)));
  rig.setWelded("pump", true);
  await rig.run(1000);
  await rig.run(60);
  rig.setWelded("pump", false);
  await rig.run(500);
  t.same((await rig.until(interlock.status())).faults, []);
});

t.test(
  "the emergency stop opens both contacts within two steps, and holds them until it is cleared",
  async (t) => {
    const { rig, interlock } = await connected();
    await rig.run(1000);
    await rig.until(interlock.request("light", millis(10_000)));
    await rig.until(interlock.request("pump", millis(4000)));
    await rig.run(500);
    const pressed = rig.now;
    rig.pressStop(true);
    await rig.run(50);
    t.notOk(rig.isOn("pump") || rig.isOn("light"));
    t.ok((rig.edges.at(-1)?.at ?? 0) - pressed < 20);
    t.equal(await rig.until(outcome(interlock.clear())), "INTERLOCK_REFUSED", "not while it is pressed");
    rig.pressStop(false);
    await rig.run(2500);
    t.equal(await rig.until(outcome(interlock.request("pump", millis(1000)))), "INTERLOCK_FAULT");
    await rig.until(interlock.clear());
    t.equal(await rig.until(outcome(interlock.request("pump", millis(1000)))), "taken");
    t.equal(timesOn(rig, "pump").length, 2);
  },
);

t.test("nothing is cleared while an output is on", async (t) => {
  const { rig, interlock } = await connected();
  await rig.until(interlock.request("pump", millis(2000)));
  const lines = await rig.until(outcome(interlock.clear()));
  t.equal(rig.isOn("pump"), true, `a clear in mid-dose: ${lines}`);
});
