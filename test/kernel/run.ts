import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { insideTests } from "./inside-tests.js";
import { builtKernel, PROJECT } from "./kernel.js";

/** `npm run test:kernel [-- NAME...]`: the tests inside the kernel, all or those that are named. */

const [BENCH, TROUBLE] = ["bench.test.js", "trouble.test.js"].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
) as [string, string];
/** Seconds for all files together; boot.ts limits each. */
const TIME_LIMIT = 3600;

const names = process.argv.slice(2);
insideTests(names);
const kernel = builtKernel();
if ("cannot" in kernel) skip(kernel.cannot);
else process.exitCode = runTap();

function runTap(): number {
  const named = names.map((name) => `--test-arg=${name}`);
  const options = ["--jobs=1", `--timeout=${TIME_LIMIT}`, ...named];
  const files = names.length > 0 ? [BENCH] : [BENCH, TROUBLE];
  const { status } = spawnSync(join(PROJECT, "node_modules/.bin/tap"), [...options, ...files], {
    stdio: "inherit",
  });
  return status ?? 1;
}

/** Not a failure of what is tested, and not to be overlooked either. */
function skip(why: string): void {
  const line = "=".repeat(80);
  console.error(`${line}\nTHE TESTS INSIDE A REAL KERNEL WERE NOT RUN: ${why}\n${line}`);
  console.log(`TAP version 14\n1..0 # SKIP the tests inside a real kernel were not run: ${why}`);
}
