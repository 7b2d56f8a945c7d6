import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const PROJECT = fileURLToPath(new URL("../../../", import.meta.url));
/** This folder as it is in the repository: scripts, configuration and device tree are not compiled. */
export const KERNEL_SOURCES = fileURLToPath(new URL("../../../test/kernel/", import.meta.url));
/** Status of both scripts where what they need is not there. */
const CANNOT = 3;

type Built = { readonly path: string } | { readonly cannot: string };

/**
 * The folder of the kernel, built where that has not been done before; or why it cannot be here. Throws if the build
 * fails, which says why on stderr.
 */
export const builtKernel = (): Built => built("build.sh");

/** The disk with a clean Debian, made where that has not been done this month; or why it cannot be here. */
export const builtDebian = (): Built => built("debian/image.sh");

function built(script: string): Built {
  const { status, stdout, error } = spawnSync("bash", [KERNEL_SOURCES + script], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (error) return { cannot: error.message };
  if (status === CANNOT) return { cannot: stdout.trim() };
  if (status === 0) return { path: stdout.trim() };
  throw new Error(`test/kernel/${script} ended with status ${status}`);
}
