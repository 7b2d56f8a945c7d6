import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { DiskWatch } from "../../../runtime/store/durable-file.js";

t.test("a folder that can be written to is well, and nothing is written to learn it", async (t) => {
  const folder = t.testdir();
  await new DiskWatch(folder).assertWritable();
  t.notOk(existsSync(join(folder, "trial")));
});

t.test("a folder that is gone is not", async (t) => {
  await t.rejects(new DiskWatch("/nonexistent/state").assertWritable(), { code: "STORE_FAILED" });
});

t.test("a file system that has no room is not", { skip: !existsSync("/sys/kernel") }, async (t) => {
  // the kernel's own has no blocks at all
  await t.rejects(new DiskWatch("/sys").assertWritable(), { code: "STORE_FAILED" });
});

t.test("after a failed write one is tried, until it works", async (t) => {
  const folder = t.testdir({ trial: {} });
  const disk = new DiskWatch(folder);
  disk.doubt(new Error("EIO"));
  await t.rejects(disk.assertWritable(), { code: "STORE_FAILED" });
  rmSync(join(folder, "trial"), { recursive: true });
  await disk.assertWritable();
  t.ok(existsSync(join(folder, "trial")));
  rmSync(join(folder, "trial"));
  await disk.assertWritable();
  t.notOk(existsSync(join(folder, "trial")), "and no more after that");
});
