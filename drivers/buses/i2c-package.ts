import type { PromisifiedBus } from "i2c-bus";
import { DriverError } from "../errors.js";

/** A bus as the package `i2c-bus` gives it. */
export type KernelBus = PromisifiedBus;
/** Opens /dev/i2c-N. The package does so at the first transfer: what is wrong with it shows then. */
export type OpenBus = (busNumber: number) => Promise<KernelBus>;

/**
 * Opens a bus with the package `i2c-bus`, which is loaded only now: it is compiled where it is installed, and the bench
 * does without. Rejects with PACKAGE_UNAVAILABLE.
 */
export async function openWithPackage(
  busNumber: number,
  load: () => Promise<typeof import("i2c-bus")> = () => import("i2c-bus"),
): Promise<KernelBus> {
  const { default: package_ } = await load().catch((cause: unknown) => {
    const what = "the optional package i2c-bus is not installed, or its native part was not built";
    throw new DriverError("PACKAGE_UNAVAILABLE", what, { cause });
  });
  return package_.openPromisified(busNumber);
}
