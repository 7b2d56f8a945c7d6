import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { insideTests } from "./inside-tests.js";
import { builtDebian, builtKernel, PROJECT } from "./kernel.js";

/**
 * `npm run test:kernel [-- NAME...]`: the tests inside the kernel, all or those that are named. `npm run test:systemd [-- NAME...]`:
 * the package's life under systemd, all of it, or the installation and the chapters that are named.
 */

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
/** Seconds for all files together; boot.ts limits each. */
const TIME_LIMIT = 3600;

const [suite, ...names] = process.argv.slice(2);
const cannot = suite === "systemd" ? cannotBe(builtKernel(), builtDebian()) : cannotBe(builtKernel());
if (cannot) skip(cannot);
else process.exitCode = suite === "systemd" ? runTap("systemd.test.js") : inKernel();

function cannotBe(...built: readonly ReturnType<typeof builtKernel>[]): string | undefined {
  return built.flatMap((each) => ("cannot" in each ? [each.cannot] : []))[0];
}

function inKernel(): number {
  insideTests(names);
  return names.length > 0 ? runTap("bench.test.js") : runTap("bench.test.js", "trouble.test.js");
}

function runTap(...files: readonly string[]): number {
  const named = names.map((name) => `--test-arg=${name}`);
  const options = ["--jobs=1", `--timeout=${TIME_LIMIT}`, ...named];
  const { status } = spawnSync(join(PROJECT, "node_modules/.bin/tap"), [...options, ...files.map(fileOf)], {
    stdio: "inherit",
  });
  return status ?? 1;
}

/** Not a failure of what is tested, and not to be overlooked either. */
function skip(why: string): void {
  const line = "=".repeat(80);
  const what = suite === "systemd" ? "tests under a real systemd" : "tests inside a real kernel";
  console.error(`${line}\nTHE ${what.toUpperCase()} WERE NOT RUN: ${why}\n${line}`);
  console.log(`TAP version 14\n1..0 # SKIP the ${what} were not run: ${why}`);
}
