import t, { type Test } from "tap";
import { SimulatedClock } from "../../drivers/clock/simulated-clock.js";
import { seconds } from "../../drivers/units.js";
import { FreeSpace } from "../../runtime/store/free-space.js";
import { type Rig, rigFor } from "../rig.js";

const HUMAN = { as: "human" } as const;
const MIB = 1_048_576;
const ACTION = { type: "observe", details: {} };

/** A rig on a disk of 32 GB with so many bytes left, which the runtime has seen. */
async function rigWith(t: Test, free: number): Promise<Rig> {
  const rig = await rigFor(t, { hydration: 20 });
  await leave(rig, free);
  return rig;
}

async function leave(rig: Rig, free: number): Promise<void> {
  rig.disk.freeBytes = free;
  for (let turn = 0; turn < 3; turn += 1) {
    await rig.get("get_overview"); // looks
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}

t.test(
  "on a disk that is nearly full agents write nothing more, and may again once there is room",
  async (t) => {
    const rig = await rigWith(t, 31 * MIB);
    const refusal = await rig.refused("log_action", ACTION);
    t.match(refusal, {
      code: "DISK_NEARLY_FULL",
      retryable: true,
      message: /31 MiB .*agents.* 32 MiB.*free some space/s,
      details: { free_bytes: 31 * MIB, reserve_bytes: 32 * MIB },
    });
    for (const [name, args] of [
      ["save_notes", { content: "x" }],
      ["capture_photo", {}],
    ] as const)
      t.equal((await rig.refused(name, args)).code, "DISK_NEARLY_FULL", name);
    await rig.get("read_moisture");
    t.match(await rig.get("get_overview"), { warnings: [/31 MiB are left/] });
    await leave(rig, 33 * MIB);
    t.match(await rig.get("get_overview"), { warnings: [] });
    await rig.get("log_action", ACTION);
  },
);

t.test("a call that was done is answered again with its key, however little room there is", async (t) => {
  const rig = await rigWith(t, 33 * MIB);
  const first = await rig.get("log_action", ACTION, { key: "k" });
  await leave(rig, MIB);
  t.same(await rig.get("log_action", ACTION, { key: "k" }), first);
  t.equal((await rig.refused("log_action", ACTION, { key: "other" })).code, "DISK_NEARLY_FULL");
  await leave(rig, 33 * MIB);
  await rig.get("log_action", ACTION, { key: "other" });
});

t.test("a care goes on with half of the reserve", async (t) => {
  const rig = await rigWith(t, 17 * MIB);
  await rig.status([{ action: "water", value: 10 }]);
  await rig.water(10);
  await rig.get("send_message_to_human", { message: "there is little room" });
  await leave(rig, 15 * MIB);
  t.equal((await rig.refused("dispense_water", { ml: 10 })).code, "DISK_NEARLY_FULL");
  t.equal((await rig.refused("turn_on_light", { minutes: 30 })).code, "DISK_NEARLY_FULL");
});

t.test("a person, and whatever switches off, is never refused for want of room", async (t) => {
  const rig = await rigWith(t, MIB);
  await rig.water(10, HUMAN);
  await rig.get("turn_on_light", { minutes: 30 }, HUMAN);
  await rig.get("turn_off_light");
  await rig.get("stop_all");
  await rig.get("pause_agents", { paused: true, reason: "full" }, HUMAN);
  await rig.get("set_hold", { hold: true, reason: "full" }, HUMAN);
  await rig.get("send_message_to_agent", { message: "x" }, HUMAN);
});

t.test("where the room is not known, nobody is refused", async (t) => {
  const clock = new SimulatedClock();
  const answers: Array<() => Promise<{ bavail: number; bsize: number; blocks: number }>> = [];
  const low = { bavail: 1, bsize: MIB, blocks: 32_768 };
  const room = new FreeSpace("/", clock, () => answers.shift()?.() ?? Promise.reject(new Error("EIO")));
  const settled = async () => {
    await clock.advance(seconds(1));
    await new Promise((resolve) => setImmediate(resolve));
  };
  const asked = async () => {
    room.look();
    await settled();
  };
  room.assertLeft("reserve");
  await settled();
  room.assertLeft("reserve");
  answers.push(async () => low);
  await settled();
  await asked();
  t.throws(() => room.assertLeft("reserve"), { code: "DISK_NEARLY_FULL" });
  await settled();
  t.doesNotThrow(() => room.assertLeft("reserve"), "it could not be asked again");
  answers.push(async () => low);
  await settled();
  await asked();
  t.throws(() => room.assertLeft("reserve"), { code: "DISK_NEARLY_FULL" });
  answers.push(() => new Promise(() => undefined));
  await settled();
  room.look();
  for (let second = 0; second < 3; second += 1) await settled();
  t.doesNotThrow(() => room.assertLeft("reserve"), "the disk hangs");
});

t.test("of a small disk a tenth is the reserve", async (t) => {
  const room = (left: number) =>
    new FreeSpace("/", new SimulatedClock(), async () => ({ bavail: left, bsize: MIB, blocks: 100 }));
  for (const [left, isRefused] of [
    [11, false],
    [9, true],
  ] as const) {
    const disk = room(left);
    disk.look();
    await new Promise((resolve) => setImmediate(resolve));
    const refused = () => disk.assertLeft("reserve");
    if (isRefused) t.throws(refused, { code: "DISK_NEARLY_FULL" });
    else t.doesNotThrow(refused);
  }
});
