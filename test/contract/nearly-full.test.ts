import t, { type Test } from "tap";
import { SimulatedClock } from "../../drivers/clock/simulated-clock.js";
import { millis, seconds } from "../../drivers/units.js";
import { FreeSpace } from "../../runtime/store/free-space.js";
import { type Rig, rigFor } from "../rig.js";

const HUMAN = { as: "human" } as const;
const MIB = 1_048_576;
const ACTION = { type: "observe", details: {} };

/** A rig on a disk of 32 GB with so many bytes left, which the runtime has seen. */
async function rigWith(t: Test, free: number): Promise<Rig> {
  const rig = await rigFor(t, { hydration: 20, peopleToo: true });
  await leave(rig, free);
  return rig;
}

async function leave(rig: Rig, free: number): Promise<void> {
  rig.disk.freeBytes = free;
  for (let turn = 0; turn < 2; turn += 1) {
    await rig.pass(seconds(1));
    await rig.get("get_overview"); // looks
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

type Answer = () => Promise<{ bavail: number; bsize: number; blocks: number }>;

const leaves =
  (mib: number, of = 32_768): Answer =>
  async () => ({ bavail: mib, bsize: MIB, blocks: of });
const fails: Answer = () => Promise.reject(new Error("EIO"));
const hangs: Answer = () => new Promise(() => undefined);

/** The room on a disk that answers as it is told. */
function roomOn(disk: { answer: Answer }) {
  const clock = new SimulatedClock();
  const asked: string[] = [];
  const ask = (folder: string) => {
    asked.push(folder);
    return disk.answer();
  };
  const room = new FreeSpace("/state", clock, ask);
  const pass = async (time: number) => {
    await clock.advance(millis(time));
    room.look();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { room, asked, pass };
}

t.test("where the room is not known, nobody is refused", async (t) => {
  const disk = { answer: leaves(1) };
  const { room, asked, pass } = roomOn(disk);
  const free = (why: string) => t.doesNotThrow(() => room.assertLeft("reserve"), why);
  const refused = (why: string) =>
    t.throws(() => room.assertLeft("reserve"), { code: "DISK_NEARLY_FULL" }, why);
  free("it was not asked yet");
  await pass(0);
  refused("there is little room");
  disk.answer = fails;
  await pass(1000);
  free("it could not be asked again");
  disk.answer = leaves(1);
  await pass(1000);
  refused("there is little room");
  disk.answer = hangs;
  await pass(1000);
  await pass(2000);
  refused("for two seconds counts what it said last");
  await pass(1);
  free("the disk hangs");
  t.equal(asked.length, 4, "a disk that hangs is not asked again");
});

t.test("the disk of the state folder is asked ten times a second at most", async (t) => {
  const { asked, pass } = roomOn({ answer: leaves(100) });
  for (const time of [0, 99, 0, 1, 99]) await pass(time);
  t.same(asked, ["/state", "/state"]);
});

t.test("of a small disk a tenth is the reserve", async (t) => {
  for (const [left, isLow] of [
    [11, false],
    [10, true],
  ] as const) {
    const { room, pass } = roomOn({ answer: leaves(left, 110) });
    await pass(0);
    if (isLow) t.throws(() => room.assertLeft("reserve"), { code: "DISK_NEARLY_FULL" });
    else t.doesNotThrow(() => room.assertLeft("reserve"));
    t.equal(room.problem !== undefined, isLow);
  }
});
