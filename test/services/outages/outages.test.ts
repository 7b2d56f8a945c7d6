import t from "tap";
import { hours, minutes } from "../../../drivers/units.js";
import { type Rig, rigFor } from "../../rig.js";

const RANGE = { start_time: "2026-01-01T00:00:00Z", end_time: "2027-01-01T00:00:00Z" };
const START = "2026-06-01T08:00:00.000Z";

async function record(rig: Rig, range: object = RANGE): Promise<unknown[]> {
  const { events } = await rig.get("get_care_record", { ...RANGE, ...range }, { as: "observer" });
  return events as unknown[];
}

const unplug = (rig: Rig) => {
  rig.bench.faults("basil").probe = "unplugged";
};
const plug = (rig: Rig) => {
  delete rig.bench.faults("basil").probe;
};

t.test(
  "the begin and the end of a probe's fault are on record, once each, after a restart too",
  async (t) => {
    const rig = await rigFor(t, { start: START });
    await rig.core.sample();
    await rig.pass(minutes(1));
    unplug(rig);
    for (let round = 0; round < 5; round++) {
      await rig.core.sample();
      await rig.pass(minutes(1));
    }
    await rig.restart(); // a new bench begins with the probe in its socket
    await rig.core.sample();
    const wanted = [
      {
        kind: "probe_fault",
        timestamp: "2026-06-01T08:01:00.000Z",
        code: "PROBE_DISCONNECTED",
        by: "runtime",
      },
      { kind: "started", timestamp: "2026-06-01T08:06:00.000Z", since: undefined },
      {
        ...{ kind: "probe_ok", timestamp: "2026-06-01T08:06:00.000Z", code: "PROBE_DISCONNECTED" },
        since: "2026-06-01T08:01:00.000Z",
      },
    ];
    const found = await record(rig);
    t.match(found, wanted);
    t.equal(found.length, 3);
    await rig.restart();
    t.same(await record(rig), found);
  },
);

t.test("an end is told of the time in which its fault began or lasted, and of no time before", async (t) => {
  const rig = await rigFor(t, { start: START });
  unplug(rig);
  await rig.core.sample();
  await rig.pass(hours(5));
  plug(rig);
  await rig.core.sample();
  const between = { start_time: "2026-06-01T10:00:00Z", end_time: "2026-06-01T11:00:00Z" };
  t.match(await record(rig, between), [{ kind: "probe_ok", since: START }]);
  t.same(await record(rig, { end_time: "2026-06-01T07:00:00Z" }), []);
  t.same(await record(rig, { start_time: "2026-06-01T14:00:00Z" }), []);
});

t.test(
  "a loose contact is on record once in ten minutes, and a full disk keeps no reading back",
  async (t) => {
    const rig = await rigFor(t, { start: START });
    for (let round = 0; round < 8; round++) {
      unplug(rig);
      await rig.core.sample();
      plug(rig);
      await rig.core.sample();
      await rig.pass(minutes(1));
    }
    t.match(await record(rig), [{ kind: "probe_fault" }, { kind: "probe_ok" }]);
    t.equal((await record(rig)).length, 2);
    await rig.pass(minutes(10));
    const mend = rig.fillDisk();
    unplug(rig);
    t.equal((await rig.refused("read_moisture")).code, "PROBE_FAULT");
    plug(rig);
    t.match(await rig.get("read_moisture"), { quality: "ok" });
    mend();
  },
);

t.test("a camera that fails and works again is on record", async (t) => {
  const rig = await rigFor(t, { start: START });
  rig.bench.faults("basil").camera = "dead";
  await rig.refused("capture_photo", {}, { as: "agent" });
  delete rig.bench.faults("basil").camera;
  await rig.get("capture_photo", {}, { as: "agent" });
  t.match(await record(rig), [{ kind: "camera_fault", code: "CAMERA_FAILED" }, { kind: "camera_ok" }]);
});

t.test("after a power cut the record says from when to when nothing was measured", async (t) => {
  const rig = await rigFor(t, { start: START });
  await rig.core.sample();
  await rig.restart();
  await rig.core.sample();
  t.same(await record(rig), [], "a quick restart misses no reading");
  await rig.pass(minutes(1));
  await rig.core.sample();
  await rig.stop();
  await rig.clock.advance(hours(2));
  await rig.open();
  await rig.core.sample();
  await rig.core.sample();
  t.match(await record(rig), [
    { kind: "started", since: "2026-06-01T08:01:00.000Z", timestamp: "2026-06-01T10:01:00.000Z" },
  ]);
  t.equal((await record(rig)).length, 1);
});
