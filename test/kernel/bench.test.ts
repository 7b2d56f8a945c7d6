import { fileURLToPath } from "node:url";
import t from "tap";
import { PLAIN_NODE } from "../spawn-node.js";
import { insideTests } from "./inside-tests.js";
import { builtKernel } from "./kernel.js";

const BOOT_ONE = fileURLToPath(new URL("boot-one.js", import.meta.url));
/** Milliseconds. boot.ts ends a kernel sooner than that. */
const TIME_LIMIT = 660_000;

/** Each test file in a boot of its own, so that nothing that one leaves behind meets another. */
const kernel = builtKernel();
if ("cannot" in kernel) t.plan(0, kernel.cannot);
else {
  // A kernel has one processor. Two at a time is a choice, for the two cores of a small machine.
  t.jobs = 2;
  const [program, ...before] = PLAIN_NODE;
  for (const [name, file] of insideTests(process.argv.slice(2))) {
    t.spawn(program, [...before, BOOT_ONE, kernel.path, file], { buffered: true, timeout: TIME_LIMIT }, name);
  }
}
