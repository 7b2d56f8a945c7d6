import type { Gpio } from "onoff";
import { DriverError } from "../errors.js";

/**
 * The package `onoff`, loaded only where a pin needs it: its addon is native. Rejects with PACKAGE_UNAVAILABLE.
 * @param load in place of the import, which takes the default: the names of CommonJS get lost in a bundle
 */
export async function loadOnoff(
  load: () => Promise<{ readonly Gpio: typeof Gpio }> = async () => (await import("onoff")).default,
): Promise<typeof Gpio> {
  try {
    return (await load()).Gpio;
  } catch (cause) {
    const what = "the optional package onoff is not installed, or the native part of its epoll was not built";
    throw new DriverError("PACKAGE_UNAVAILABLE", what, { cause });
  }
}
