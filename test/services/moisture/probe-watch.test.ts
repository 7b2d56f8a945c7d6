import t from "tap";
import { hours, type Millis, minutes } from "../../../drivers/units.js";
import { type Rig, rigFor } from "../../rig.js";

const START = "2026-06-01T08:00:00.000Z";
const CONFIG = "server: { calls_per_second: 100000 }";
const MINUTE = minutes(1);

const unplug = (rig: Rig) => {
  rig.bench.faults("basil").probe = "unplugged";
};
const plug = (rig: Rig) => {
  delete rig.bench.faults("basil").probe;
};

/** Kinds of all that was told, the oldest first. */
async function told(rig: Rig): Promise<string[]> {
  const { notifications } = await rig.get("list_notifications", {}, { as: "human" });
  return (notifications as { kind: string }[]).map(({ kind }) => kind).reverse();
}

t.test(
  "of a probe that stays faulty a person hears within minutes, once, and once that it works again",
  async (t) => {
    const rig = await rigFor(t, { start: START, config: CONFIG });
    unplug(rig);
    await rig.passSampling(minutes(3), MINUTE);
    t.same(await told(rig), [], "it may be a moment");
    await rig.passSampling(MINUTE, MINUTE);
    const { notifications } = await rig.get("list_notifications", {}, { as: "human" });
    t.match(notifications, [
      {
        ...{ kind: "probe_fault", severity: "warning", plant: "basil" },
        data: { code: "PROBE_DISCONNECTED", since: "2026-06-01T08:01:00.000Z" },
      },
    ]);
    await rig.passSampling(hours(2), MINUTE);
    t.same(await told(rig), ["probe_fault"]);
    plug(rig);
    await rig.passSampling(hours(2), MINUTE);
    t.same(await told(rig), ["probe_fault", "probe_works"]);
    const after = await rig.get("list_notifications", {}, { as: "human" });
    t.match(
      after.notifications,
      [{ over_at: null }, { over_at: /2026/ }],
      "the fault is over for every channel",
    );
  },
);

t.test("a bad reading or two ring nobody", async (t) => {
  const rig = await rigFor(t, { start: START, config: CONFIG });
  for (let round = 0; round < 5; round++) {
    unplug(rig);
    await rig.passSampling(minutes(2), MINUTE);
    plug(rig);
    await rig.passSampling(minutes(10), MINUTE);
  }
  t.same(await told(rig), []);
});

t.test("a loose contact is told once, and its end once it is steady", async (t) => {
  const rig = await rigFor(t, { start: START, config: CONFIG });
  for (let round = 0; round < 30; round++) {
    unplug(rig);
    await rig.passSampling(MINUTE, MINUTE);
    plug(rig);
    await rig.passSampling(MINUTE, MINUTE);
  }
  t.same(await told(rig), ["probe_fault"]);
  await rig.passSampling(minutes(5), MINUTE);
  t.same(await told(rig), ["probe_fault", "probe_works"]);
});

t.test(
  "a contact that comes and goes slowly is told of a few times a day, and a new fault at once",
  async (t) => {
    const rig = await rigFor(t, { start: START, config: CONFIG });
    const turn = async (out: Millis, well: Millis) => {
      unplug(rig);
      await rig.passSampling(out, MINUTE);
      plug(rig);
      await rig.passSampling(well, MINUTE);
    };
    for (let round = 0; round < 10; round++) await turn(minutes(5), minutes(4.5));
    t.same(await told(rig), ["probe_fault", "probe_works", "probe_fault"], "it rang twelve times before");
    for (let round = 0; round < 30; round++) await turn(minutes(5), minutes(15));
    t.equal((await told(rig)).length, 5);
    await rig.passSampling(hours(25), minutes(5));
    t.equal((await told(rig)).length, 6, "now it works again");
    await turn(minutes(4), minutes(4));
    t.same(
      (await told(rig)).slice(6),
      ["probe_fault", "probe_works"],
      "after a day it is believed as at first",
    );
  },
);

t.test("a restart tells nothing twice, and knows what was told", async (t) => {
  const rig = await rigFor(t, { start: START, config: CONFIG });
  unplug(rig);
  await rig.passSampling(minutes(5), MINUTE);
  await rig.restart(); // a new bench begins with the probe in its socket
  unplug(rig);
  await rig.passSampling(minutes(5), MINUTE);
  t.same(await told(rig), ["probe_fault"]);
  await rig.restart();
  await rig.passSampling(minutes(5), MINUTE);
  t.same(await told(rig), ["probe_fault", "probe_works"]);
});

t.test("a probe that is read once an hour is told of at its second bad reading", async (t) => {
  const rig = await rigFor(t, { start: START, config: CONFIG });
  unplug(rig);
  await rig.passSampling(hours(1), hours(1));
  t.same(await told(rig), []);
  await rig.passSampling(hours(1), hours(1));
  t.same(await told(rig), ["probe_fault"]);
});

t.test("a full disk keeps no reading back, and the news is told once there is room", async (t) => {
  const rig = await rigFor(t, { start: START, config: CONFIG });
  const mend = rig.fillDisk();
  unplug(rig);
  await rig.passSampling(minutes(5), MINUTE);
  mend();
  await rig.passSampling(MINUTE, MINUTE);
  t.same(await told(rig), ["probe_fault"]);
});
