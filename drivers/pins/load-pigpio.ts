import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { DriverError } from "../errors.js";
import { isMissing } from "../system-error.js";

export type Pigpio = typeof import("pigpio");

const require = createRequire(import.meta.url);

/**
 * The package `pigpio`, loaded only where it can work: requiring it without its C library prints a page of warnings, and
 * the first call then fails. Throws OUTPUT_UNSAFE on a Pi 5, PACKAGE_UNAVAILABLE where the package or its addon is missing.
 * `compatible` is what the device tree calls the board, of this one by default.
 */
export function loadPigpio(compatible = boardNames()): Pigpio {
  refusePi5(compatible);
  const manifest = find("pigpio/package.json");
  if (manifest === undefined)
    throw new DriverError("PACKAGE_UNAVAILABLE", "the package pigpio is not installed");
  const why = addonTrouble(manifest);
  if (why !== undefined)
    throw new DriverError("PACKAGE_UNAVAILABLE", "the package pigpio has no C library behind it", {
      cause: why,
    });
  return require("pigpio");
}

/** The pins of a Pi 5 are on another chip, RP1; pigpio refuses its revision code (`gpioHardwareRevision` in pigpio.c, issue 589). */
function refusePi5(compatible: string): void {
  if (compatible.includes("bcm2712"))
    throw new DriverError("OUTPUT_UNSAFE", "pigpio cannot reach the pins of a Raspberry Pi 5, via: led can");
}

/** As in `raspberrypi,4-model-b\0brcm,bcm2711\0`; nothing where there is no device tree. */
function boardNames(): string {
  try {
    return readFileSync("/proc/device-tree/compatible", "utf8");
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}

function find(module: string): string | undefined {
  try {
    return require.resolve(module);
  } catch {
    return undefined;
  }
}

/** Loads the addon as the package itself would, by its `bindings`. Without the C library, npm builds one that is empty. */
function addonTrouble(manifest: string): unknown {
  try {
    const bindings = createRequire(manifest)("bindings");
    const addon = bindings({ bindings: "pigpio.node", module_root: dirname(manifest) });
    if (typeof addon.gpioInitialise !== "function") throw new Error("the addon exports no gpioInitialise");
    return undefined;
  } catch (error) {
    return error;
  }
}
