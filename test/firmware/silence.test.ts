import t from "tap";
import { Interlock } from "../../drivers/devices/interlock/interlock.js";
import { encodeLine } from "../../drivers/devices/interlock/protocol.js";
import { millis } from "../../drivers/units.js";
import { connected, outcome, REST, reconnect, timesOn } from "./avr/connected.js";
import type { Rig } from "./avr/rig.js";

/** When the host last began to say a heartbeat. */
function lastBeat(rig: Rig): () => number {
  let at = 0;
  rig.toChip = (bytes) => {
    if (bytes[1] === "H".charCodeAt(0)) at = rig.now;
    return [bytes];
  };
  return () => at;
}

/** A heartbeat's line with its token, made a clear: `:C`, 8 digits, CRC. */
function asClear(bytes: Uint8Array): Uint8Array {
  const token = Number.parseInt(Buffer.from(bytes.subarray(2, 10)).toString("latin1"), 16);
  return Buffer.from(encodeLine({ type: "C", token }));
}

/** A heartbeat's way over the line, 15 characters, and a step. */
const BEAT_TAKES = 20;

t.test(
  "a Pi that is gone: the pump goes off two seconds after its last heartbeat, and stays so",
  async (t) => {
    const { rig, interlock } = await connected();
    const beat = lastBeat(rig);
    await rig.until(interlock.request("pump", millis(4900)));
    await rig.run(1300);
    const last = beat();
    rig.killHost();
    await rig.run(6000);
    const after = (rig.edges.at(-1)?.at ?? 0) - last;
    t.equal(rig.isOn("pump"), false);
    t.ok(after > 1980 && after < 2000 + BEAT_TAKES + 10, `${after} ms after it began`);

    const next = await reconnect(rig);
    t.match(next.latest?.status.faults, ["no heartbeat while the pump ran"]);
    t.equal(await rig.until(outcome(next.request("pump", millis(1000)))), "INTERLOCK_FAULT");
    t.equal(timesOn(rig, "pump").length, 1);
    t.same((await rig.until(next.clear())).faults, []);
    t.equal(await rig.until(outcome(next.request("pump", millis(1000)))), "taken");
  },
);

t.test("a light whose host restarts goes off without a fault", async (t) => {
  const { rig, interlock } = await connected();
  await rig.run(1000);
  await rig.until(interlock.request("light", millis(19_000)));
  rig.killHost();
  await rig.run(7000);
  t.equal(rig.isOn("light"), false);
  t.ok((timesOn(rig, "light")[0] ?? 0) < 5100);
  const next = await reconnect(rig);
  t.same(next.latest?.status.faults, []);
});

t.test("a host that only asks is no heartbeat", async (t) => {
  const { rig, interlock } = await connected();
  await rig.until(interlock.request("pump", millis(4900)));
  rig.toChip = (bytes) => [bytes[1] === "H".charCodeAt(0) ? Buffer.from(":QAB24\n") : bytes];
  await rig.run(4000);
  t.ok((timesOn(rig, "pump")[0] ?? 0) < 2000 + 500 + BEAT_TAKES);
});

t.test("a host that only clears is no heartbeat", async (t) => {
  const { rig, interlock } = await connected();
  await rig.until(interlock.request("pump", millis(4900)));
  rig.toChip = (bytes) => [bytes[1] === "H".charCodeAt(0) ? asClear(bytes) : bytes];
  await rig.run(4000);
  t.ok((timesOn(rig, "pump")[0] ?? 0) < 2000 + 500 + BEAT_TAKES);
});

t.test("a host that beats on and never says off cannot hold the pump beyond its request", async (t) => {
  const { rig, interlock } = await connected();
  await rig.until(interlock.request("pump", millis(4900)));
  await rig.run(10_000);
  const [on = 0, ...more] = timesOn(rig, "pump");
  t.same(more, []);
  t.ok(on < 4910, `on for ${on} ms`);
});

t.test("the driver tells when the interlock is gone, and when it is back", async (t) => {
  const { rig, interlock } = await connected();
  t.ok(interlock.latest);
  rig.toHost = () => [];
  await rig.run(1000);
  t.equal(interlock.latest, undefined);
  t.equal(await rig.until(outcome(interlock.request("pump", millis(1000)))), "INTERLOCK_LOST");
  t.equal(await rig.until(outcome(interlock.off("pump"))), "INTERLOCK_LOST");
  t.same(rig.edges, []);
  rig.toHost = (bytes) => [bytes];
  await rig.run(1000);
  t.equal(interlock.latest?.limits.pumpCut, 5000);
});

t.test("an interlock that is not there at the start may come later", async (t) => {
  const { rig } = await connected();
  rig.killHost();
  const interlock = await rig.until(Interlock.open(rig.line, rig.clock));
  t.equal(interlock.latest, undefined);
  rig.toChip = (bytes) => [bytes];
  rig.toHost = (bytes) => [bytes];
  await rig.run(REST);
  t.ok(interlock.latest);
});

t.test("a driver that is closed switches off first", async (t) => {
  const { rig, interlock } = await connected();
  await rig.until(interlock.request("pump", millis(4000)));
  await rig.until(interlock.close());
  await rig.run(50);
  t.equal(rig.isOn("pump"), false);
  await rig.run(5000);
  t.same((await reconnect(rig)).latest?.status.faults, [], "and that is no fault");
});

t.test("a driver that comes after another uses none of its order numbers", async (t) => {
  const { rig, interlock } = await connected();
  const { order } = await rig.until(interlock.request("pump", millis(200)));
  rig.killHost();
  await rig.run(REST + 500);
  const next = await reconnect(rig);
  t.not((await rig.until(next.request("pump", millis(200)))).order, order);
});
