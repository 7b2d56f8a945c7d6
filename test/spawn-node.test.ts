import { once } from "node:events";
import { createInterface } from "node:readline";
import t from "tap";
import { SystemClock } from "../drivers/clock/system-clock.js";
import { isAlive } from "../drivers/system-error.js";
import { millis } from "../drivers/units.js";
import { spawnNode } from "./spawn-node.js";

const notLinux = process.platform !== "linux" && "only Linux tells a process that its parent has ended";

t.test(
  "what a test has started ends with it, also where the test is killed",
  { skip: notLinux },
  async (t) => {
    const own = JSON.stringify(new URL("spawn-node.js", import.meta.url).href);
    const test = spawnNode([
      "--input-type=module",
      "--eval",
      `const { spawnNode } = await import(${own});
     const child = spawnNode(["--eval", "console.log(process.pid); setInterval(() => undefined, 1000)"]);
     child.stdout.pipe(process.stdout);`,
    ]);
    const [line] = (await once(createInterface({ input: test.stdout }), "line")) as [string];
    const started = Number(line);
    t.ok(isAlive(started));
    test.kill("SIGKILL");
    // the case ends by its limit of time if it never ends
    while (isAlive(started)) await new SystemClock().sleep(millis(10));
    t.pass("it has ended");
  },
);
