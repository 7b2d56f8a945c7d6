import type { InterlockDevice } from "../../devices/interlock/device.js";
import { Interlock } from "../../devices/interlock/interlock.js";
import { openSerialLine } from "../../devices/interlock/serial-line.js";
import type { Clock, SerialLine } from "../../ports.js";
import type { Machine } from "./machine.js";

/**
 * Asks for an interlock at a serial port. This switches everything off there. Undefined without an answer. Call it only while
 * no runtime has the port. Rejects with INTERLOCK_PORT or PACKAGE_UNAVAILABLE.
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

/** Serial ports where an interlock may be; none is opened. Names that stay the same after a restart come first. */
export function serialPorts(machine: Machine): readonly string[] {
  const byId = machine.names("/dev/serial/by-id").map((name) => `/dev/serial/by-id/${name}`);
  const plugged = machine.names("/dev").filter((name) => /^tty(USB|ACM)\d+$/.test(name));
  const own = machine.has("/dev/serial0") ? ["/dev/serial0"] : [];
  const devices = byId.length > 0 ? byId : plugged.map((name) => `/dev/${name}`);
  return [...devices, ...own];
}
