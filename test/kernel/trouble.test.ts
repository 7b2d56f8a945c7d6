import { chmodSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { boot, type Ending } from "./boot.js";
import { builtKernel } from "./kernel.js";
import { inMemory } from "./machine.js";

/** What becomes of a test whose kernel does not live to see its end. Whoever says nothing of it passes everything. */

const kernel = builtKernel();
if ("cannot" in kernel) t.plan(0, kernel.cannot);
else {
  t.test("a test that ends is told with its status and what it printed", async (t) => {
    const { ending, lines } = await bootWith(t, kernel.path, 'console.log("ok 1"); process.exitCode = 3;');
    t.match(ending, { status: 3, trouble: undefined });
    t.same(lines, ["ok 1"]);
  });

  t.test("a kernel that is switched off in mid-test is trouble, whatever came before", async (t) => {
    const off =
      'import { execSync } from "node:child_process"; console.log("ok 1"); execSync("busybox poweroff -f");';
    const { ending } = await bootWith(t, kernel.path, off);
    t.match(ending, { status: undefined, trouble: /in mid-test/ });
  });

  t.test("a panic is trouble, and the last lines tell of it", async (t) => {
    const { ending } = await bootWith(t, kernel.path, PANIC);
    t.match(ending, { status: undefined, trouble: /in mid-test/ });
    t.match(ending.console.join("\n"), /Kernel panic - not syncing: Out of memory/);
  });

  t.test("a kernel that hangs is killed when its time is over", async (t) => {
    const { ending } = await bootWith(t, kernel.path, "for (;;);", 4);
    t.match(ending, { status: undefined, trouble: "the kernel ended in mid-test (killed after 4 s)" });
  });

  t.test("a kernel that is none is trouble", async (t) => {
    const broken = t.testdir({ linux: "#!/bin/false\n", "i2c-stub.ko": "", dtc: "#!/bin/true\n" });
    for (const program of ["linux", "dtc"]) chmodSync(join(broken, program), 0o755);
    const ending = await boot(inMemory(broken, "none"), () => undefined);
    t.match(ending, { status: undefined, trouble: /before the test began/ });
  });
}

/** Uses up what memory there is; most of it is set aside before, which is quicker. */
const PANIC = `
  import { writeFileSync } from "node:fs";
  writeFileSync("/proc/sys/vm/min_free_kbytes", "350000");
  writeFileSync("/proc/sys/vm/panic_on_oom", "2");
  for (const kept = []; ; ) kept.push(Buffer.alloc(2 ** 24, 1));
`;

async function bootWith(
  t: Test,
  kernel: string,
  program: string,
  limit?: number,
): Promise<{ ending: Ending; lines: string[] }> {
  const test = join(t.testdir({ "inside.mjs": program }), "inside.mjs");
  const lines: string[] = [];
  const ending = await boot(inMemory(kernel, test), (line) => void lines.push(line), limit);
  return { ending, lines };
}
