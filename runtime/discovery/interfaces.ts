import { BlockList, isIPv4, isIPv6 } from "node:net";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import { ConfigError } from "../config/config-error.js";
import { MDNS } from "./names.js";

export type Family = "udp4" | "udp6";

/** An interface in one family, as its sockets want it. */
export interface Interface {
  readonly name: string;
  readonly family: Family;
  /** How `addMembership` names it: an IPv4 address, or `::%eth0`. */
  readonly local: string;
  /** `224.0.0.251`, or `ff02::fb%eth0`. */
  readonly group: string;
  /** Of this computer, both families, under which the runtime is reached there. */
  readonly addresses: readonly string[];
  /** Whether this is the address of a neighbour on that interface, or its own. */
  isNear(address: string): boolean;
}

type Addresses = readonly NetworkInterfaceInfo[];
type Named = readonly (readonly [name: string, addresses: Addresses])[];

/** Where multicast DNS is spoken. */
export interface Place {
  readonly port: number;
  interfaces(): Named;
}

/** Every interface that leads to other computers. */
const OUTSIDE: Place = {
  port: MDNS.port,
  interfaces: () => interfacesNow().map(([name, all]) => [name, all.filter(({ internal }) => !internal)]),
};

/**
 * Where multicast DNS is spoken: everywhere, or, for trials on one computer, only where TENDRIL_MDNS=ADDRESS:PORT says, be it
 * on loopback. Throws a ConfigError.
 */
export function placeOf({ TENDRIL_MDNS: given }: NodeJS.ProcessEnv): Place {
  if (given === undefined || given === "") return OUTSIDE;
  const [, address = "", port = ""] = /^([\d.]+):(\d{4,5})$/.exec(given) ?? [];
  if (!isIPv4(address) || Number(port) > 65_535)
    throw new ConfigError([`TENDRIL_MDNS=${given}: must be ADDRESS:PORT, such as 127.0.0.1:5399`]);
  const alone = (all: Addresses) => all.filter((one) => one.address === address);
  return { port: Number(port), interfaces: () => interfacesNow().map(([name, all]) => [name, alone(all)]) };
}

/** A sandbox may forbid the question (AF_NETLINK): then there are none. */
function interfacesNow(): [string, NetworkInterfaceInfo[]][] {
  try {
    return Object.entries(networkInterfaces()).map(([name, all]) => [name, all ?? []]);
  } catch {
    return [];
  }
}

/** Those on which `isServed` finds an address that the runtime listens on, in each family where it does. */
export function interfacesOf(named: Named, isServed: (address: string) => boolean): Interface[] {
  return named.flatMap(([name, all]) => {
    const addresses = all.filter(isSharable).map(({ address }) => address);
    const served = addresses.filter(isServed);
    const [first] = served.filter(isIPv4);
    const isNear = nearnessOf(name, all);
    const four = first !== undefined && { family: "udp4", local: first, group: MDNS.group4 };
    const six = served.some(isIPv6) && {
      family: "udp6",
      local: `::%${name}`,
      group: `${MDNS.group6}%${name}`,
    };
    return [four, six].flatMap((found) => (found ? [{ ...found, name, addresses: served, isNear }] : []));
  }) as Interface[];
}

/** An address for itself alone has no neighbours (a tunnel); one of a link alone (RFC 4291, section 2.5.6) fits in no URL. */
const isSharable = ({ address, cidr }: NetworkInterfaceInfo): boolean =>
  !/\/(32|128)$/.test(cidr ?? "") && !/^fe[89ab]/i.test(address);

function nearnessOf(name: string, all: Addresses): (address: string) => boolean {
  const near = new BlockList();
  for (const { cidr, family } of all) {
    const [address = "", bits = ""] = cidr?.split("/") ?? [];
    if (address) near.addSubnet(address, Number(bits), family === "IPv4" ? "ipv4" : "ipv6");
  }
  return (address) => {
    const [plain = "", scope] = address.split("%");
    if (scope !== undefined && scope !== name) return false;
    return near.check(plain, isIPv4(plain) ? "ipv4" : "ipv6");
  };
}

/** Another text where an interface is another. */
export const markOf = ({ name, family, local, addresses }: Interface): string =>
  [name, family, local, ...addresses].join(" ");
