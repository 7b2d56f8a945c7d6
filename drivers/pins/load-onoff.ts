import type { Gpio } from "onoff";
import { DriverError } from "../errors.js";

/** The package `onoff`, loaded only where a pin needs it: its addon is native. Rejects with PACKAGE_UNAVAILABLE. */
export async function loadOnoff(): Promise<typeof Gpio> {
  try {
    return (await import("onoff")).Gpio;
  } catch (cause) {
    throw new DriverError("PACKAGE_UNAVAILABLE", "the package onoff is not installed or was not built", {
      cause,
    });
  }
}
