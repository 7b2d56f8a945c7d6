import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
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
  await rm(join(folder, "lock.sqlite"));
  await t.rejects(lock.assertHeld(), { code: "STATE_IN_USE" });
  const thief = await lockState(folder);
  await t.rejects(lock.assertHeld(), { code: "STATE_IN_USE" });
  await thief.release();
  await lock.release();
});

t.test("a lock file that is garbage is made anew", async (t) => {
  const folder = t.testdir();
  await writeFile(join(folder, "lock.sqlite"), "x".repeat(5000));
  const lock = await lockState(folder);
  await t.rejects(lockState(folder), { code: "STATE_IN_USE" });
  await lock.release();
});
