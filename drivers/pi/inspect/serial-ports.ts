import type { Machine } from "./machine.js";

/** Where an interlock may be: only listed, nobody is asked. Names that stay the same first. */
export function serialPorts(machine: Machine): readonly string[] {
  const byId = machine.names("/dev/serial/by-id").map((name) => `/dev/serial/by-id/${name}`);
  const plugged = machine.names("/dev").filter((name) => /^tty(USB|ACM)\d+$/.test(name));
  const own = machine.has("/dev/serial0") ? ["/dev/serial0"] : [];
  const devices = byId.length > 0 ? byId : plugged.map((name) => `/dev/${name}`);
  return [...devices, ...own];
}
