import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const PROJECT = fileURLToPath(new URL("../../../", import.meta.url));
/** This folder as it is in the repository: scripts, configuration and device tree are not compiled. */
export const KERNEL_SOURCES = fileURLToPath(new URL("../../../test/kernel/", import.meta.url));
/** Status of build.sh where what it needs is not there. */
const CANNOT = 3;

/**
 * The folder of the kernel, built where that has not been done before; or why it cannot be here. Throws if the build
 * fails, which says why on stderr.
 */
export function builtKernel(): { readonly folder: string } | { readonly cannot: string } {
  const { status, stdout, error } = spawnSync("bash", [`${KERNEL_SOURCES}build.sh`], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (error) return { cannot: error.message };
  if (status === CANNOT) return { cannot: stdout.trim() };
  if (status === 0) return { folder: stdout.trim() };
  throw new Error(`test/kernel/build.sh ended with status ${status}`);
}
