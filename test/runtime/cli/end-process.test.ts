import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import t from "tap";

const END = new URL("../../../runtime/cli/end-process.js", import.meta.url).href;

/** A process that ends, while it opens a pipe that nobody writes to, or does not. */
async function endOf(before: string) {
  const script = `import { open } from "node:fs/promises"; import { endProcess } from "${END}";
    ${before}; await endProcess();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" });
  return once(child, "exit");
}

t.test(
  "a process whose thread waits for a disk ends all the same, and as a service that ended well",
  async (t) => {
    const pipe = `${t.testdir()}/pipe`;
    t.equal(spawnSync("mkfifo", [pipe]).status, 0);
    const hang = `void open("${pipe}"); process.on("SIGTERM", () => undefined)`;
    t.same(await endOf(hang), [null, "SIGTERM"]);
    t.same(await endOf(`${hang}; process.exitCode = 1`), [null, "SIGKILL"], "after a failure");
    t.same(await endOf(""), [0, null]);
    t.same(await endOf("process.exitCode = 1"), [1, null]);
  },
);
