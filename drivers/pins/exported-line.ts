import { accessSync, closeSync, constants, existsSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../ports.js";
import { onceHandedOver } from "./udev.js";

const SYSFS_GPIO = "/sys/class/gpio";
/** What onoff writes to [Documentation/admin-guide/gpio/sysfs.rst]. */
const FILES = ["direction", "active_low", "value", "edge"];

/**
 * Exports a line, and waits until its files are ours. onoff does both, but waits without a pause, in which udev can do nothing
 * where there is one processor, and gives up after ten thousand looks, half a second. `number`: the kernel's own. Rejects with
 * what the system says: EBUSY where the line is taken, EACCES where udev's rule is missing.
 */
export async function exportLine(
  number: number,
  clock: Pick<Clock, "sleep">,
  root = SYSFS_GPIO,
): Promise<void> {
  const folder = join(root, `gpio${number}`);
  if (!existsSync(folder)) await onceHandedOver(() => tell(join(root, "export"), String(number)), clock);
  // a line without interrupts has no edge
  for (const file of FILES.map((name) => join(folder, name)).filter((path) => existsSync(path)))
    await onceHandedOver(() => accessSync(file, constants.W_OK), clock);
}

/** `export` may be written alone, so "r+" is refused, and "w" would make a file where there is none. */
function tell(path: string, text: string): void {
  const file = openSync(path, constants.O_WRONLY);
  try {
    writeSync(file, text);
  } finally {
    closeSync(file);
  }
}
