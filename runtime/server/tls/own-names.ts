import { hostname } from "node:os";

/** How this machine is called on its network: its name, and the same over mDNS (RFC 6762, section 3). */
export function ownNames(): string[] {
  const [name = "localhost"] = hostname().toLowerCase().split(".");
  return name === "localhost" ? [] : [name, `${name}.local`];
}
