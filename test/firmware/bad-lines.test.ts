import t from "tap";
import { uniform } from "../../drivers/bench/math.js";
import { millis } from "../../drivers/units.js";
import { connected, outcome, REST, timesOn } from "./avr/connected.js";
import type { Meddle } from "./avr/rig.js";

/** Numbers from 0 to 1 that are the same in each run. */
function randomFrom(seed: number): () => number {
  let index = 0;
  return () => uniform(seed, index++);
}

t.test("everything that a host said during a dose, played again, moves nothing", async (t) => {
  const { rig, interlock } = await connected();
  const said: Buffer[] = [];
  rig.toChip = (bytes) => {
    said.push(Buffer.from(bytes));
    return [bytes];
  };
  await rig.until(interlock.request("pump", millis(1000)));
  await rig.run(1000 + REST + 500);
  rig.toChip = (bytes) => [bytes];
  t.equal(timesOn(rig, "pump").length, 1);
  for (let times = 0; times < 3; times++)
    for (const line of said) {
      rig.send(line);
      await rig.run(40);
    }
  t.equal(timesOn(rig, "pump").length, 1);
});

t.test("heartbeats that are played again keep no pump running", async (t) => {
  const { rig, interlock } = await connected();
  const said: Buffer[] = [];
  rig.toChip = (bytes) => {
    said.push(Buffer.from(bytes));
    return [bytes];
  };
  await rig.run(2000);
  await rig.until(interlock.request("pump", millis(4900)));
  rig.killHost();
  for (let times = 0; times < 10; times++)
    for (const line of said) {
      rig.send(line);
      await rig.run(40);
    }
  t.ok((timesOn(rig, "pump")[0] ?? 0) < 2600, `on for ${timesOn(rig, "pump")} ms`);
});

t.test("lines that come twice are one request", async (t) => {
  const { rig, interlock } = await connected();
  rig.toChip = (bytes) => [bytes, bytes];
  t.equal(await rig.until(outcome(interlock.request("pump", millis(1000)))), "taken");
  await rig.run(1000 + REST);
  t.equal(await rig.until(outcome(interlock.request("pump", millis(1000)))), "taken");
  await rig.run(1500);
  for (const on of timesOn(rig, "pump")) t.ok(on > 950 && on <= 1010, `on for ${on} ms`);
  t.equal(timesOn(rig, "pump").length, 2);
});

t.test("an answer that is lost: the interlock is asked, and the request is not made twice", async (t) => {
  const { rig, interlock } = await connected();
  let toLose = 1;
  rig.toHost = (bytes) => (toLose-- > 0 ? [] : [bytes]);
  const { order } = await rig.until(interlock.request("pump", millis(1000)));
  t.equal((await rig.until(interlock.status())).order.pump, order);
  await rig.run(3000);
  t.equal(timesOn(rig, "pump").length, 1);
});

t.test("a request that is lost is said again, with a number of its own", async (t) => {
  const { rig, interlock } = await connected();
  let toLose = 1;
  rig.toChip = (bytes) => (toLose-- > 0 ? [] : [bytes]);
  await rig.until(interlock.request("pump", millis(1000)));
  await rig.run(3000);
  t.equal(timesOn(rig, "pump").length, 1);
});

t.test("lines that overtake each other start nothing by themselves", async (t) => {
  const { rig, interlock } = await connected();
  let held: Uint8Array | undefined;
  rig.toChip = (bytes) => {
    const both = held ? [bytes, held] : [];
    held = held ? undefined : bytes;
    return both;
  };
  const asked = await rig.until(outcome(interlock.request("pump", millis(1000))));
  await rig.run(3000);
  const times = timesOn(rig, "pump");
  t.ok(times.length <= (asked === "INTERLOCK_REFUSED" ? 0 : 1), `${asked}: on for ${times} ms`);
  for (const on of times) t.ok(on <= 1010);
});

/** Flips a bit of every fifth line, and loses every tenth. */
function noise(seed: number): Meddle {
  const random = randomFrom(seed);
  return (bytes) => {
    const kind = random();
    if (kind < 0.1) return [];
    const damaged = Uint8Array.from(bytes);
    const at = Math.floor(random() * bytes.length);
    if (kind < 0.3) damaged[at] = (damaged[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    return [damaged];
  };
}

t.test(
  "on a line that damages or loses three lines of ten, every contact that closed was asked for",
  async (t) => {
    const { rig, interlock } = await connected();
    rig.toChip = noise(1);
    rig.toHost = noise(2);
    const outcomes: string[] = [];
    for (let n = 0; n < 6; n++) {
      outcomes.push(await rig.until(outcome(interlock.request("pump", millis(200)))));
      await rig.run(REST + 300);
    }
    const times = timesOn(rig, "pump");
    const taken = outcomes.filter((each) => each === "taken").length;
    const perhaps = outcomes.filter((each) => each === "INTERLOCK_LOST").length;
    t.ok(taken > 0, outcomes.join());
    t.ok(times.length >= taken && times.length <= taken + perhaps, `${times.length} times on: ${outcomes}`);
    for (const on of times) t.ok(on <= 210, `on for ${on} ms`);
  },
);

t.test("garbage moves nothing, and does not keep the link from the next line", async (t) => {
  const { rig, interlock } = await connected();
  const random = randomFrom(3);
  for (let n = 0; n < 20; n++) {
    rig.send(Uint8Array.from({ length: 100 }, () => Math.floor(random() * 256)));
    await rig.run(30);
  }
  rig.send("\n");
  await rig.run(100);
  t.same(rig.edges, []);
  t.same((await rig.until(interlock.status())).faults, []);
  t.equal(await rig.until(outcome(interlock.request("pump", millis(500)))), "taken");
});

t.test("a line that never falls silent does not keep the pump from going off", async (t) => {
  const { rig, interlock } = await connected();
  await rig.until(interlock.request("pump", millis(1500)));
  rig.send(":PQXH0123".repeat(1000));
  await rig.run(2000);
  t.ok((timesOn(rig, "pump")[0] ?? 0) < 1510);
});
