import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import t, { type Test } from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { minutes } from "../../../drivers/units.js";
import { Database } from "../../../runtime/store/database.js";
import { openStore } from "../../../runtime/store/store.js";
import { spawnNode } from "../../spawn-node.js";

const END = Date.parse("2026-06-30T12:00:00.000Z");
const reading = (value: number, at = END) => ({
  ...{ plant: "a", at, value },
  ...{ percent: value / 100, noise: 1, level: 1 },
});

async function open(t: Test) {
  const folder = join(t.testdir(), "state");
  const failures: Error[] = [];
  const store = await openStore({ folder, onFailure: (error) => failures.push(error) });
  t.teardown(() => store.close().catch(() => undefined)); // some tests close it themselves
  const clock = new SimulatedClock();
  store.delayCommits({ clock, within: minutes(10) });
  const other = await Database.open({ file: join(folder, "tendril.sqlite"), setup: [] });
  t.teardown(() => other.close());
  const stored = async () => (await other.get<{ n: number }>("SELECT count(*) AS n FROM readings"))?.n;
  return { folder, store, clock, failures, stored, other };
}

t.test(
  "readings wait for their commit no longer than the delay, and a question sees them meanwhile",
  async (t) => {
    const { store, clock, stored } = await open(t);
    for (let n = 0; n < 50; n += 1) store.readings.add(reading(n));
    await clock.advance(minutes(9));
    store.readings.add(reading(50));
    t.match(await store.readings.latest("a", 99), { length: 51 });
    t.equal(await stored(), 0);
    await clock.advance(minutes(1));
    await store.readings.latest("a", 1); // in turn behind the commit
    t.equal(await stored(), 51);
    t.match(await store.readings.latest("a", 99), { length: 51 }, "none is there twice");
  },
);

t.test("two thousand readings do not wait", async (t) => {
  const { store, stored } = await open(t);
  for (let n = 0; n < 2000; n += 1) store.readings.add(reading(n));
  await store.readings.latest("a", 1);
  t.equal(await stored(), 2000);
});

t.test("what must not be lost is committed at once", async (t) => {
  const { store, stored } = await open(t);
  store.readings.add(reading(1));
  store.readings.commitSoon();
  await store.readings.latest("a", 1);
  t.equal(await stored(), 1);
});

t.test("a commit that fails is tried again after the delay", async (t) => {
  const { store, clock, failures, stored, other } = await open(t);
  await other.script("ALTER TABLE reading_sums RENAME TO hidden");
  store.readings.add(reading(1));
  await clock.advance(minutes(10));
  await store.readings.latest("a", 1);
  t.match(failures, [{ code: "STORE_FAILED" }]);
  await other.script("ALTER TABLE hidden RENAME TO reading_sums");
  await clock.advance(minutes(10));
  t.match(await store.readings.latest("a", 9), { length: 1 });
  t.equal(await stored(), 1);
});

t.test("questions that run while rows are committed count each row once", async (t) => {
  const { store } = await open(t);
  const query = { hours: 24, samplesPerHour: 1, aggregation: "count", endMs: END, plant: "a" } as const;
  for (let n = 1; n <= 40; n += 1) {
    store.readings.add(reading(n));
    if (n % 3 === 0) store.readings.commitSoon();
    t.match(await store.readings.history(query), { coverage: { records: n } });
  }
});

t.test("a clean stop loses none", async (t) => {
  const { folder, store } = await open(t);
  store.readings.add(reading(1));
  store.measurements.add({ place: "kitchen", quantity: "air_temperature", at: END, value: 1 });
  await store.close();
  const again = await openStore({ folder });
  t.teardown(() => again.close());
  t.match(await again.readings.latest("a", 9), { length: 1 });
  t.match(await again.measurements.latest("kitchen", "air_temperature", 9), { length: 1 });
});

t.test("kill -9 loses what waits, and nothing that was committed", async (t) => {
  const folder = join(t.testdir(), "state");
  const child = spawnNode([join(import.meta.dirname, "waiting.js"), folder]);
  child.stderr.pipe(process.stderr);
  const exited = once(child, "exit");
  for await (const line of createInterface(child.stdout)) if (line === "waiting") child.kill("SIGKILL");
  await exited;
  const store = await openStore({ folder });
  t.teardown(() => store.close());
  t.match(await store.measurements.latest("kitchen", "air_temperature", 99), { length: 30 });
});
