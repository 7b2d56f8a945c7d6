import { statSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { makeFolder } from "../../drivers/durable-file.js";

t.test(
  "a folder is made with those it lies in, each with the mode, and one that is there is left alone",
  async (t) => {
    const root = t.testdir({ open: {} });
    await makeFolder(join(root, "a", "b", "c"), 0o700);
    for (const path of ["a", "a/b", "a/b/c"]) t.equal(statSync(join(root, path)).mode & 0o777, 0o700, path);
    const before = statSync(join(root, "open")).mode;
    await makeFolder(join(root, "open"), 0o700);
    t.equal(statSync(join(root, "open")).mode, before);
    await makeFolder("/");
  },
);

t.test("two who make the same folder at once both have it", async (t) => {
  const folder = join(t.testdir(), "a", "b", "c");
  await Promise.all([makeFolder(folder), makeFolder(folder), makeFolder(join(folder, "d"))]);
  t.ok(statSync(join(folder, "d")).isDirectory());
});

t.test("where none can be made it says why, also below /proc", async (t) => {
  const file = join(t.testdir({ file: "" }), "file");
  await t.rejects(makeFolder(file), { code: "EEXIST" });
  await t.rejects(makeFolder(join(file, "a", "b")), { code: "ENOTDIR" });
  await t.rejects(makeFolder("/proc/nowhere/at/all"), { code: "ENOENT" });
});
