import type { InterlockDevice } from "../../devices/interlock/device.js";
import { Interlock } from "../../devices/interlock/interlock.js";
import { openSerialLine } from "../../devices/interlock/serial-line.js";
import type { Clock, SerialLine } from "../../ports.js";

/**
 * Asks who is at a serial port, in the interlock's own protocol, which switches everything off there. Undefined where nobody
 * answers. Only while no runtime has the port. Rejects with INTERLOCK_PORT or PACKAGE_UNAVAILABLE.
 */
export async function askInterlock(
  port: string,
  clock: Clock,
  openLine: (port: string, clock: Clock) => Promise<SerialLine> = openSerialLine,
): Promise<InterlockDevice["latest"]> {
  const interlock = await Interlock.open(await openLine(port, clock), clock);
  try {
    return interlock.latest;
  } finally {
    await interlock.close();
  }
}
