import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { Database } from "../../../runtime/store/database.js";
import { lockState } from "../../../runtime/store/state-lock.js";

t.test("a state folder has one owner; the second is told so and does no harm", async (t) => {
  const folder = t.testdir();
  const lock = await lockState(folder);
  await t.rejects(lockState(folder), { code: "STATE_IN_USE", message: /stop the other runtime/ });
  await t.rejects(lockState(folder), { code: "STATE_IN_USE" });
  await lock.release();
  const next = await lockState(folder);
  await next.release();
});

t.test("a folder that cannot be locked is not taken for one in use", async (t) => {
  await t.rejects(lockState("/proc/nowhere"), { code: "STORE_FAILED" });
});

t.test("a lock whose file is taken away is no longer held", async (t) => {
  const folder = t.testdir();
  const lock = await lockState(folder);
  await lock.assertHeld();
  for (const name of ["lock.sqlite", ".lock.twin"]) await rm(join(folder, name));
  await t.rejects(lock.assertHeld(), { code: "STATE_IN_USE" });
  const thief = await lockState(folder);
  await t.rejects(lock.assertHeld(), { code: "STATE_IN_USE" });
  await thief.release();
  await lock.release();
});

t.test("no second owner starts beside the first when the lock's file is removed or replaced", async (t) => {
  const folder = t.testdir();
  const file = join(folder, "lock.sqlite");
  const lock = await lockState(folder);
  await rm(file);
  await t.rejects(lockState(folder), { code: "STATE_IN_USE" });
  await lock.assertHeld(); // its file stands in its place again
  await rm(file);
  await writeFile(file, "");
  await t.rejects(lockState(folder), { code: "STATE_IN_USE" });
  await lock.release();
  const next = await lockState(folder);
  await rm(file);
  await t.rejects(lockState(folder), { code: "STATE_IN_USE" });
  await next.release();
});

t.test("a state folder that was copied, with its lock's files, has an owner of its own", async (t) => {
  const folder = t.testdir({ "lock.sqlite": "", ".lock.twin": "" });
  const lock = await lockState(folder);
  await lock.assertHeld();
  await rm(join(folder, "lock.sqlite"));
  await t.rejects(lockState(folder), { code: "STATE_IN_USE" });
  await lock.release();
});

t.test("a lock file that is garbage is emptied in place: it is never removed", async (t) => {
  for (const garbage of ["x".repeat(5000), "\0".repeat(4096)]) {
    const folder = t.testdir();
    const file = join(folder, "lock.sqlite");
    await writeFile(file, garbage);
    const { ino } = await stat(file);
    const lock = await lockState(folder);
    t.match(await stat(file), { ino, size: 0 });
    await t.rejects(lockState(folder), { code: "STATE_IN_USE" });
    await lock.assertHeld();
    await lock.release();
  }
});

t.test("a lock whose file is replaced while it is taken is not held: the one in its place is", async (t) => {
  const folder = t.testdir();
  const file = join(folder, "lock.sqlite");
  await writeFile(file, "x".repeat(5000));
  let slept = 0;
  const clock = { sleep: async () => void (slept++ === 0 && (await rm(file))) }; // as an earlier version does with garbage
  const lock = await lockState(folder, clock);
  t.equal(slept, 2);
  await lock.assertHeld();
  await t.rejects(lockState(folder), { code: "STATE_IN_USE" });
  await lock.release();
});

t.test("a lock that an earlier version holds is respected, and the other way round", async (t) => {
  const folder = t.testdir();
  const earlier = () =>
    Database.open({
      file: join(folder, "lock.sqlite"),
      setup: ["PRAGMA busy_timeout = 0", "BEGIN EXCLUSIVE"],
    });
  const theirs = await earlier();
  await t.rejects(lockState(folder), { code: "STATE_IN_USE" });
  await theirs.close();
  const ours = await lockState(folder);
  await t.rejects(earlier(), { code: "STORE_FAILED", cause: { code: "SQLITE_BUSY" } });
  await ours.release();
});

t.test("a lock file that cannot be emptied is told with the reason", async (t) => {
  const folder = t.testdir({ "lock.sqlite": {} });
  await t.rejects(lockState(folder), { code: "STORE_FAILED", message: /lock.sqlite/ });
});
